"""A day without any service: 200 turns in three repositories. After resume everything is there, each once."""

import json
import os
import subprocess
import sys
import unittest

from memsift import notes
from memsift import pending
from memsift import project
from memsift.entry import Entry
from memsift.longterm import outbox
from memsift.remote.pauses import Pauses
from tests.scripted_cognee import NO_KEY
from tests.scripted_cognee import ScriptedCognee
from tests.scripted_cognee import status
from tests.scripted_http import ScriptedHttp
from tests.scripted_http import answers
from tests.scripted_http import computed
from tests.support import ROOT
from tests.support import HomeTest
from tests.support import make_repository

TURNS = {"acme-shop": 120, "acme-mail": 50, "acme-stock": 30}
REFUSED = answers({"error": {"code": 401, "message": "the key is not known"}}, "401 Unauthorized")


def judge(body):
    """Every turn is worth keeping, for its one fact."""
    found = {}
    for id, question in body["questions"].items():
        if question["type"] == "choice":
            options = list(question["criteria"])
            chosen = "keep" if "keep" in options else options[0]
            found[id] = {"type": "choice", "choice": chosen, "probabilities": {option: float(option == chosen) for option in options}}
        else:
            found[id] = {"type": "noul", "noul": 0.9 if "Part number" in question["instructions"] else 0.1}
    return {"model": "typesafe/jev-1.13", "answers": found, "usage": {"input_tokens": 400}}


class DayLongOutage(HomeTest):
    def setUp(self):
        super().setUp()
        self.folders = {"acme-shop": self.project}
        for name in ("acme-mail", "acme-stock"):
            self.folders[name] = make_repository(os.path.join(self.folder, name))
        self.names = {name: project.identify(folder, self.user_home).name for name, folder in self.folders.items()}
        self.judge, self.store = ScriptedHttp(REFUSED), ScriptedCognee()
        for server in (self.judge, self.store):
            server.__enter__()
            self.addCleanup(server.__exit__)
        self.environment.update(MEMSIFT_JEV_URL=self.judge.url, MEMSIFT_JEV_KEY="invented", MEMSIFT_COGNEE_URL=self.store.url,
                                MEMSIFT_COGNEE_KEY=self.store.key, MEMSIFT_GRACE_SECONDS="0")

    def fact(self, name, number):
        return "Part number %d of %s is kept in shelf %d." % (number, name, number * 7)

    def live_through_the_day(self):
        """The first turn goes through the real hooks; the others are what those leave behind while nothing answers."""
        pauses = Pauses(self.home.state)
        self.store.meet("/api/v1/datasets", status(NO_KEY))
        for name, count in TURNS.items():
            payload = dict(self.payload("codex", "UserPromptSubmit", prompt=self.fact(name, 0), session_id=name),
                           cwd=self.folders[name])
            self.hook("codex", "prompt", payload)
            self.hook("codex", "answer", dict(payload, hook_event_name="Stop", last_assistant_message="Noted."))
            for number in range(1, count):
                pending.append(self.home, self.names[name], {
                    "id": "%s/t%d" % (name, number), "session": name, "turn": "t%d" % number, "host": "codex", "date": "2026-11-29",
                    "end": "answered", "again": False, "prompts": [self.fact(name, number)], "answer": "Noted.", "changes": [],
                    "transcript": ""})
            outbox.put(self.home, self.names[name], [Entry("k%s%d" % (name[5:9], number), "2026-11-28",
                                                           "Older fact %d of %s." % (number, name))
                                                     for number in range(60)])
        self.wait_for(lambda: pauses.of("jev"))
        pauses.failed("cognee", 401, "the key is not known")
        self.wait_for(lambda: sum(len(pending.read(self.home, name)) for name in self.names.values()) == 200)

    def resume(self, name):
        return subprocess.run([sys.executable, "-B", "-m", "memsift", "resume", "--json"], cwd=self.folders[name], timeout=300,
                              env=dict(self.environment, PYTHONPATH=ROOT), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, check=False)

    def remembered(self, name):
        """The working notes and the archive of a repository."""
        from memsift.archive.archive import Archive
        repository = self.names[name]
        return [note.text for note in notes.load(self.home, repository)], Archive(self.home.archive(repository)).ids()

    def test_everything_is_there_once(self):
        self.live_through_the_day()
        refused = self.resume("acme-shop")
        self.assertEqual(refused.returncode, 1)
        self.assertEqual(len(json.loads(refused.stdout)["wrong"]), 2, refused.stdout)
        self.assertIsNotNone(Pauses(self.home.state).of("jev"))
        self.judge.script[:] = [computed(judge)]
        self.store.behave()
        for _ in range(2):
            done = self.resume("acme-shop")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual([Pauses(self.home.state).of(service) for service in ("jev", "cognee")], [None, None])
        self.assertEqual({name: len(pending.read(self.home, repository)) for name, repository in self.names.items()},
                         {"acme-shop": 0, "acme-mail": 50, "acme-stock": 30})
        for name in ("acme-mail", "acme-stock"):  # the next answer there
            self.hook("claude-code", "answer", dict(self.payload("claude-code", "Stop",
                                                                 last_assistant_message="Hello.", session_id="z"),
                                                    cwd=self.folders[name], session_id="z" + name))
            self.wait_for(lambda name=name: not pending.read(self.home, self.names[name]), seconds=120)
        for name, count in TURNS.items():
            texts, archived = self.remembered(name)
            facts = {self.fact(name, number) for number in range(count)}
            self.assertEqual(len(texts), len(set(texts)))
            self.assertEqual(facts - set(texts), set(), "%d in the archive" % len(archived))
            self.assertEqual(outbox.waiting(self.home, self.names[name]), [])
            uploaded = [document.name for dataset in self.store.datasets if dataset.name == "memsift-" + self.names[name]
                        for document in dataset.documents]
            self.assertEqual(sorted(uploaded), sorted("k%s%d" % (name[5:9], number) for number in range(60)))


if __name__ == "__main__":
    unittest.main()
