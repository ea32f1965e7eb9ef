"""Which entries of an archive fit a text best, by the terms that they share with it.

What sharing a term means depends on what it is (a word more than a piece of one), on how few entries hold it, and on
whether it stands in the text itself or in what was said before. How often a term occurs in an entry tells nothing more:
entries are a few sentences long.

The work is bounded, however large the archive is: the index is asked for the most telling terms only; the entries that
share most of these are then compared by all of them.
"""

from __future__ import annotations

import sqlite3
from math import fsum
from math import log

from memsift.archive import archive_index
from memsift.terms import GRAM
from memsift.terms import STEM
from memsift.terms import focus

_SHARES = {STEM: 0.6, GRAM: 0.4}
_BEFORE_SHARE = 0.25
_CHARACTERS = 2_000  # of a text that are looked at
_MOST_LOOKUPS = 64  # terms that the index is asked for
_LOOKUP_COST = 100  # of asking for one more term, in entries that are counted in the same time
_MOST_COUNTED = 1_500
_LEAST_COMPARED = 48
_MOST_COMPARED = 400
_MOST_WITHOUT_INDEX = 30_000  # the newest entries, where there is no index
_RARE = archive_index.FREQUENT_FROM // 2  # entries that are guessed to hold a term of which nothing is known
_LONG = 300  # terms: an entry with more holds many of any text


def wanted_terms(connection: sqlite3.Connection, text: str, before: str) -> dict[str, float]:
    """The terms to look for, with what each of them is worth."""
    make = archive_index.term_maker(connection)
    wanted = {term: _SHARES.get(term[0], 1.0) for term in make(focus(text, _CHARACTERS))}
    for term in make(before[-_CHARACTERS:]):
        if term[0] != GRAM:
            wanted.setdefault(term, _BEFORE_SHARE * _SHARES.get(term[0], 1.0))
    return wanted


def ranked(connection: sqlite3.Connection, text: str, before: str, without: set[int], columns: str,
           least: int) -> list[tuple]:
    """These columns of the entries that fit, best first, without those numbers; `least`: how many are wanted."""
    wanted = wanted_terms(connection, text, before)
    if not wanted:
        return []
    most = min(max(least, _LEAST_COMPARED), _MOST_COMPARED)
    if archive_index.is_usable(connection):
        return _by_index(connection, wanted, without, columns, most)
    return _without_index(connection, wanted, without, columns, most)


def _by_index(connection: sqlite3.Connection, wanted: dict[str, float], without: set[int], columns: str,
              most: int) -> list[tuple]:
    total = archive_index.size(connection)
    counts = archive_index.frequencies(connection, list(wanted))
    scores: dict[int, float] = {}
    room = _MOST_COUNTED
    for term in _most_telling(wanted, counts, total):
        holders = archive_index.holders(connection, term, room)
        room -= len(holders)
        if holders:
            counts[term] = max(len(holders), counts.get(term, 0))
            worth = wanted[term] * log(1 + total / counts[term])
            for number in holders:
                scores[number] = scores.get(number, 0.0) + worth
        if room <= 0:
            break
    for number in without:
        scores.pop(number, None)
    best = [number for _, number in sorted(zip(scores.values(), scores), reverse=True)[:most]]
    rows, asked = {}, wanted.keys()
    shared = []
    for number, held, *row in _read(connection, best, "terms, " + columns):
        held = held.split()
        rows[number] = row
        shared.append((number, len(held), asked & set(held)))
    return [rows[number] for number in _compared(shared, wanted, counts, total)]


def _most_telling(wanted: dict[str, float], counts: dict[str, int], total: int) -> list[str]:
    """The terms that tell most for the time that they take, no more than there is time for."""
    def use(term: str) -> float:
        count = counts.get(term, _RARE)
        return wanted[term] * log(1 + total / count) / (_LOOKUP_COST + count)
    telling, too_common, room = [], [], _MOST_COUNTED
    for term in sorted(wanted, key=use, reverse=True)[:_MOST_LOOKUPS]:
        if counts.get(term, 0) <= room:
            room -= counts.get(term, 0)
            telling.append(term)
        else:
            too_common.append(term)
    return telling + too_common[:1]  # the newest entries that hold it, should there be time left


def _read(connection: sqlite3.Connection, numbers: list[int], columns: str) -> list[tuple]:
    these = "SELECT number, %s FROM entries WHERE number IN (%s)" % (columns, ", ".join("?" * len(numbers)))
    return connection.execute(these, numbers).fetchall()


def _compared(shared: list[tuple], wanted: dict[str, float], counts: dict[str, int], total: int) -> list[int]:
    """Numbers by what the shared terms are worth, the newer ones first among equals."""
    seen: dict[str, int] = {}
    for _, _, found in shared:
        for term in found:
            seen[term] = seen.get(term, 0) + 1
    worth = {term: wanted[term] * log(1 + total / max(count, counts.get(term, 0))) for term, count in seen.items()}
    scores = [(fsum(map(worth.__getitem__, found)) / max(1.0, length / _LONG), number)
              for number, length, found in shared]
    return [number for _, number in sorted(scores, reverse=True)]


def _without_index(connection: sqlite3.Connection, wanted: dict[str, float], without: set[int], columns: str,
                   most: int) -> list[tuple]:
    asked = {term: term for term in wanted}
    newest = connection.execute(
        "SELECT number, terms FROM entries ORDER BY number DESC LIMIT ?", (_MOST_WITHOUT_INDEX,))
    shared = []
    for number, text in newest:  # one by one: the archive may be large
        held = text.split()
        found = asked.keys() & set(held)
        if found and number not in without:
            shared.append((number, len(held), [asked[term] for term in found]))
    best = _compared(shared, wanted, {}, min(archive_index.size(connection), _MOST_WITHOUT_INDEX))[:most]
    rows = {number: row for number, *row in _read(connection, best, columns)}
    return [rows[number] for number in best]
