"""The archive's own figures, as rows of tests/bench.py: one search, and one entry put in by each of four writers at once."""

import os
import statistics
import subprocess
import time

from memsift.archive.archive import Archive
from memsift.entry import Entry

ENTRIES, WRITERS, EACH = 100_000, 4, 100
SEARCH_MILLISECONDS, INSERT_MILLISECONDS = 20.0, 5.0
_WRITER = """
import sys, time
sys.path.insert(0, sys.argv[1])
from memsift.archive.archive import Archive
from memsift.entry import Entry
from tests.bench import sentence
name, path = sys.argv[2:4]
sys.stdin.readline()
for i in range(int(sys.argv[4])):
    entry = Entry("w%s-%d" % (name, i), "2026-11-30", sentence(1_000_000 + 1_000 * int(name) + i))
    started = time.perf_counter()
    Archive(path, wait=30.0).add([entry])
    print((time.perf_counter() - started) * 1000)
"""


def searches(path, questions):
    """Milliseconds that each question took, the file opened anew for each."""
    spent = []
    for question in questions:
        started = time.perf_counter()
        if not Archive(path).closest(question):
            raise SystemExit("nothing found for %r" % question)
        spent.append((time.perf_counter() - started) * 1000)
    return spent


def inserts(path, root, python):
    """Milliseconds that each entry took, put in by processes that all write as fast as they can."""
    writers = [subprocess.Popen([python, "-c", _WRITER, root, str(number), path, str(EACH)], stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE, universal_newlines=True) for number in range(WRITERS)]
    time.sleep(1.0)  # until all have loaded
    for writer in writers:
        writer.stdin.write("go\n")
        writer.stdin.flush()
    spent = [float(line) for writer in writers for line in writer.communicate()[0].splitlines()]
    if len(spent) != WRITERS * EACH:
        raise SystemExit("a writer failed")
    return spent


def report(folder, root, python, sentence, words):
    """Measure and print both rows; how many are over their bounds."""
    path = os.path.join(folder, "archive-alone.db")
    Archive(path, wait=60).add([Entry("a%d" % i, "2026-01-01", sentence(i)) for i in range(ENTRIES)])
    questions = ["Why does the %s service %s, and who decided it? See ACME-%d." % (word, "use port %d" % (2_000 + i), 700 * i)
                 for i, word in enumerate(words * 5)]
    rows = [("archive, search", searches(path, questions), SEARCH_MILLISECONDS),
            ("archive, insert by four at once", inserts(path, root, python), INSERT_MILLISECONDS)]
    print("\n%-42s %8s %8s %8s" % ("archive of %d entries" % ENTRIES, "ms", "95 %", "bound"))
    over = 0
    for name, spent, bound in rows:
        middle = statistics.median(spent)
        over += middle > bound
        print("%-42s %8.1f %8.1f %8.1f%s" % (name, middle, sorted(spent)[int(0.95 * len(spent))], bound,
                                             "  over" if middle > bound else ""), flush=True)
    return over
