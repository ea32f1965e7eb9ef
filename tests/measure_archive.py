"""How often the archive's own candidates hold what a prompt needs, on the labelled conversations.

    python3 tests/measure_archive.py [--with-memory] [--crowded] [--most N] [--misses]

A prompt of tests/conversations may need long-term entries ("cognee"); counted is how many of these are among the archive's
candidates for it. The archive holds the long-term entries of the conversation; --with-memory adds the facts of the sessions
before, as if none were a working note any longer; --crowded adds everything of all other conversations.
"""

import argparse
import os
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, ROOT)

from memsift import candidates
from memsift.archive.archive import Archive
from memsift.conversation import Conversation
from memsift.entry import Entry
from memsift.judgement import Message
from memsift.replay import reading
from memsift.replay.recording import TAUGHT

CONVERSATIONS = os.path.join(ROOT, "tests", "conversations")
RECENT_CHARACTERS = 12_000  # of the conversation, as the prompt hook reads it


def read():
    """The labelled conversations, by name."""
    names = sorted(name for name in os.listdir(CONVERSATIONS) if name.endswith(".json"))
    return {name: reading.read(os.path.join(CONVERSATIONS, name)) for name in names}


def taught(session):
    """The facts that a session leaves behind."""
    return [Entry(turn.id, turn.day, turn.gold.fact, replaces=turn.gold.replaces) for turn in session.turns
            if turn.gold and turn.gold.keep in TAUGHT and turn.gold.fact]


def last(messages, room=RECENT_CHARACTERS):
    """The end of a conversation, as long as the prompt hook reads it."""
    kept = []
    for message in reversed(messages):
        if room <= 0:
            break
        kept.append(Message(message.role, message.text[-room:]))
        room -= len(message.text)
    return kept[::-1]


def strangers(recordings, name):
    """Everything of the other conversations, under names of its own."""
    return [Entry("%s-%s" % (other, entry.id), entry.date, entry.text) for other, recording in recordings.items() if other != name
            for entry in recording.entries + [fact for session in recording.sessions for fact in taught(session)]]


def measure(recording, archive, most, with_memory):
    """(needed, found, misses) of one conversation."""
    longterm = {entry.id for entry in recording.entries}
    needed, misses = 0, []
    for session in recording.sessions:
        messages = []
        for turn in session.turns:
            wanted = [id for id in turn.gold.needs if id in longterm] if turn.gold else []
            for step in turn.steps:
                if step.kind == "prompt" and wanted:
                    query = candidates.query(step.text, Conversation(last(messages)))
                    found = {entry.id for entry in archive.closest(query.prompt, most, before=query.before)}
                    needed += len(wanted)
                    misses += [(turn.id, id) for id in wanted if id not in found]
                if step.kind in ("prompt", "said"):
                    messages.append(Message("developer" if step.kind == "prompt" else "agent", step.text))
        if with_memory:
            archive.add(taught(session))
    return needed, needed - len(misses), misses


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--with-memory", action="store_true", help="facts of earlier sessions compete as well")
    parser.add_argument("--crowded", action="store_true", help="all other conversations' entries compete as well")
    parser.add_argument("--most", type=int, default=candidates.FROM_ARCHIVE, help="candidates per prompt")
    parser.add_argument("--misses", action="store_true", help="name what was not found")
    arguments = parser.parse_args()
    recordings = read()
    needed = found = 0
    for name, recording in recordings.items():
        with tempfile.TemporaryDirectory(prefix="memsift-measure-") as folder:
            archive = Archive(os.path.join(folder, "archive.db"))
            archive.add(recording.entries + (strangers(recordings, name) if arguments.crowded else []))
            its_needed, its_found, misses = measure(recording, archive, arguments.most, arguments.with_memory)
        needed, found = needed + its_needed, found + its_found
        print("%-12s %3d of %3d" % (name, its_found, its_needed), misses if arguments.misses else "")
    print("%-12s %3d of %3d, %.1f %%" % ("all", found, needed, 100 * found / needed))


if __name__ == "__main__":
    main()
