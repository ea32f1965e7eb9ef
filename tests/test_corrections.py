import unittest

from memsift import corrections
from memsift import keeping
from memsift.decision import Limits
from memsift.decision import decide
from memsift.entry import Entry
from memsift.judgement import PromptJudgement
from memsift.judgement import Thresholds
from memsift.judgement import TurnJudgement
from tests.support import kinds

OLD = Entry("k1", "2026-11-01", "Staging listens on port 8443.", said="developer", turn="s0/t0")
EDIT, COMMIT = {"what": "edit", "text": "deploy.yml"}, {"what": "commit", "text": "Move staging"}
THRESHOLDS = Thresholds(need=0.5, add=0.5, keep=0.5, sentence=0.5)


def row(turn="t1", session="s1", changes=(), prompts=("x",), end="answered", **more):
    return dict({"id": "%s/%s" % (session, turn), "session": session, "turn": turn, "date": "2026-11-30", "end": end,
                 "prompts": list(prompts), "changes": list(changes)}, **more)


def correction(changes=(), prompts=("No, staging listens on port 9443.",), said="developer"):
    """The note of a turn that corrects OLD."""
    judged = TurnJudgement({"keep": 0.1, "correction": 0.8, "nothing": 0.1}, [(said, text, 0.9) for text in prompts],
                           "scripted", replaces="k1")
    return keeping.decide(judged, THRESHOLDS, row(changes=changes, prompts=prompts), [OLD]).note


def follow(note, *prompts, changes=(), turn="t2", session="s1", end="answered", denied=""):
    """The correction after a later turn."""
    changed = corrections.follow([note], [note, OLD], row(turn, session, changes, prompts, end), list(prompts), denied)
    return changed[0] if changed else note


def added(*candidates):
    """What a prompt about all of these notes gets."""
    shown = corrections.shown(list(candidates))
    judgement = PromptJudgement(kinds("past_choice"), [0.9] * len(shown), "scripted")
    return decide(judgement, shown, set(), THRESHOLDS, Limits(5, 3000)).context


class Beginning(unittest.TestCase):
    def test_correction_without_proof_waits(self):
        note = correction()
        self.assertEqual((note.mark, note.replaces), ("pending", "k1"))

    def test_edit_or_commit_in_its_own_turn_proves_it(self):
        for change in (EDIT, COMMIT):
            self.assertEqual(correction([change]).mark, "correction")
        self.assertEqual(correction([{"what": "failed", "text": "make"}]).mark, "pending")

    def test_edit_in_a_turn_of_several_prompts_may_have_come_before_it(self):
        self.assertEqual(correction([EDIT], ("Change the port.", "No, staging listens on port 9443.")).mark, "pending")


