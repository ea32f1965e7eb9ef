"""A remote sorter while it answers, and what stands in for it while it does not.

A prompt never waits twice: a judge that is late, failing or paused is replaced by the embedded sorter at once. A turn can
wait: it stays in pending.jsonl until the service is back.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from memsift.deadline import Deadline
from memsift.judgement import PassageJudgement
from memsift.judgement import PassageQuestion
from memsift.judgement import PromptJudgement
from memsift.judgement import PromptQuestion
from memsift.judgement import Thresholds
from memsift.judgement import TurnJudgement
from memsift.judgement import TurnQuestion
from memsift.log import Log
from memsift.remote import service
from memsift.remote.guard import Guard
from memsift.remote.pauses import Pause
from memsift.remote.pauses import Pauses
from memsift.sorters import Unavailable

PROMPT_SECONDS = 2.0  # from the hook's first moment, the start of its process included
TURN_SECONDS = 30.0
LONGEST_RETRY_AFTER = 60.0
_REFUSED_THIS_REQUEST = (400, 413, 422)  # asking again would not help; the service itself may be well


class Guarded:
    """`make_local`: makes the sorter that stands in at a prompt, or None where the user wants none."""

    def __init__(self, remote: object, make_local: Callable[[], object] | None, pauses: Pauses, log: Log) -> None:
        self._remote = remote
        self._make_local = make_local
        self._guard = Guard(remote.name, pauses, log)
        self._log = log
        self._judged_last = remote

    @property
    def name(self) -> str:
        return self._judged_last.name

    @property
    def thresholds(self) -> Thresholds:
        """Of the sorter that judged last: each has its own."""
        return self._judged_last.thresholds

    def judge_prompt(self, question: PromptQuestion, deadline: Deadline) -> PromptJudgement:
        """One call of the service, or none while it is paused."""
        self._judged_last = self._remote
        if self._guard.pause():
            return self._stand_in(question, deadline)
        try:
            judgement = self._remote.judge_prompt(question, Deadline(PROMPT_SECONDS, deadline.started))
        except service.Failed as error:
            self._guard.failed("core-prompt", error)
            return self._stand_in(question, deadline)
        self._succeeded(judgement)
        return judgement

    def _stand_in(self, question: PromptQuestion, deadline: Deadline) -> PromptJudgement:
        if self._make_local is None:
            return PromptJudgement({}, [], "none")
        self._judged_last = self._make_local()
        return self._judged_last.judge_prompt(question, deadline)

    def judge_passages(self, question: PassageQuestion, deadline: Deadline) -> PassageJudgement:
        """By whoever judged the prompt, or by the embedded sorter if the service fails now."""
        if self._judged_last is not self._remote:
            return self._judged_last.judge_passages(question, deadline)
        try:
            judgement = self._remote.judge_passages(question, deadline.within(PROMPT_SECONDS))
        except service.Failed as error:
            self._guard.failed("core-prompt", error)
            if self._make_local is None:
                return PassageJudgement([None] * len(question.passages), "none")
            self._judged_last = self._make_local()
            return self._judged_last.judge_passages(question, deadline)
        self._succeeded(judgement)
        return judgement

    def judge_turn(self, question: TurnQuestion, deadline: Deadline) -> TurnJudgement:
        """Raises Unavailable where the turn should wait. A turn that the service will never take is judged here."""
        self._judged_last = self._remote
        if self._guard.pause():
            raise Unavailable("%s is paused" % self._remote.name)
        try:
            judgement = self._ask_patiently(question, deadline)
        except service.Failed as error:
            if error.status not in _REFUSED_THIS_REQUEST or self._make_local is None:
                raise Unavailable(str(error)) from error
            self._judged_last = self._make_local()
            return self._judged_last.judge_turn(question, deadline)
        self._succeeded(judgement)
        return judgement

    def _ask_patiently(self, question: TurnQuestion, deadline: Deadline) -> TurnJudgement:
        """Ask once more after as long as the service wishes, if it says how long."""
        try:
            return self._remote.judge_turn(question, deadline.within(TURN_SECONDS))
        except service.Failed as error:
            self._guard.failed("core-turn", error)
            wait = error.retry_after
            if wait is None or wait > min(LONGEST_RETRY_AFTER, deadline.remaining()) or self._guard.pause():
                raise
        time.sleep(wait)
        try:
            return self._remote.judge_turn(question, deadline.within(TURN_SECONDS))
        except service.Failed as error:
            self._guard.failed("core-turn", error)
            raise

    def paused(self) -> list[Pause]:
        """What the user should be told of."""
        pause = self._guard.pause()
        return [pause] if pause else []

    def _succeeded(self, judgement: PromptJudgement | PassageJudgement | TurnJudgement) -> None:
        facts = {"estimated_tokens": judgement.tokens, "input_tokens": judgement.counted}
        self._log.decision("%s-tokens" % self._remote.name, facts)
        self._guard.succeeded()
