import os
import unittest

from memsift import card
from tests.support import HomeTest


class Card(HomeTest):
    def write(self, content):
        with open(os.path.join(self.project, card.NAME), "wb") as file:
            file.write(content)

    def test_missing_unreadable_or_a_link_is_no_card(self):
        self.assertEqual((card.read(self.project), card.read("")), ("", ""))
        path = os.path.join(self.project, card.NAME)
        os.symlink("/etc/passwd", path)
        self.assertEqual(card.read(self.project), "")
        os.unlink(path)
        os.mkdir(path)
        self.assertEqual(card.read(self.project), "")

    def test_text_without_byte_order_mark_secret_and_excess(self):
        secret = "ghp_" + "a1B2c3D4e5" * 4
        self.write(b"\xef\xbb\xbf# acme-shop\r\nSells things. " + secret.encode() + b" and more" * 5_000)
        text = card.read(self.project)
        self.assertTrue(text.startswith("# acme-shop"))
        self.assertNotIn(secret, text)
        self.assertLess(len(text), card.LONGEST + 100)


if __name__ == "__main__":
    unittest.main()
