import unittest

from memsift.compaction.wording import Saying
from memsift.compaction.wording import read

SAME = [
    ("We use PayCo.", "we use payco"), ("We use PayCo for the payments.", "We use PayCo for the payment"),
    ("We use PayCo for payments.", "We use PayCo for payments, its fees are lower."),
    ("don't use it", "Do not use it."), ("On utilise PayCo.", "on utilise PayCo"), ("La cl\u00e9 est longue", "la cle est longue"),
    ("Wir nutzen Redis nicht.", "wir nutzen Redis nicht"), ("\u30dd\u30fc\u30c8\u306f8443\u3067\u3059", "\u30dd\u30fc\u30c8\u306f8443\u3067\u3059\u3002"),
    ("\u041f\u043e\u0440\u0442 8443.", "\u043f\u043e\u0440\u0442 8443"),
]
DIFFERENT = [
    ("We use pnpm.", "We do not use pnpm."), ("We use pnpm.", "We use pnpm no longer."),
    ("The cart listens on port 8443.", "The cart listens on port 9443."),
    ("Staging 8443, production 9443.", "Staging 9443, production 8443."),
    ("We moved from redis to postgres.", "We moved to redis from postgres."),
    ("The checkout button is purple.", "The checkout button is cyan."), ("We use git.", "We use npm."),
    ("Redis\u4f7f\u7528", "Redis\u4e0d\u4f7f\u7528"), ("On utilise Redis.", "On n'utilise pas Redis."),
    ("Redis \u0438\u0441\u043f\u043e\u043b\u044c\u0437\u0443\u0435\u043c", "Redis \u043d\u0435 \u0438\u0441\u043f\u043e\u043b\u044c\u0437\u0443\u0435\u043c"), ("Wir nutzen Redis.", "Wir nutzen Redis nie."),
    ("See src/a/b.py.", "See src/a/c.py."), ("", "something"), ("We use the config.", "We use the configmap."),
    ("The server is small.", "The serverless is small."), ("We use it.", "We use it in the tests of the shop and of the mailer on Fridays"),
]


class Same(unittest.TestCase):
    def test_repetitions_in_any_of_the_languages(self):
        for text, other in SAME:
            self.assertTrue(Saying(text).is_in(Saying(other)), (text, other))

    def test_other_value_other_order_and_denial_are_no_repetition(self):
        for text, other in DIFFERENT:
            self.assertFalse(Saying(text).is_in(Saying(other)), (text, other))


class Words(unittest.TestCase):
    def test_numbers_names_and_paths_are_whole(self):
        found = [word.key for word in read("Postgres 16.2 in apps/back/src/x_y.ts: 7,90 \u20ac, --yes, C++, k7f3, v1.2.")]
        for word in ("16.2", "apps/back/src/x_y.ts", "7,90", "--yes", "c++", "k7f3", "v1.2"):
            self.assertIn(word, found)

    def test_denial_holds_for_its_clause(self):
        found = {word.key: word.is_denied for word in read("We don't use Redis, but Postgres.")}
        self.assertEqual((found["redis"], found["postgres"]), (True, False))


if __name__ == "__main__":
    unittest.main()
