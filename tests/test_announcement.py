import os
import unittest

from memsift import announcement
from memsift import conversation
from memsift.remote.pauses import Pause
from memsift.remote.pauses import Pauses
from tests.support import HomeTest

PAUSE = Pause("jev", "2026-11-30 04:25 UTC", "HTTP 401: the key is not known.", 1)
SILENT = ("found", "nothing", "no note", "no memory", "empty")


class Wording(unittest.TestCase):
    def test_what_since_when_why_what_now_and_how_to_resume(self):
        told = announcement.for_user(PAUSE)
        for part in ("memsift paused Jev", "2026-11-30 04:25 UTC", "HTTP 401: the key is not known. Until",
                     "embedded sorter judges", "turns wait", "To resume, type /memsift-resume in Claude Code",
                     "$memsift-resume in Codex"):
            self.assertIn(part, told)
        self.assertNotIn("\n", told)

    def test_outage_is_never_worded_as_nothing_found(self):
        for told in (announcement.for_user(PAUSE), announcement.for_agent(PAUSE)):
            self.assertEqual([word for word in SILENT if word in told.lower().replace("no note but", "")], [])

    def test_agent_is_told_that_it_is_for_the_user(self):
        told = announcement.for_agent(PAUSE)
        self.assertTrue(told.startswith(conversation.HEADER_START + " "))
        self.assertIn("message for the user, please pass it on", told)
        self.assertIn(announcement.for_user(PAUSE), told)

    def test_it_reads_as_no_note(self):
        self.assertEqual(conversation.given_ids(announcement.for_agent(PAUSE)), [])

    def test_every_service_has_words_of_its_own_and_any_other_is_named(self):
        for service, words in (("cognee", "paused Cognee, the long-term memory"), ("compactor", "paused the compactor"),
                               ("other", "paused other")):
            told = announcement.for_user(Pause(service, "2026-11-30 04:25 UTC", "HTTP 500", 2))
            self.assertIn(words, told)
            self.assertIn("HTTP 500", told)
            self.assertEqual([word for word in SILENT if word in told.lower()], [])


class Compactor(HomeTest):
    """No prompt calls it, and yet its pause is told at the next one, once."""

    def say(self, session):
        payload = self.payload("codex", "UserPromptSubmit", prompt="Which port?", session_id=session)
        return self.added(self.hook("codex", "prompt", payload,
                                    dict(self.environment, MEMSIFT_COMPACTOR_KEY="invented")))

    def test_its_pause_is_told_once_in_each_session_and_again_after_the_next_outage(self):
        pauses = Pauses(self.home.state)
        self.assertEqual(self.say("s1"), "")
        pauses.failed("compactor", 401, "the key is not known")
        for session in ("s1", "s2"):
            self.assertIn("memsift paused the compactor", self.say(session))
            self.assertEqual(self.say(session), "")
        pauses.resume("compactor")
        self.assertEqual(self.say("s3"), "")
        pauses.failed("compactor", 401, "again")
        self.assertIn("again", self.say("s1"))

    def test_one_that_is_not_set_any_more_is_not_told(self):
        os.mkdir(self.memsift_home)
        Pauses(self.home.state).failed("compactor", 401, "the key is not known")
        self.assertEqual(self.added(self.hook("codex", "prompt",
                                              self.payload("codex", "UserPromptSubmit", prompt="Which port?"))),
                         "")


if __name__ == "__main__":
    unittest.main()
