"""A prompt: remember it, sort it, and add the few notes that the agent is missing. The only moment that waits."""

from __future__ import annotations

import time
import types

from memsift import conversation
from memsift import hosts
from memsift import lock
from memsift import session
from memsift import sorters
from memsift.conversation import Conversation
from memsift.decision import Decision
from memsift.decision import Limits
from memsift.decision import decide
from memsift.decision import likely
from memsift.entry import Entry
from memsift.event import Answer
from memsift.event import Event
from memsift.excerpt import excerpt
from memsift.judgement import PromptQuestion
from memsift.runtime import Runtime
from memsift.session import Session


def run(event: Event, host: types.ModuleType, runtime: Runtime) -> Answer:
    """The block for this prompt, most of the time none."""
    prompt = excerpt(event.prompt, conversation.LONGEST_PROMPT)
    state = _remember(event, prompt, runtime)
    sorter = sorters.load(runtime) if state.repository else None
    if sorter is None:
        return Answer()
    further = _second_look(state, runtime)
    decision = sort(prompt, event, state, sorter, further, runtime)
    pauses = sorters.paused(sorter) + (further.paused() if further else []) + _paused_compactor(runtime)
    news = [pause for pause in pauses if state.is_news(pause.service, pause.outage)]
    if decision.context or news:
        _remember_given(event, decision, news, runtime)
    runtime.log.decision("core-prompt", decision.facts())
    return _with_news(news, decision.context) if news else Answer(context=decision.context)


def _paused_compactor(runtime: Runtime) -> list:
    if not runtime.settings.has_compactor:
        return []
    from memsift import announcement  # rare
    return announcement.of_compactor(runtime)


def _with_news(pauses: list, context: str) -> Answer:
    """The answer that also tells of paused services, to the agent and to the user."""
    from memsift import announcement  # rare
    told = [announcement.for_agent(pause) for pause in pauses]
    return Answer("\n\n".join(filter(None, told + [context])), "\n".join(map(announcement.for_user, pauses)))


def _remember(event: Event, prompt: str, runtime: Runtime) -> Session:
    """The session with this prompt in it; one that cannot be written is told to the log, and the prompt goes on."""
    try:
        with session.editing(runtime.home, event) as state:
            if state.repository:
                state.open_prompt(event.turn, prompt)
            return state
    except (OSError, lock.Locked) as error:
        runtime.log.error("core-prompt", "session not written: %s" % error, error)
        return session.begin(event)


def _second_look(state: Session, runtime: Runtime) -> object | None:
    """What asks the long-term store; only where there is one is anything loaded for it."""
    if not runtime.settings["MEMSIFT_COGNEE_URL"]:
        return None
    from memsift.second_look import SecondLook
    return SecondLook(state.repository, runtime)


def sort(prompt: str, event: Event, state: Session, sorter: object, further: object | None,
         runtime: Runtime) -> Decision:
    """Read what is needed, have the sorter judge what is on this machine, then perhaps what the store returns."""
    clock = Stopwatch()
    said_before = _read_conversation(event, runtime)
    clock.lap("conversation")
    question = PromptQuestion(
        prompt, said_before.messages, card=lambda: _read_card(state),
        candidates=lambda: _gather(prompt, said_before, state, runtime), datasets=further.purposes if further else None)
    judgement = sorter.judge_prompt(question, runtime.deadline)
    thresholds = sorters.thresholds(sorter, runtime.settings)
    clock.lap("sorter")
    said = _already_said(likely(question.gathered, judgement.scores, thresholds), said_before, state)
    limits = Limits(runtime.settings["MEMSIFT_MAX_NOTES"], runtime.settings["MEMSIFT_MAX_CHARACTERS"])
    decision = decide(judgement, question.gathered, said, thresholds, limits)
    if further:
        decision = further.go_on(decision, question, judgement, sorter,
                                 lambda entries: _already_said(entries, said_before, state), limits)
        clock.lap("store")
    clock.lap("decision")
    decision.session, decision.turn, decision.milliseconds = event.session, event.turn, clock.laps
    return decision


def _read_card(state: Session) -> str:
    from memsift import card  # the embedded sorter never looks at it
    return card.read(state.root)


def _gather(prompt: str, said_before: Conversation, state: Session, runtime: Runtime) -> list[Entry]:
    """The candidates for this prompt; only a sorter that wants to see them pays for reading them."""
    from memsift import candidates
    return candidates.gather(runtime.home, state.repository, candidates.query(prompt, said_before), runtime.log)


def _already_said(likely: list[Entry], said_before: Conversation, state: Session) -> set[str]:
    if not likely:
        return set()
    from memsift import candidates
    return candidates.already_said(likely, said_before, state.added() | said_before.given, state.seen_turns())


def _read_conversation(event: Event, runtime: Runtime) -> Conversation:
    if not event.transcript:
        return Conversation()
    try:
        return conversation.recent(event.transcript, hosts.reader(event.host).records)
    except OSError as error:
        runtime.log.error("core-prompt", "transcript not read: %s" % error, error)
        return Conversation()


def _remember_given(event: Event, decision: Decision, news: list, runtime: Runtime) -> None:
    try:
        with session.editing(runtime.home, event) as state:
            state.mark_added(event.turn, [note.id for note in decision.added])
            for pause in news:
                state.mark_told(pause.service, pause.outage)
    except (OSError, lock.Locked) as error:
        runtime.log.error("core-prompt", "what was given is not marked: %s" % error, error)


class Stopwatch:
    """Milliseconds between laps, by name."""

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._last = time.monotonic()

    def lap(self, name: str) -> None:
        now = time.monotonic()
        self.laps[name] = (now - self._last) * 1000
        self._last = now
