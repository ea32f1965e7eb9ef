"""Secrets of every class, planted wherever text comes in, are in no file below MEMSIFT_HOME (H1)."""

import json
import os
import unittest
from unittest import mock

from memsift import hook
from memsift import sorters
from memsift import spawn
from memsift import worker
from memsift.deadline import Deadline
from tests.redact_forms import FORMS
from tests.redact_forms import VENDORS
from tests.support import HomeTest
from tests.support import ScriptedSorter

TURNS_PER_SESSION = 40
SHORTEST = 5  # what is shorter stands in ordinary words, too


class SecretsReachNoFile(HomeTest):
    def run(self, result=None):
        """Every turn is kept, and the notes move on to the archive: the longest way that a text can go."""
        with mock.patch.object(sorters, "load", lambda settings: ScriptedSorter()), \
                mock.patch.object(spawn, "worker"):
            return super().run(result)

    def send(self, moment, event, **fields):
        payload = self.payload("claude-code", event, **fields)
        hook.answer("claude-code", moment, json.dumps(payload).encode(), Deadline(30))

    def live_through(self, number, text):
        """A turn that holds the text in its prompt, answer, transcript, command and, on one line, in a file's name."""
        where = {"session_id": "s%d" % (number // TURNS_PER_SESSION), "turn": "t%d" % number,
                 "transcript_path": os.path.join(self.folder, "s%d.jsonl" % (number // TURNS_PER_SESSION))}
        row = {"type": "user", "promptId": where["turn"], "promptSource": "typed",
               "message": {"content": "Case %d of the transcript. %s" % (number, text)}}
        with open(where["transcript_path"], "a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        self.send("prompt", "UserPromptSubmit", prompt="Case %d of the prompt. %s" % (number, text), **where)
        self.send("tool", "PostToolUseFailure", tool_name="Bash", tool_input={"command": text}, error=text, **where)
        self.send("tool", "PostToolUse", tool_name="Bash", tool_input={"command": "git commit -m %r" % text}, **where)
        self.send("answer", "Stop", last_assistant_message="Case %d of the answer. %s" % (number, text), **where)

    def everything_written(self):
        for base, folders, names in os.walk(self.memsift_home):
            yield base, "\n".join(folders + names).encode()
            for name in names:
                with open(os.path.join(base, name), "rb") as file:
                    yield os.path.join(base, name), file.read()

    def assert_absent(self, secrets):
        written = list(self.everything_written())
        self.assertGreater(len(written), 5)
        found = [(secret, place) for place, content in written for secret in secrets
                 if secret.encode() in content or json.dumps(secret)[1:-1].encode() in content]
        self.assertEqual(found, [])

    def test_in_prompts_answers_transcripts_and_commands(self):
        os.environ["MEMSIFT_DEBUG"] = "1"
        for number, (text, _, _) in enumerate(FORMS):
            self.live_through(number, text)
        worker.work(self.repository(), self.runtime())
        self.assertTrue(os.path.exists(self.home.archive(self.repository())))
        self.assertGreater(len(FORMS), 60)
        self.assert_absent({secret for _, secret, _ in FORMS if len(secret) >= SHORTEST})

    def test_in_file_names_folders_and_ids(self):
        for number, secret in enumerate(VENDORS):
            where = {"session_id": "s1", "turn": "t%d" % number}
            self.send("prompt", "UserPromptSubmit", prompt="Write the file number %d." % number, **where)
            self.send("tool", "PostToolUse", tool_name="Write",
                      tool_input={"file_path": os.path.join(self.project, "keys", secret + ".txt")}, **where)
            self.send("answer", "Stop", last_assistant_message="Written.", **where)
            self.send("prompt", "UserPromptSubmit", prompt="We use port %d." % number, session_id=secret, turn=secret,
                      transcript_path=os.path.join(self.folder, secret, "x.jsonl"))
            self.send("session-end", "SessionEnd", reason="other", session_id=secret, turn=secret)
        worker.work(self.repository(), self.runtime())
        self.assert_absent(VENDORS)

    def test_in_errors(self):
        secret = VENDORS[0]
        self.hook("claude-code", "prompt", ("not JSON but %s" % secret).encode())
        self.hook("claude-code", "prompt", json.dumps({"hook_event_name": secret}).encode())
        self.assert_absent([secret])


if __name__ == "__main__":
    unittest.main()
