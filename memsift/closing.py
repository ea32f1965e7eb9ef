"""Turns that end become rows of pending.jsonl: what they need to be sorted later, by a process that knows no more."""

from __future__ import annotations

import time

from memsift.event import Event
from memsift.excerpt import excerpt
from memsift.session import Session

LONGEST_ANSWER = 60_000


def end_turn(state: Session, event: Event, end: str, date: str) -> list[dict]:
    """The rows for the turn of this event, and for every earlier one that never ended (the developer pressed Esc);
    none for a turn that is kept out.

    `end`: "answered", "interrupted", "failed" or "left".
    """
    is_kept_out = state.end_kept_out(event.turn)
    rows = leave(state, event, date, "interrupted", [turn for turn in state.open_turns() if turn != event.turn])
    last = row(state, event, event.turn, end, date, excerpt(event.answer, LONGEST_ANSWER))
    return rows if is_kept_out else rows + [last]


def leave(state: Session, event: Event, date: str, end: str = "left", turns: list[str] | None = None) -> list[dict]:
    """The rows for whatever is still open in a session that is over, or for some of it."""
    rows = [row(state, event, turn, end, date) for turn in (state.open_turns() if turns is None else turns)]
    return [each for each in rows if not state.is_kept_out(each["turn"])]


def row(state: Session, event: Event, turn: str, end: str, date: str, answer: str = "") -> dict:
    """One turn, no longer open. A turn that ends a second time (its host went on) is a row of its own."""
    prompts = state.take_prompts(turn)
    again = not state.close(turn) if turn else False
    name = state.source(turn) if turn and not again else "%s %d" % (state.source(turn), time.time_ns())
    return {
        "id": name,
        "session": state.facts.get("session", ""),
        "turn": turn,
        "host": event.host,
        "date": date,
        "end": end,
        "again": again,
        "prompts": prompts,
        "answer": answer,
        "changes": state.take_changes(turn),
        "transcript": state.facts.get("transcript", ""),
    }
