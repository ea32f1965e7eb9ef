"""What judges prompts, candidates and turns. A sorter is one module here and one line in `load`.

A sorter has a `name`, its own `thresholds` (memsift.judgement.Thresholds), and two methods:
    judge_prompt(PromptQuestion, deadline) -> PromptJudgement
    judge_turn(TurnQuestion, deadline) -> TurnJudgement
One call is one round trip at most: everything that it needs is in the question, and each candidate is judged alone.
"""

from __future__ import annotations

from memsift.judgement import Thresholds
from memsift.settings import Settings


def load(settings: Settings) -> object | None:
    """The sorter that is set, or None where sorting is off."""
    if settings["MEMSIFT_SORTER"] == "off":
        return None
    from memsift.sorters.local import LocalSorter
    return LocalSorter()


def thresholds(sorter: object, settings: Settings) -> Thresholds:
    """The sorter's own thresholds, with what the user set in their place."""
    own = sorter.thresholds
    return Thresholds(own.need, settings["MEMSIFT_ADD_THRESHOLD"] or own.add,
                      settings["MEMSIFT_KEEP_THRESHOLD"] or own.keep, own.sentence)
