"""What is kept of labelled conversations, played through the real hooks with their own memory.

    python3 tests/measure_keeping.py                     all of tests/conversations, with the embedded sorter
    python3 tests/measure_keeping.py --gold FILE...      some of them, with a judge that knows the labels

A turn is worth keeping where its label says keep or correction. A sentence may score anything up to 0.63 without carrying
the fact, as with a real judge.
"""

import argparse
import glob
import os
import statistics
import sys

if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from memsift.commands import replay
from memsift.replay import reading
from memsift.replay import score
from memsift.replay.recording import TAUGHT
from memsift.settings import Settings
from memsift.sorters import guarded
from tests.gold_judge import GoldJudge

HERE = os.path.dirname(os.path.abspath(__file__))


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", metavar="FILE")
    parser.add_argument("--gold", action="store_true", help="let a judge decide that knows the labels")
    options = parser.parse_args(arguments)
    paths = options.files or sorted(glob.glob(os.path.join(HERE, "conversations", "*.json")))
    if not options.gold:
        return tell(play(paths, {"MEMSIFT_SORTER": "local"}))
    guarded.PROMPT_SECONDS = 60.0  # what is kept is measured here, not how fast
    with GoldJudge(paths) as judge:
        return tell(play(paths, {"MEMSIFT_SORTER": "jev", "MEMSIFT_JEV_URL": judge.url}))


def play(paths, environment):
    played, errors = replay.play([reading.read(path) for path in paths], "own", "local", Settings(environment, "/nonexistent"))
    for error in errors:
        print("error: " + error, file=sys.stderr)
    return played


def tell(played):
    """Print the figures; the exit code."""
    turns = [(one, turn) for one in played for turn in one.recording.turns if turn.gold]
    worth = [turn.id in one.kept_turns for one, turn in turns if turn.gold.keep in TAUGHT]
    corrections = [turn.id in one.kept_turns for one, turn in turns if turn.gold.keep == "correction"]
    nothing = [turn.id in one.kept_turns for one, turn in turns if turn.gold.keep not in TAUGHT]
    lengths = [len(note.text) for one in played for note in one.kept]
    marks = [note.mark for one in played for note in one.kept]
    total = score.total(played, "local")
    print("conversations           %6d" % len(played))
    print("turns                   %6d" % len(turns))
    print("worth keeping           %6d, kept %d (%.0f %%)" % (len(worth), sum(worth), 100 * sum(worth) / len(worth)))
    print("  of them corrections   %6d, kept %d" % (len(corrections), sum(corrections)))
    print("worth nothing           %6d, kept %d (%.1f %%)" % (len(nothing), sum(nothing), 100 * sum(nothing) / len(nothing)))
    print("notes                   %6d, %.2f for each turn that was kept" % (len(lengths), len(lengths) / max(1, sum(worth) + sum(nothing))))
    if lengths:
        print("characters per note     %6d in the median, %d at most" % (statistics.median(lengths), max(lengths)))
    print("marks                          %s" % ", ".join("%s %d" % (mark or "none", marks.count(mark)) for mark in sorted(set(marks))))
    named = [_names_the_right_one(note, one) for one in played for note in one.kept if note.replaces]
    print("notes that replace one  %6d, the one that the label names %d" % (len(named), sum(named)))
    print("reminders found         %6d of %d, added for nothing %d of %d" % (
        total["reminders_found"], total["reminders_expected"], total["added_for_nothing"], len(turns) - total["reminders_expected"]))
    return 0


def _names_the_right_one(note, one):
    """Whether a note replaces what the label of its turn says, by the turn that this was made from."""
    turns = {kept.id: kept.turn.partition("/")[2] for kept in one.kept}
    wanted = {turn.id: turn.gold.replaces for turn in one.recording.turns if turn.gold}
    return turns.get(note.replaces, note.replaces) == wanted.get(turns.get(note.id)) != ""


if __name__ == "__main__":
    sys.exit(main())
