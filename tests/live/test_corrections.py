"""The right line is shown at each point of a correction's life, in both hosts, with compactions and resumed sessions."""

from __future__ import annotations

import os
import sys

from tests.live import judges
from tests.live.case import LiveCase
from tests.live.case import write_readme
from tests.live.claude import Claude
from tests.live.codex import Codex
from tests.live.scripted_server import Reply
from tests.scripted_http import computed
from tests.scripted_judge import ScriptedJudge
from tests.support import ROOT

OLD = "Staging listens on port 8443."
NEW = "No, staging listens on port 9443."
TAKEN_BACK = "Sorry, my mistake, staging listens on port 8443 after all."
WAITS = "%s (a correction that is not confirmed yet; before, the note said: %s)" % (NEW, OLD)
MOST_ATTEMPTS = 8
QUESTION = "Which port does staging listen on?"


class CorrectionTest(LiveCase):
    def test_confirmed_by_an_edit_in_claude_code(self) -> None:
        self.check(self.claude, self.codex, self.edit, NEW)

    def test_confirmed_by_an_edit_in_codex(self) -> None:
        self.check(self.codex, self.claude, self.edit, NEW)

    def test_confirmed_by_a_commit_in_claude_code(self) -> None:
        self.check(self.claude, self.codex, self.commit, NEW)

    def test_confirmed_by_a_commit_in_codex(self) -> None:
        self.check(self.codex, self.claude, self.commit, NEW)

    def test_confirmed_by_silence_in_claude_code(self) -> None:
        self.check(self.claude, self.codex, self.go_on, NEW)

    def test_confirmed_by_silence_in_codex(self) -> None:
        self.check(self.codex, self.claude, self.go_on, NEW)

    def test_taken_back_in_claude_code(self) -> None:
        self.check(self.claude, self.codex, self.take_back, OLD)

    def test_taken_back_in_codex(self) -> None:
        self.check(self.codex, self.claude, self.take_back, OLD)

    def check(self, first: Claude | Codex, second: Claude | Codex, end: object, right: str) -> None:
        """`end`: what ends the waiting. Sessions of `first` correct, new ones of `second` ask."""
        scores = {"<<<%s>>>\nDoes this sentence" % text: 0.92 for text in (OLD, NEW, TAKEN_BACK)}
        scores.update({"<<<%s>>>\nDoes the turn" % OLD: 0.92, "Does this note": 0.92})
        self.judge = ScriptedJudge(scores)
        judges.serve(self, self.desk, computed(self.judge))
        self.say(first, "keep", OLD)
        session = self.say(first, "correction", NEW)
        self.assertEqual(self.told(second), [WAITS])
        self.compact()
        self.assertEqual(self.told(second), [WAITS])
        end(first, session)
        self.assertEqual(self.told(second), [right])
        self.compact()
        self.assertEqual(self.told(first), [right])

    def say(self, host: Claude | Codex, turn: str, prompt: str, *replies: object, session: str = "") -> str:
        self.judge.turn, self.judge.kind = turn, "reaction"
        session = host.say(prompt, *(replies or ("Understood.",)), session=session)
        self.wait()
        return session

    def wait(self) -> None:
        """Until the turn is sorted. On a busy machine the judge may be late for a prompt: that is no matter here."""
        self.assertEqual(self.desk.settle(), {}, "processes left behind")
        self.assertEqual(self.memory.pending(), [], "turns that were not sorted")
        self.assertEqual([error for error in self.memory.errors() if "gave no answer" not in error], [])
        state = os.path.join(self.memory.folder, "state.json")
        if os.path.exists(state):
            os.unlink(state)

    def told(self, host: Claude | Codex) -> list[str]:
        """What a new session is told of the port, without ids and dates."""
        self.judge.turn, self.judge.kind = "nothing", "past_choice"
        for _ in range(MOST_ATTEMPTS):
            host.say(QUESTION, "It is in the notes.")
            self.wait()
            if self.memory.decisions("core-prompt")[-1]["sorter"] == "jev":
                break
        return [line.split(": ", 1)[1].partition(" (see ")[0] for block in host.added()
                for line in block.splitlines() if line.startswith("- [")]

    def compact(self) -> None:
        """What a user types to have the notes compacted."""
        self.desk.run([sys.executable, "-B", "-m", "memsift", "compact"], self.desk.environment(PYTHONPATH=ROOT))

    def edit(self, host: Claude | Codex, session: str) -> None:
        self.say(host, "nothing", "Write it into the README.", write_readme(host), "Done.", session=session)

    def commit(self, host: Claude | Codex, session: str) -> None:
        command = "git -c user.name=dev -c user.email=dev@acme-shop.example commit -q --allow-empty -m 'Move staging'"
        tool = Reply(tool="shell", input=command) if isinstance(host, Codex) \
            else Reply(tool="Bash", input={"command": command, "description": "Commit"})
        self.say(host, "nothing", "Commit that.", tool, "Done.", session=session)

    def go_on(self, host: Claude | Codex, session: str) -> None:
        self.say(host, "nothing", "Now list the log files.", session=session)
        self.assertEqual(self.told(host), [WAITS])
        self.say(host, "nothing", "And the oldest of them?", session=session)

    def take_back(self, host: Claude | Codex, session: str) -> None:
        self.say(host, "correction", TAKEN_BACK, session=session)
