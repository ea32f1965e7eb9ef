"""The second half of the cascade: where nothing on this machine answers, the long-term store is asked, and the sorter
judges what it returns."""

from __future__ import annotations

from collections.abc import Callable

from memsift import decision
from memsift import sorters
from memsift.decision import Decision
from memsift.decision import Limits
from memsift.entry import Entry
from memsift.judgement import PassageQuestion
from memsift.judgement import PromptJudgement
from memsift.judgement import PromptQuestion
from memsift.longterm import datasets
from memsift.longterm import store
from memsift.remote.pauses import Pause
from memsift.runtime import Runtime

_JUDGING_SECONDS = 2.0  # left for the sorter


class SecondLook:
    """The long-term store of one repository, for one prompt."""

    def __init__(self, repository: str, runtime: Runtime) -> None:
        self._repository = repository
        self._runtime = runtime
        self._store = store.load(runtime)
        self._purposes: dict[str, str] | None = None

    def paused(self) -> list[Pause]:
        """The pause of the store, which the user should be told of."""
        return self._store.paused() if self._store else []

    def purposes(self) -> dict[str, str]:
        """What each dataset is for that may be asked for this repository; none while the store is paused."""
        if self._purposes is None:
            is_open = self._store is not None and not self.paused()
            self._purposes = self._read_purposes() if is_open else {}
        return self._purposes

    def _read_purposes(self) -> dict[str, str]:
        try:
            return datasets.purposes(self._runtime.home, self._repository)
        except OSError as error:  # what it switches off is not known, so nothing is asked
            self._runtime.log.error("core-prompt", "datasets not read: %s" % error, error)
            return {}

    def go_on(self, made: Decision, question: PromptQuestion, judgement: PromptJudgement, sorter: object,
              said: Callable[[list[Entry]], set[str]], limits: Limits) -> Decision:
        """The decision with the passages that answer, or as it was. `said`: which of some entries the agent sees."""
        thresholds = sorters.thresholds(sorter, self._runtime.settings)
        if self._store is None or not decision.wants_passages(made, judgement.worth, thresholds):
            return made
        asked = decision.fitting_datasets(self.purposes(), judgement.datasets, thresholds)
        passages = self._fetch(asked, question) if asked else []
        made.store = self._told(asked, passages)
        fresh = decision.not_judged_yet(passages or [], made)
        if not fresh:
            return made
        judged = sorter.judge_passages(PassageQuestion(question, judgement.kinds, fresh), self._runtime.deadline)
        thresholds = sorters.thresholds(sorter, self._runtime.settings)  # another sorter may have stood in
        seen = said(decision.likely(fresh, judged.scores, thresholds))
        further = decision.decide_on_passages(made, judged, fresh, seen, thresholds, limits)
        further.store = made.store
        return further

    def _fetch(self, asked: list[str], question: PromptQuestion) -> list[Entry] | None:
        """The closest passages; None where the store did not answer, which the log tells."""
        from memsift.longterm import queries  # most prompts are answered, or need nothing
        deadline = self._runtime.deadline
        texts = queries.texts(question.prompt, question.recent)
        seconds = max(0.0, deadline.remaining() - _JUDGING_SECONDS)
        return self._store.search(texts, asked, self._repository, deadline.within(seconds))

    def _told(self, asked: list[str], passages: list[Entry] | None) -> str:
        """What the log says of the store: an outage never looks like a memory that holds nothing."""
        if not asked:
            return "paused" if self.paused() else "no dataset for this repository"
        return "no answer" if passages is None else "%d passages" % len(passages)
