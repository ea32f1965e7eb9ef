"""The turns that do not go straight, as both hosts know them."""

from __future__ import annotations

from tests.live.case import CHOICE
from tests.live.case import CHOICE_NOTED
from tests.live.case import CHOICE_QUESTION
from tests.live.case import CHOICE_WORD
from tests.live.case import STORE
from tests.live.case import STORE_NOTED
from tests.live.case import STORE_WORD
from tests.live.claude import Claude
from tests.live.claude import ClaudeConversation
from tests.live.codex import Codex
from tests.live.codex import CodexConversation
from tests.live.scripted_server import Reply

IN_THE_NOTES = "It is the one in the notes."
AGAIN = "Why did we choose PayCo and not another provider?"
ONCE_MORE = "What was our reason for PayCo?"


class Turns:
    """The tests of a LiveCase with one host; it compacts a conversation of `full` tokens on its own."""

    full = 0

    @property
    def host(self) -> Claude | Codex:
        raise NotImplementedError

    def slow_command(self) -> Reply:
        """The model's reply that runs a command of a few seconds."""
        raise NotImplementedError

    def test_an_interrupted_turn(self) -> None:
        conversation = self.host.open()
        self.host.model.script(Reply(text="Let me look at the README first.", pace=0.5))
        conversation.send(STORE)
        self.memory.wait_for(self.host.model.bodies)
        conversation.interrupt()
        conversation.ask(CHOICE, CHOICE_NOTED)
        conversation.close()
        self.settle()
        self.assert_noted_apart(STORE_WORD, CHOICE_WORD)

    def test_a_prompt_that_joins_the_running_turn(self) -> None:
        conversation = self.host.open()
        self.host.model.script(self.slow_command(), CHOICE_NOTED + " " + STORE_NOTED)
        conversation.send(CHOICE)
        self.memory.wait_for(self.host.model.bodies)
        conversation.send(STORE)
        conversation.wait()
        conversation.close()
        self.settle()
        self.assert_noted_once(CHOICE_WORD, STORE_WORD)

    def test_a_resumed_and_a_forked_session(self) -> None:
        session = self.host.say(CHOICE, CHOICE_NOTED)
        self.host.say(STORE, STORE_NOTED, session=session)
        fork = self.host.say("Which of the two is the bigger change?", "Both are small.",
                             session=session, fork=True)
        self.assertNotEqual(fork, session)
        self.settle()
        self.assert_noted_apart(CHOICE_WORD, STORE_WORD)

    def test_a_resumed_session_knows_what_it_was_given(self) -> None:
        self.remember(self.host)
        session = self.host.say(CHOICE_QUESTION, IN_THE_NOTES)
        self.assertEqual(len(self.host.added()), 1)
        self.host.say(AGAIN, IN_THE_NOTES, session=session)
        self.assertEqual(len(self.host.added()), 1)
        self.settle()

    def test_a_note_is_added_once_a_session_until_it_is_compacted_away(self) -> None:
        self.remember(self.host)
        conversation = self.host.open()
        self.assertEqual(self.added_after(conversation, CHOICE_QUESTION), 1)
        self.assertEqual(self.added_after(conversation, AGAIN), 1)
        conversation.compact()
        self.assertEqual(self.added_after(conversation, ONCE_MORE), 1)
        conversation.close()
        self.settle()
        self.assert_noted_once(CHOICE_WORD)

    def test_a_compaction_by_the_host_keeps_what_the_prompt_was_given(self) -> None:
        self.remember(self.host)
        conversation = self.host.open()
        conversation.ask("Hello", Reply(text="Hello.", tokens=self.full))
        self.assertEqual(self.added_after(conversation, CHOICE_QUESTION), 1)
        self.assertEqual(len(self.host.model.bodies("compaction")), 1)
        self.assertEqual(self.added_after(conversation, AGAIN), 1)
        conversation.close()
        self.settle()
        self.assert_noted_once(CHOICE_WORD)

    def added_after(self, conversation: ClaudeConversation | CodexConversation, question: str) -> int:
        """How many blocks of memsift's the model has before it when it answers the question."""
        conversation.ask(question, IN_THE_NOTES)
        return len(self.host.added())
