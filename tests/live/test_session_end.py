"""`claude -p` and `codex exec` end a session after every prompt: the notes are compacted once, when the last one is over."""

from __future__ import annotations

import os
import signal
import time

from tests.live.case import LiveCase
from tests.live.claude import Claude
from tests.live.codex import Codex

PROMPTS = 20
GRACE = 40
THINGS = ("carts", "payments", "invoices", "stock", "mail", "search", "coupons", "refunds", "taxes", "shipping", "reviews", "images",
          "exports", "imports", "backups", "logs", "alerts", "queues", "sessions", "cookies")


class SessionEndTest(LiveCase):
    def setUp(self) -> None:
        super().setUp()
        self.desk.variables["MEMSIFT_GRACE_SECONDS"] = str(GRACE)

    def test_twenty_prompts_in_a_row_of_claude_code(self) -> None:
        self.check_twenty(self.claude)

    def test_twenty_prompts_in_a_row_of_codex(self) -> None:
        self.check_twenty(self.codex)

    def test_a_killed_session_is_finished_by_the_next_one(self) -> None:
        conversation = self.claude.open()
        conversation.ask(decision(0), "Understood.")
        self.memory.wait_for(lambda: self.memory.about("number 0 "), seconds=60)
        conversation.process.process.send_signal(signal.SIGKILL)
        conversation.close()
        self.assertEqual(self.compactions(), [])
        self.age()
        self.codex.say("Thanks.", "You are welcome.")
        self.memory.wait_for(self.compactions, seconds=60)
        self.assertEqual([told["moved"] for told in self.compactions()], [1])
        self.assertEqual(len(self.memory.about("number 0 ")), 1)

    def check_twenty(self, host: Claude | Codex) -> None:
        for number in range(PROMPTS):
            host.say(decision(number), "Understood.")
            self.assertEqual(self.compactions(), [])
        self.memory.wait_for(self.compactions, seconds=3 * GRACE)
        self.assertEqual(self.desk.settle(seconds=2 * GRACE), {})
        self.assertEqual(len(self.compactions()), 1)
        kept = {note for note in range(PROMPTS) if self.memory.about("number %d " % note)}
        self.assertGreater(len(kept), PROMPTS // 2)  # the embedded sorter may miss some
        self.assertEqual(self.compactions()[0]["moved"], len(kept))
        self.assertEqual(self.memory.errors(), [])

    def compactions(self) -> list[dict]:
        return [told for told in self.memory.decisions("core-compaction") if told.get("moved")]

    def age(self) -> None:
        """Let an hour pass for everything that tells when a session was last seen to live."""
        before = time.time() - 3600
        for folder, _, names in os.walk(self.desk.home):
            for name in names:
                if name.endswith((".json", ".jsonl")):
                    os.utime(os.path.join(folder, name), (before, before))


def decision(number: int) -> str:
    return ("We decided that rule number %d for %s is kept in Postgres and not in Redis, because Redis lost them at every "
            "restart." % (number, THINGS[number]))
