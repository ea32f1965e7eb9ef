"""What must not happen: a secret on disk, or a prompt lost with the plugin."""

from __future__ import annotations

import json
import shutil

from tests.live.case import CHOICE
from tests.live.case import CHOICE_NOTED
from tests.live.case import CHOICE_WORD
from tests.live.case import LiveCase
from tests.live.case import write_readme
from tests.live.claude import Claude
from tests.live.codex import Codex

# Put together here, so that no scanner takes the tests themselves for a leak.
SECRETS = ("sk_" + "live_" + "4fH7qLz2mVx9RtB1cWkD8sNe", "gh" + "p_" + "Zk3mQ9xT7vB2nL5wR8cY1dF6hJ4pS0aGuE2i")
LEAK = CHOICE + " The key is %s and the deploy token is GITHUB_TOKEN=%s." % SECRETS


class HarmTest(LiveCase):
    def test_a_key_in_a_prompt_of_claude_code_is_nowhere_in_the_memory(self) -> None:
        self.check_secrets(self.claude)

    def test_a_key_in_a_prompt_of_codex_is_nowhere_in_the_memory(self) -> None:
        self.check_secrets(self.codex)

    def test_a_prompt_goes_on_in_claude_code_when_the_plugin_was_deleted(self) -> None:
        self.check_deleted(self.claude)

    def test_a_prompt_goes_on_in_codex_when_the_plugin_was_deleted(self) -> None:
        self.check_deleted(self.codex)

    def check_secrets(self, host: Claude | Codex) -> None:
        host.say(LEAK, write_readme(host), CHOICE_NOTED + " I use %s and %s." % SECRETS)
        self.settle()
        self.assertTrue(self.memory.about(CHOICE_WORD), self.memory.notes())
        self.assertEqual([self.memory.holding(secret) for secret in SECRETS], [[], []])

    def check_deleted(self, host: Claude | Codex) -> None:
        conversation = host.open()
        conversation.ask("Hello", "Hello.")
        shutil.rmtree(host.plugin)
        conversation.ask("How are you?", "Fine.")
        self.assertIn("How are you?", json.dumps(host.model.bodies()[-1]))
        conversation.close()
