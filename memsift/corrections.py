"""What becomes of a correction: it waits for proof, and ends confirmed or withdrawn (docs/KEEPING.md draws the states).

Nothing here reads, sends or writes. A state is the mark of the note: "pending" while it waits, "correction" once it is
confirmed, "withdrawn" once it was taken back. While it waits, it is shown together with what it corrects.
"""

from __future__ import annotations

from memsift.entry import CORRECTION
from memsift.entry import PENDING
from memsift.entry import REFUSED
from memsift.entry import WITHDRAWN
from memsift.entry import Entry

TURNS_TO_CONFIRM = 2  # later ones of the same session that go on without taking it back
DAYS_TO_EXPIRE = 7
_PROOFS = ("edit", "commit")
_LONGEST_OLD = 200
_SHORT_PROMPT = 12  # words: whoever takes something back says little else
_FIRST_CHARACTERS = 200
# How a developer takes back what he has just said. Only looked for while a correction waits, by the worker.
_TAKEN_BACK = (
    r"\b(?:my (?:mistake|bad)|i (?:was|am) wrong|i'?m wrong|i misremembered|scratch that|forget (?:that|it|what i said)"
    r"|never ?mind|i take (?:that|it) back|on second thoughts?|you were right|(?:it|that) was (?:right|correct)"
    r"|was right (?:before|after all)|(?:leave|keep) (?:it|that|this) as it (?:was|is)|undo that|not true after all"
    r"|oublie|laisse tomber|au temps pour moi|autant pour moi|je me (?:suis )?tromp\w+|j'avais tort|tu avais raison"
    r"|c'[ée]tait (?:juste|bon|correct)|en fait non|finalement non|je retire"
    r"|vergiss (?:das|es)|mein fehler|ich (?:lag|war) falsch|hab(?:e)? mich (?:geirrt|vertan)|doch nicht|du hattest recht"
    r"|(?:war|stimmte) doch (?:richtig|so)|ich nehme das zur[üu]ck|lass es wie es (?:war|ist)"
    r"|olv[íi]dalo|olvida (?:eso|lo)|me (?:equivoqu[ée]|he equivocado)|mi error|ten[íi]as raz[óo]n|estaba bien"
    r"|esquece|me enganei|enganei-me|erro meu|tinhas raz[ãa]o|estava certo"
    r"|dimentica(?:lo)?|mi sono sbagliat[oa]|errore mio|avevi ragione|era giusto"
    r"|laat maar|vergeet (?:dat|het)|mijn fout|ik had het mis|je had gelijk)\b"
    r"|\u5fd8\u308c\u3066|\u9593\u9055\u3048\u3066?|\u53d6\u308a\u6d88|\u6211\u9519\u4e86|\u7b97\u4e86")


def begins(note: Entry, row: dict) -> Entry:
    """A correction as it is first kept: confirmed where its own turn proves it, else pending.

    An edit or a commit of a turn with one prompt follows what that prompt said; with several, nobody can tell.
    """
    is_proven = _has_proof(row) and len(row.get("prompts", ())) == 1
    return note.but(mark=CORRECTION if is_proven else PENDING)


def follow(waiting: list[Entry], known: list[Entry], row: dict, prompts: list[str], denied: str) -> list[Entry]:
    """What a later turn does to the corrections that wait: those whose state changes, as they are then.

    `row`: the turn's line of pending.jsonl. `known`: where the corrected notes may be found. `denied`: the id of the
    note that the sorter says this turn corrects, or "": a correction that is itself corrected goes on waiting, and the
    new one replaces it. Handing in the same turn again changes nothing.
    """
    by_id = {note.id: note for note in known}
    turn = name_of_turn(row)
    changed = []
    for note in waiting:
        if note.mark != PENDING or turn in note.passed or note.turn == _source(row):
            continue
        old = by_id.get(note.replaces)
        if _is_taken_back(note, old, row, prompts, denied):
            changed.append(note.but(mark=WITHDRAWN, passed=[turn]))
        elif denied != note.id and _goes_on(note, row, prompts):
            changed.append(_one_turn_further(note, row, turn))
    return changed


