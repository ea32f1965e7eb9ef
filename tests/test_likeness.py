import unittest

from memsift.likeness import says_the_same
from memsift.likeness import share
from memsift.likeness import words

# new, old, whether the new text adds nothing to the old one
PAIRS = [
    ("We go with PayCo.", "we go with payco, its fees are lower", True),
    ("we go with payco, its fees are lower", "We go with PayCo.", False),
    ("The port is 8443.", "The port is 8443.", True),
    ("The port of the staging proxy in the new cluster is 8443.",
     "The port of the staging proxy in the new cluster is 9443.", False),
    ("Upgrade to 2.14.3 before you run the export job again.",
     "Upgrade to 2.14.4 before you run the export job again.", False),
    ("The export job of the shop may not run twice a night.",
     "The export job of the shop may run twice a night.", False),
    ("Der Export darf in der Nacht keine zwei Mal laufen im Shop",
     "Der Export darf in der Nacht zwei Mal laufen im Shop", False),
    ("caf\u00e9 cr\u00e8me", "CAFE CREME", True),
    ("\u6c7a\u6e08\u306fPayPay", "\u6c7a\u6e08\u306fPayPay\u3067\u3059", True),
    ("max_cart_items", "the limit max_cart_items is 50", True),
    ("", "anything", False), ("!!! ...", "anything", False), ("anything", "", False),
]


class Likeness(unittest.TestCase):
    def test_table_of_pairs(self):
        for new, old, same in PAIRS:
            with self.subTest(new=new, old=old):
                self.assertEqual(says_the_same(words(new), words(old)), same)

    def test_share_goes_from_nothing_to_all(self):
        whole = words("one two three four")
        for text, expected in (("one two", 1.0), ("one five", 0.5), ("five", 0.0), ("", 0.0)):
            self.assertEqual(share(words(text), whole), expected)


if __name__ == "__main__":
    unittest.main()