class Following(unittest.TestCase):
    def test_edit_or_commit_that_follows_confirms(self):
        for change in (EDIT, COMMIT):
            self.assertEqual(follow(correction(), "go ahead", changes=[change]).mark, "correction")

    def test_turns_that_go_on_confirm(self):
        first = follow(correction(), "now the mail server")
        self.assertEqual(first.mark, "pending")
        self.assertEqual(follow(first, "and the logs", turn="t3").mark, "correction")

    def test_turn_handed_in_twice_counts_once(self):
        first = follow(correction(), "now the mail server")
        self.assertEqual(follow(first, "now the mail server"), first)
        own = corrections.follow([correction()], [OLD], row("t1"), ["x"], "")
        self.assertEqual(own, [])

    def test_other_sessions_broken_off_turns_and_silence_prove_nothing(self):
        note = correction()
        for moved in (follow(note, "x", session="s2", changes=[EDIT]), follow(note, "x", end="interrupted", changes=[EDIT]),
                      follow(note, changes=[EDIT])):
            self.assertEqual((moved.mark, moved.passed), ("pending", []))

    def test_taken_back(self):
        for prompt in ("Sorry, my mistake, staging listens on port 8443 after all.", "scratch that", "no wait, I was wrong",
                       "forget it", "oublie, c'\u00e9tait bon", "Je me suis tromp\u00e9, c'est bien le 8443 pour staging",
                       "vergiss das", "ich lag falsch, staging ist 8443", "me equivoqu\u00e9", "mi sono sbagliato",
                       "esquece, me enganei", "laat maar"):
            with self.subTest(prompt=prompt):
                self.assertEqual(follow(correction(), prompt, changes=[EDIT]).mark, "withdrawn")

    def test_not_taken_back(self):
        for prompt in ("now update the README", "forget about the linter for the release of the mobile app in the spring, "
                       "and write the change log for the customers", "and what was right about the mailer?",
                       "oui, mets \u00e0 jour la doc", "ja, und jetzt die Doku", "is 8443 still open in the firewall?"):
            with self.subTest(prompt=prompt):
                self.assertEqual(follow(correction(), prompt).mark, "pending")

    def test_in_another_session_only_what_the_sorter_says_is_about_it_takes_it_back(self):
        prompt = "I was wrong, staging listens on 8443."
        self.assertEqual(follow(correction(), prompt, session="s2").mark, "pending")
        self.assertEqual(follow(correction(), prompt, session="s2", denied=correction().id).mark, "withdrawn")

    def test_correction_of_a_correction_leaves_the_first_one_waiting(self):
        moved = follow(correction(), "No, it is 9444.", denied=correction().id)
        self.assertEqual((moved.mark, moved.passed), ("pending", []))

    def test_what_a_turn_took_back_is_known_when_the_turn_is_sorted_again(self):
        gone = follow(correction(), "scratch that")
        for working, changed in (([OLD, correction()], [gone]), ([OLD, gone], [])):
            self.assertEqual([note.id for note in corrections.taken_back(working, changed, row("t2"))], [gone.id, "k1"])
        self.assertEqual(corrections.taken_back([OLD, gone], [], row("t3")), [])

    def test_turn_that_takes_back_leaves_no_note_unless_it_says_something_new(self):
        judged = TurnJudgement({"keep": 0.1, "correction": 0.8, "nothing": 0.1},
                               [("developer", "Sorry, staging listens on port 8443 after all.", 0.9)], "scripted")
        gone = [correction(), OLD]
        self.assertEqual(keeping.decide(judged, THRESHOLDS, row("t2"), [], gone).notes, [])
        judged.sentences = [("developer", "Sorry, I meant the proxy: Caddy listens on port 9443.", 0.9)]
        self.assertEqual(len(keeping.decide(judged, THRESHOLDS, row("t2"), [], gone).notes), 1)


class Expiring(unittest.TestCase):
    def test_developers_last_word_stands_and_the_agents_replaces_nothing(self):
        by_developer, by_agent = correction(), correction().but(said="agent")
        self.assertEqual(corrections.expired([by_developer], "2026-12-06"), [])
        over, alone = corrections.expired([by_developer, by_agent], "2026-12-07")
        self.assertEqual((over.mark, over.replaces), ("correction", "k1"))
        self.assertEqual((alone.mark, alone.replaces), ("", ""))

    def test_none_waits_for_ever(self):
        for date in ("", "never", "2026-13-01"):
            self.assertEqual(len(corrections.expired([correction().but(date=date)], "2026-11-30")), 1)

    def test_only_what_waits_expires(self):
        self.assertEqual(corrections.expired([OLD, follow(correction(), "scratch that")], "2030-01-01"), [])


class Shown(unittest.TestCase):
    """What the agent is told of a corrected note at each point."""

    def test_while_it_waits_neither_line_is_told_as_the_truth(self):
        told = added(OLD, correction())
        self.assertIn("No, staging listens on port 9443. (a correction that is not confirmed yet; before, the note said: "
                      "Staging listens on port 8443.)", told)
        self.assertNotIn("[k1]", told)
        self.assertIn("(a correction that is not confirmed yet)", added(correction()))

    def test_confirmed_the_new_line_alone(self):
        told = added(OLD, follow(correction(), "x", changes=[EDIT]))
        self.assertIn("2026-11-30: No, staging listens on port 9443.", told)
        self.assertNotIn("8443", told)

    def test_taken_back_the_old_line_alone(self):
        told = added(OLD, follow(correction(), "scratch that"))
        self.assertIn("[k1] 2026-11-01: Staging listens on port 8443.", told)
        self.assertNotIn("9443", told)

    def test_expired_word_of_the_agent_beside_the_old_line(self):
        alone, = corrections.expired([correction().but(said="agent")], "2026-12-30")
        told = added(OLD, alone)
        self.assertIn("8443", told)
        self.assertIn("9443", told)

    def test_long_old_line_is_shortened(self):
        long = OLD.but(text="Staging " + "listens " * 100)
        self.assertLess(len(added(long, correction())), 700)


if __name__ == "__main__":
    unittest.main()
