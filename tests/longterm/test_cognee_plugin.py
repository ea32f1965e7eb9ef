import os
import unittest

from memsift.longterm import cognee_plugin
from tests.support import HomeTest

URL = "http://localhost:8011"


class MintedKey(HomeTest):
    def put(self, text):
        path = cognee_plugin.key_file()
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def test_key_of_this_server(self):
        for address in ("http://localhost:8011", "http://localhost:8011/", "localhost:8011", "HTTP://LOCALHOST:8011"):
            self.put('{"base_url": "%s", "api_key": " invented\\n", "updated_at": "x"}' % address)
            self.assertEqual(cognee_plugin.minted_key(URL), "invented", address)

    def test_key_of_another_server_and_a_broken_file_are_none(self):
        for text in ('{"base_url": "http://localhost:8012", "api_key": "k"}', '{"api_key": "k"}', '{"base_url": "%s"}' % URL,
                     '{"base_url": "%s", "api_key": 5}' % URL, '{"base_url": "ftp://x", "api_key": "k"}', "", "{", "[]"):
            self.put(text)
            self.assertEqual(cognee_plugin.minted_key(URL), "", text)

    def test_without_a_file_or_a_home_there_is_none(self):
        self.assertEqual(cognee_plugin.minted_key(URL), "")
        os.makedirs(cognee_plugin.key_file())
        self.assertEqual(cognee_plugin.minted_key(URL), "")
        os.environ["HOME"] = "."
        self.assertEqual((cognee_plugin.key_file(), cognee_plugin.minted_key(URL)), ("", ""))


if __name__ == "__main__":
    unittest.main()
