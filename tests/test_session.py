import json
import os
import unittest

from memsift import lock
from memsift import session
from memsift.event import Event
from tests.support import HomeTest
from tests.support import make_repository


class Sessions(HomeTest):
    def event(self, name="s1", **facts):
        return Event("claude-code", "prompt", name, cwd=facts.pop("cwd", self.project), **facts)

    def edit(self, change=lambda state: None, **facts):
        with session.editing(self.home, self.event(**facts)) as state:
            change(state)
        return state

    def test_repository_is_fixed_when_the_session_starts(self):
        other = make_repository(os.path.join(self.folder, "other"))
        first = self.edit().repository
        for folder in (os.path.join(self.project, ".git"), other, "/", "/no/such/folder", ""):
            self.assertEqual(self.edit(cwd=folder).repository, first)

    def test_sessions_do_not_share_what_they_were_given(self):
        self.edit(lambda state: state.mark_added("t", ["k1"]), name="s1")
        self.assertEqual(self.edit(name="s2").added(), set())
        self.assertEqual(self.edit(name="s1").added(), {"k1"})

    def test_same_prompt_handed_in_twice_is_open_once(self):
        state = self.edit(lambda state: [state.open_prompt("t1", "x"), state.open_prompt("t1", "x")])
        self.assertEqual(state.take_prompts("t1"), ["x"])
        self.assertEqual(state.open, [])

    def test_prompts_of_other_turns_stay_open(self):
        state = self.edit(lambda state: [state.open_prompt("t1", "x"), state.open_prompt("t2", "y")])
        self.assertEqual((state.take_prompts("t2"), state.open_turns()), (["y"], ["t1"]))

    def test_compaction_forgets_what_was_given_but_to_the_prompt_in_flight(self):
        def fill(state):
            state.mark_added("t1", ["k1"])
            state.mark_added("t2", ["k2"])
            state.close("t1")
            state.close("t2")
        state = self.edit(fill)
        state.compacted("t2")
        self.assertEqual((state.added(), state.seen_turns()), ({"k2"}, {"s1/t2"}))
        state.compacted("")
        self.assertEqual((state.added(), state.seen_turns()), (set(), set()))

    def test_broken_file_is_set_aside_and_the_session_goes_on(self):
        self.edit()
        path = self.home.session("s1")
        with open(path, "w", encoding="utf-8") as file:
            file.write('{"open": [')
        self.assertTrue(self.edit().repository)
        with open(path + ".broken", encoding="utf-8") as file:
            self.assertEqual(file.read(), '{"open": [')

    def test_file_of_a_newer_version_keeps_what_this_one_does_not_know(self):
        self.edit()
        path = self.home.session("s1")
        with open(path, encoding="utf-8") as file:
            facts = json.load(file)
        facts.update(version=99, novelty={"a": 1}, added="not a list")
        with open(path, "w", encoding="utf-8-sig", newline="\r\n") as file:
            json.dump(facts, file)
        self.edit(lambda state: state.open_prompt("t", "x"))
        with open(path, encoding="utf-8") as file:
            facts = json.load(file)
        self.assertEqual((facts["version"], facts["novelty"], len(facts["open"])), (99, {"a": 1}, 1))

    def test_stuck_session_is_given_up_in_time(self):
        self.edit()
        with lock.held(self.home.session("s1")[:-5] + ".lock"):
            with self.assertRaises(lock.Locked):
                with session.editing(self.home, self.event(), seconds=0.05):
                    self.fail("the lock is not ours")

    def test_hostile_session_ids_stay_inside_the_folder(self):
        names = ["../../x", "a/b", "x" * 5_000, "nul\0nul", "..", ".", "-x", "\u2699", "con:aux", "a\nb"]
        for name in names:
            self.edit(name=name)
        self.assertEqual(sorted(os.listdir(self.user_home)), [".memsift"])
        self.assertEqual(sorted(os.listdir(self.memsift_home)), ["sessions"])
        self.assertEqual(sum(entry.endswith(".json") for entry in os.listdir(self.home.sessions)), len(names))

    def test_secrets_in_paths_are_not_written(self):
        secret = "ghp_" + "a1B2c3D4e5" * 4
        folder = make_repository(os.path.join(self.folder, secret))
        self.edit(cwd=folder, transcript="/t/%s.jsonl" % secret)
        for base, folders, names in os.walk(self.memsift_home):
            self.assertFalse([name for name in folders + names if secret in name])
            for name in names:
                with open(os.path.join(base, name), encoding="utf-8") as file:
                    self.assertNotIn(secret, file.read())

    def test_many_changes_are_bounded(self):
        def fill(state):
            for i in range(1_000):
                state.add_change("t", "edit", "file%d" % i)
        self.assertLessEqual(len(self.edit(fill).facts["changes"]), 200)

    def test_home_folder_is_no_project(self):
        self.assertEqual(self.edit(cwd=self.user_home).repository, "")


if __name__ == "__main__":
    unittest.main()
