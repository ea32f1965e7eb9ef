import json
import os
import unittest

from memsift import hosts
from memsift import pending
from memsift import project
from memsift import switch
from tests.moments.test_road import FACT
from tests.moments.test_road import RoadTest


class SwitchTest(RoadTest):
    def setUp(self):
        super().setUp()
        self.name = project.identify(self.project, self.user_home).name

    def test_only_the_one_repository_is_off(self):
        switch.turn_off(self.home, self.name)
        self.assertEqual([switch.is_off(self.home, name) for name in (self.name, "other-0123456789")], [True, False])
        switch.turn_off(self.home, "other-0123456789")
        switch.turn_on(self.home, self.name)
        self.assertEqual([switch.is_off(self.home, name) for name in (self.name, "other-0123456789")], [False, True])
        switch.turn_on(self.home, "other-0123456789")
        self.assertFalse(os.path.exists(os.path.join(self.memsift_home, "off")))

    def test_nothing_is_noted_or_asked_while_it_is_off(self):
        switch.turn_off(self.home, self.name)
        for host in hosts.NAMES:
            self.send("session-start", host, source="startup", turn="")
            self.send("prompt", host, prompt=FACT, turn="t1")
            self.send("answer", host, last_assistant_message="Noted.", turn="t1")
            self.send("session-end", host, turn="")
        self.assertEqual((self.sorter.questions, self.started), ([], []))
        self.assertEqual([name for _, _, names in os.walk(self.memsift_home) for name in names], [self.name])  # off/REPO

    def test_broken_session_file_belongs_to_the_folder_that_the_event_names(self):
        for repository, is_off in ((self.name, True), ("other-0123456789", False)):
            switch.turn_off(self.home, repository)
            with open(self.home.session("s1"), "w", encoding="utf-8") as file:
                file.write("{broken")
            self.send("prompt", prompt=FACT, turn="t1")
            self.assertEqual(bool(self.sorter.questions), not is_off)
            switch.turn_on(self.home, repository)

    def test_turns_of_the_time_when_it_was_off_are_not_made_up_for(self):
        record = os.path.join(self.folder, "record.jsonl")
        with open(record, "w", encoding="utf-8") as file:
            for number, said in enumerate(("We use Postgres.", "We sell in March.", "We buy in June.", FACT, "Carts expire.")):
                file.write(json.dumps({"type": "user", "promptId": "t%d" % number, "promptSource": "typed",
                                       "message": {"role": "user", "content": said}}) + "\n")
        where = {"transcript_path": record}
        self.turn("We use Postgres.", "t0", **where)
        switch.turn_off(self.home, self.name)
        for turn in ("t1", "t2"):
            self.send("prompt", prompt="ignored", turn=turn, **where)
            self.send("answer", last_assistant_message="Noted.", turn=turn, **where)
        switch.turn_on(self.home, self.name)
        self.turn(FACT, "t3", **where)
        self.turn("Carts expire.", "t4", **where)
        self.assertEqual([note.text for note in self.notes()], ["We use Postgres.", FACT, "Carts expire."])
        self.assertEqual(pending.read(self.home, self.name), [])


if __name__ == "__main__":
    unittest.main()
