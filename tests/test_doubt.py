import unittest

from memsift import doubt

OPEN = [
    "thinking of webhooks instead of polling, not before summer", "delta patches maybe, only an idea for next year",
    "i was looking at a savings plan, but not before may", "Godot 4.5 is tempting", "just note it, nothing decided, undecided",
    "je pensais proposer Bancontact, pas maintenant", "envisag\u00e9 : lire le calendrier", "peut-\u00eatre plus tard",
    "vielleicht sp\u00e4ter, nur merken", "zstd reizt mich, lassen wir erstmal", "quiz\u00e1s luego", "talvez depois", "forse dopo",
]
DECIDED = [
    "We go with PayCo for payments, its fees are lower.", "staging listens on port 8443", "we do that later than the import",
    "the cron job runs not before 04:00", "wir nehmen Postgres", "on garde Colivrac", "usamos pnpm", "No, the port is 9443.",
]


class Doubt(unittest.TestCase):
    def test_option_and_choice(self):
        for text in OPEN:
            self.assertTrue(doubt.is_in(text), text)
        for text in DECIDED:
            self.assertFalse(doubt.is_in(text), text)

    def test_choice_settles_an_option_on_the_same_subject_only(self):
        option = "We could take PayCo or Stripo for payments."
        self.assertTrue(doubt.settles("We go with PayCo for payments, Stripo is too slow; take its fees as they are.", option))
        self.assertFalse(doubt.settles("We could never find the payments bug.", "Karpenter could replace the node groups."))
        self.assertFalse(doubt.settles("", option))


if __name__ == "__main__":
    unittest.main()
