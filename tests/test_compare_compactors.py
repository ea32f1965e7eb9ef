import contextlib
import io
import json
import os
import unittest
from unittest import mock

from memsift.remote import place
from tests import compare_compactors
from tests import scripted_http as acts
from tests.scripted_http import ScriptedHttp
from tests.support import ROOT
from tests.support import HomeTest

FILE = os.path.join(ROOT, "tests", "conversations", "a2.json")


def says(answer):
    return acts.answers({"choices": [{"message": {"content": json.dumps(answer)}}], "usage": {"cost": 0.001}})


class Compare(HomeTest):
    def run_it(self, *arguments):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = compare_compactors.main([*arguments, FILE])
        return code, out.getvalue(), err.getvalue()

    def compare(self, *script, arguments=()):
        with ScriptedHttp(*script) as server:
            os.environ["MEMSIFT_COMPACTOR_URL"] = server.url
            code, out, err = self.run_it("--json", "--model", "acme/small", "--limit", "1", *arguments)
        return code, json.loads(out)["acme/small"], err

    def test_model_that_changes_nothing_keeps_every_fact(self):
        code, told, err = self.compare(says({"drop": []}))
        self.assertEqual((code, told["kept"], told["changes"], told["failed"], told["usd"]), (0, told["facts"], 0, 0, 0.001))
        self.assertGreater(told["facts"], 15)
        self.assertIn("costs nothing", err)

    def test_lossy_inventing_and_useless_models_are_told_apart(self):
        draft = compare_compactors.drafts_of(compare_compactors.reading.read(FILE), 1)[0]
        note = next(note for note in draft if note.id.startswith("s"))
        _, told, _ = self.compare(says({"drop": [{"id": note.id, "because": "not memory"}]}))
        self.assertEqual(told["facts"] - told["kept"], 1)
        _, told, _ = self.compare(says({"replace": [{"id": note.id, "text": "We use Stripo."}]}))
        self.assertEqual((told["kept"], told["invented"], told["refused"]), (told["facts"], 1, 1))
        code, told, _ = self.compare(says("no"), says("no"))
        self.assertEqual((code, told["unusable"], told["kept"]), (0, 1, told["facts"]))
        code, told, err = self.compare(acts.answers({}, "500 Internal Server Error"))
        self.assertEqual((code, told["failed"]), (1, 1))

    def test_nothing_is_sent_before_the_cost_is_agreed_to(self):
        os.environ["MEMSIFT_COMPACTOR_KEY"] = "invented"
        with mock.patch.object(compare_compactors.Compactor, "chat", side_effect=AssertionError):
            code, out, err = self.run_it()
            self.assertEqual(code, 1)
            self.assertRegex(out, r"requests to openrouter.ai:443 for anthropic/claude-haiku.*about \d+\.\d{4} USD")
            self.assertIn("add --yes", err)
            with mock.patch("sys.stdin", mock.Mock(isatty=lambda: True, readline=lambda: "n\n")):
                self.assertEqual(self.run_it()[0], 1)

    def test_without_a_compactor_it_says_what_to_set(self):
        code, _, err = self.run_it()
        self.assertEqual(code, 1)
        self.assertIn("MEMSIFT_COMPACTOR_KEY", err)

    def test_unknown_price_is_said_to_be_unknown(self):
        self.assertIn("cost unknown", compare_compactors.cost_in_words(place.service("https://chat.acme.example/v1"), "x", 1000, 1))


if __name__ == "__main__":
    unittest.main()
