import json
import os

from memsift.replay import reading
from memsift.replay.recording import BadRecording
from tests.replay import acme_shop
from tests.support import FIXTURES
from tests.support import ROOT
from tests.support import HomeTest


class ReadingTest(HomeTest):

    def write(self, content, name="file"):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(content)
        return path

    def test_detects_each_sort_of_file(self):
        for parts, host in ((("claude-code", "transcripts"), "claude-code"), (("codex", "rollouts"), "codex")):
            folder = os.path.join(FIXTURES, *parts)
            for name in sorted(os.listdir(folder)):
                with self.subTest(name):
                    recording = reading.read(os.path.join(folder, name))
                    self.assertEqual([session.host for session in recording.sessions], [host])
                    self.assertFalse(recording.is_labelled)
        self.assertTrue(reading.read(acme_shop.FILE).is_labelled)

    def test_a_labelled_conversation_may_stand_on_one_line(self):
        with open(acme_shop.FILE, encoding="utf-8") as file:
            line = json.dumps(json.load(file))
        self.assertEqual(reading.read(self.write(b"\xef\xbb\xbf" + line.encode())).count_prompts(), 8)

    def test_the_shipped_conversations_are_whole(self):
        folder = os.path.join(ROOT, "tests", "conversations")
        for name in sorted(os.listdir(folder)):
            with self.subTest(name):
                recording = reading.read(os.path.join(folder, name))
                self.assertEqual(recording.count_prompts(), 80)
                self.assertEqual(sum(bool(turn.gold.needs) for turn in recording.turns), 16)

    def test_follows_a_link_that_the_user_names(self):
        link = os.path.join(self.folder, "link.json")
        os.symlink(acme_shop.FILE, link)
        self.assertEqual(reading.read(link).path, link)

    def test_refuses_with_one_sentence_that_names_the_file(self):
        files = {
            "empty": b"",
            "blank": b" \n\n",
            "prose": b"# Notes\n\nWe go with PayCo.\n",
            "other.json": b'{"name": "acme-shop", "dependencies": {}}',
            "list.json": b"[1, 2, 3]",
            "other.jsonl": b'{"type": "user"}\n{"type": "note", "text": "x"}\n',
            "half.json": b'{"sessions": [{"id": "s1", ',
            "bytes": bytes(range(256)) * 40,
            "deep.json": b'{"sessions": ' + b"[" * 100_000,
        }
        paths = [self.write(content, name) for name, content in files.items()]
        for path in paths + [os.path.join(self.folder, "none"), self.project]:
            with self.subTest(os.path.basename(path)):
                with self.assertRaises(BadRecording) as caught:
                    reading.read(path)
                self.assertTrue(str(caught.exception).startswith(path + ": "), caught.exception)
                self.assertNotIn("\n", str(caught.exception))