def taken_back(working: list[Entry], changed: list[Entry], row: dict) -> list[Entry]:
    """The corrections that a turn took back, now or before its process was killed, and what they would have replaced."""
    turn = name_of_turn(row)
    gone = [note for note in working + changed if note.mark == WITHDRAWN and turn in note.passed]
    replaced = {note.replaces for note in gone}
    return gone + [note for note in working if gone and note.id in replaced]


def expired(waiting: list[Entry], today: str) -> list[Entry]:
    """The corrections that have waited too long, as they are from now on.

    The developer's last word stands: it is confirmed. What only the agent said stays as a note of its own, and what it
    would have corrected stays as well.
    """
    over = [note for note in waiting if note.mark == PENDING and _days(note.date, today) >= DAYS_TO_EXPIRE]
    return [note.but(mark="", replaces="", passed=[]) if note.said == "agent" else note.but(mark=CORRECTION, passed=[])
            for note in over]


def shown(candidates: list[Entry]) -> list[Entry]:
    """The candidates as a prompt may see them: nothing that was taken back, and a correction that still waits in one
    line with what it corrects, so that neither is taken for the truth."""
    if not any(entry.mark in (PENDING, WITHDRAWN, REFUSED) for entry in candidates):
        return candidates
    by_id = {entry.id: entry for entry in candidates}
    return [_beside_old(entry, by_id.get(entry.replaces)) if entry.mark == PENDING else entry
            for entry in candidates if entry.mark not in (WITHDRAWN, REFUSED)]


def name_of_turn(row: dict) -> str:
    """A few digits that stand for a turn in the comment of a note."""
    from memsift.home import digest
    return digest(str(row.get("id", "")), 8)


def _beside_old(note: Entry, old: Entry | None) -> Entry:
    before = "; before, the note said: %s" % _shortened(old.text) if old else ""
    return note.but(text="%s (a correction that is not confirmed yet%s)" % (note.text, before))


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST_OLD else text[:_LONGEST_OLD - 1].rstrip() + "\u2026"


def _source(row: dict) -> str:
    return "%s/%s" % (row.get("session", ""), row.get("turn", ""))


def _has_proof(row: dict) -> bool:
    return any(isinstance(change, dict) and change.get("what") in _PROOFS for change in row.get("changes", ()))


def _goes_on(note: Entry, row: dict, prompts: list[str]) -> bool:
    """Whether a turn of the same session was answered, as if what was corrected were settled."""
    return note.turn.partition("/")[0] == row.get("session") and row.get("end") == "answered" and bool(prompts)


def _one_turn_further(note: Entry, row: dict, turn: str) -> Entry:
    passed = note.passed + [turn]
    if _has_proof(row) or len(passed) >= TURNS_TO_CONFIRM:
        return note.but(mark=CORRECTION, passed=[])
    return note.but(passed=passed)


def _is_taken_back(note: Entry, old: Entry | None, row: dict, prompts: list[str], denied: str) -> bool:
    """Whether the developer says that he was wrong: about this, by the sorter's judgement or by the words that he
    uses, or in few words right after it."""
    import re
    from memsift.likeness import words
    if denied != note.id and note.turn.partition("/")[0] != row.get("session"):
        return False
    about = {word for word in words(note.text + " " + (old.text if old else "")) if len(word) > 3}
    for prompt in prompts:
        said = words(prompt)
        if re.search(_TAKEN_BACK, prompt[:_FIRST_CHARACTERS].replace("\u2019", "'"), re.IGNORECASE) \
                and (denied == note.id or len(said) <= _SHORT_PROMPT or said & about):
            return True
    return False


def _days(date: str, today: str) -> int:
    """Days between two dates; a note whose date cannot be read has waited for ever."""
    import datetime
    try:
        return (datetime.date.fromisoformat(today) - datetime.date.fromisoformat(date)).days
    except ValueError:
        return DAYS_TO_EXPIRE
