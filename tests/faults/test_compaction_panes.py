"""Six panes keep notes while one compacts and somebody edits the file by hand: every note is there once, and so is every
edit."""

import collections
import multiprocessing
import os
import time
import unittest

from memsift import files
from memsift import notes
from memsift.archive.archive import Archive
from memsift.compaction import compacting
from memsift.entry import Entry
from tests.support import HomeTest

REPOSITORY = "acme-shop-0123456789"
PANES, NOTES, EDITS = "abcdef", 50, 12
IN_VAIN = 20  # looks in a row, while nothing is written any more


def keep(home, pane):
    """What the workers of a pane do."""
    for number in range(NOTES):
        notes.append(home, REPOSITORY, [note(pane, number)])
        time.sleep(0.01)


def note(pane, number):
    id = "%s%09x" % (pane, number)
    return Entry(id, "2026-11-30", "Service %s%d listens on port %d." % (pane, number, 8000 + number),
                 said="developer", turn="%s/%d" % (pane, number))


def compact(runtime, over):
    while not over.is_set():
        compacting.compact(REPOSITORY, runtime)
        time.sleep(0.05)


def edit_by_hand(home, kept, over, edits):
    """Somebody with an editor that replaces the file, and asks when it has changed on the disk since it was opened.

    It ends early where nothing comes any more and the compaction has left no note that it could still edit.
    """
    in_vain = 0
    while edits.value < EDITS and in_vain < IN_VAIN:
        before = edits.value
        digest, draft = notes.paths(home, REPOSITORY)
        for path, other in ((digest, draft), (draft, digest)):
            if os.path.exists(path) and edits.value < EDITS and _save(path, other, edits.value):
                edits.value += 1
        in_vain = in_vain + 1 if kept.is_set() and edits.value == before else 0
        time.sleep(0.06)
    over.set()


def _save(path, other, number):
    """Edit a note that stands in this file alone; whether the file was saved."""
    elsewhere = {note.id for note in notes.parse(files.read_text(other))}
    with open(path, "rb") as file:
        found = os.fstat(file.fileno())
        seen = found.st_ino, found.st_size, found.st_mtime_ns
        opened = file.read()
        lines = opened.splitlines(True)
        own = [place for place, line in enumerate(lines) if b"Service" in line and b"by hand" not in line
               and notes.parse_line(line.decode()).id not in elsewhere]
        if not own:
            return False
        lines[own[0]] = lines[own[0]].replace(b"listens on", b"(number %d by hand) listens on" % number)
        lines.append(b"- A line of mine, number %d.\n" % number)
        with open(path + ".swp", "wb") as saved:
            saved.write(b"".join(lines))
        if files.look(path) != seen:
            return False
        os.replace(path + ".swp", path)
        late = file.read()  # written on after it was opened
    if late:
        with open(path, "ab") as saved:
            saved.write(late)
    return True


class Panes(HomeTest):
    def test_all_notes_and_all_edits_are_there_once(self):
        kept, over, edits = multiprocessing.Event(), multiprocessing.Event(), multiprocessing.Value("i", 0)
        panes = [multiprocessing.Process(target=keep, args=(self.home, pane)) for pane in PANES]
        others = [multiprocessing.Process(target=compact, args=(self.runtime(), over)),
                  multiprocessing.Process(target=edit_by_hand, args=(self.home, kept, over, edits))]
        for process in panes + others:
            process.start()
        for process in panes + others:
            process.join(120)
            self.assertEqual(process.exitcode, 0)
            if process is panes[-1]:
                kept.set()
        working = notes.load(self.home, REPOSITORY)
        counts = collections.Counter(entry.id for entry in working)
        self.assertEqual([id for id, count in counts.items() if count > 1], [])
        archived = list(Archive(self.home.archive(REPOSITORY)).every())
        there = dict({entry.id: entry for entry in archived}, **{entry.id: entry for entry in working})
        wanted = {note(pane, number).id for pane in PANES for number in range(NOTES)}
        self.assertEqual(sorted(wanted - set(there)), [])
        texts = "\n".join(entry.text for entry in there.values())
        self.assertGreater(edits.value, 0)
        for number in range(edits.value):
            self.assertEqual(texts.count("(number %d by hand)" % number), 1, number)
            self.assertEqual(texts.count("A line of mine, number %d." % number), 1, number)
        self.assertTrue(archived)
        self.assertNotIn("ERROR", self.log_text())


if __name__ == "__main__":
    unittest.main()
