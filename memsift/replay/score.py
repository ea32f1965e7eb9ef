"""The numbers of a replay, as the object that --json prints."""

from __future__ import annotations

import math

from memsift.replay.play import Outcome
from memsift.replay.play import Played
from memsift.replay.recording import TAUGHT


def report(played: list[Played], way: str) -> dict:
    """Per recording and in total, for one way of answering prompts."""
    return {"conversations": [_conversation(one, way) for one in played], "total": total(played, way)}


def _conversation(played: Played, way: str) -> dict:
    per_prompt = [{"id": outcome.turn.id, "kind": outcome.kind or None, "added": outcome.added,
                   "characters": len(outcome.context), "wait_ms": round(outcome.wait_ms, 2)}
                  for outcome in played.outcomes[way]]
    return {"file": played.recording.path, **total([played], way), "per_prompt": per_prompt}


def total(played: list[Played], way: str) -> dict:
    """The sums over recordings; what needs labels counts the labelled ones only, and is None where there are none."""
    outcomes = [outcome for one in played for outcome in one.outcomes[way]]
    got = [outcome for outcome in outcomes if outcome.context]
    labelled = [one for one in played if one.recording.is_labelled]
    judged = [outcome for one in labelled for outcome in one.outcomes[way] if outcome.turn.gold]
    needing = [outcome for outcome in judged if outcome.turn.gold.needs]
    return {
        "prompts": len(outcomes),
        "added": len(got),
        "characters": sum(len(outcome.context) for outcome in got),
        "added_for_nothing": sum(bool(outcome.context and not outcome.turn.gold.needs) for outcome in judged)
        if labelled else None,
        "reminders_expected": len(needing) if labelled else None,
        "reminders_found": sum(map(_found, needing)) if labelled else None,
        "wait_ms": _waits([outcome.wait_ms for outcome in outcomes]),
        "kept": _kept(played, labelled),
    }


def _found(outcome: Outcome) -> bool:
    return not set(outcome.added).isdisjoint(outcome.turn.gold.needs)


def _kept(played: list[Played], labelled: list[Played]) -> dict:
    expected = [{turn.id for turn in one.recording.turns if turn.gold and turn.gold.keep in TAUGHT}
                for one in labelled]
    right = [len(wanted & one.kept_turns) for wanted, one in zip(expected, labelled)]
    return {"expected": sum(map(len, expected)) if labelled else None,
            "kept": sum(len(one.kept_turns) for one in played),
            "right": sum(right) if labelled else None}


def _waits(milliseconds: list[float]) -> dict:
    ordered = sorted(milliseconds)
    return {"median": _at(ordered, 0.5), "p95": _at(ordered, 0.95)}


def _at(ordered: list[float], share: float) -> float:
    """The smallest value that at least this share of the values does not exceed."""
    return round(ordered[max(0, math.ceil(share * len(ordered)) - 1)], 2)
