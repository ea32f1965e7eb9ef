"""What judges prompts, candidates and turns. A sorter is one module here and one branch in `load`.

A sorter has a `name`, its own `thresholds` (memsift.judgement.Thresholds), and three methods:
    judge_prompt(PromptQuestion, deadline) -> PromptJudgement
    judge_passages(PassageQuestion, deadline) -> PassageJudgement    of a prompt that it has judged before
    judge_turn(TurnQuestion, deadline) -> TurnJudgement        may raise Unavailable: then the turn waits
One call is one round trip at most: everything that it needs is in the question, and each candidate is judged alone.
"""

from __future__ import annotations

from memsift.judgement import Thresholds
from memsift.runtime import Runtime
from memsift.settings import Settings


class Unavailable(Exception):
    """The sorter cannot judge now, and nothing may stand in for it; the message says why."""


def load(runtime: Runtime) -> object | None:
    """The sorter that is set, or None where sorting is off."""
    chosen = runtime.settings.sorter
    if chosen == "off":
        return None
    if chosen == "jev":
        return _load_jev(runtime)
    return _load_local()


def _load_local() -> object:
    from memsift.sorters.local import LocalSorter
    return LocalSorter()


def _load_jev(runtime: Runtime) -> object:
    from memsift.remote.pauses import Pauses
    from memsift.sorters import jev
    from memsift.sorters.guarded import Guarded
    remote = jev.JevSorter(jev.client(runtime.settings), runtime.record if runtime.settings["MEMSIFT_RECORD"] else None)
    stand_in = _load_local if runtime.settings["MEMSIFT_FALLBACK"] else None
    return Guarded(remote, stand_in, Pauses(runtime.home.state), runtime.log)


def paused(sorter: object) -> list:
    """The pauses (memsift.remote.pauses.Pause) of the services behind a sorter."""
    return sorter.paused() if hasattr(sorter, "paused") else []


def thresholds(sorter: object, settings: Settings) -> Thresholds:
    """The sorter's own thresholds, with what the user set in their place."""
    own = sorter.thresholds
    return Thresholds(own.need, settings["MEMSIFT_ADD_THRESHOLD"] or own.add,
                      settings["MEMSIFT_KEEP_THRESHOLD"] or own.keep, own.sentence, own.worth, own.dataset)
