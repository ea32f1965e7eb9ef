import unittest

from memsift.longterm import multipart
from tests.scripted_cognee import read_form
from tests.scripted_http import Request


def decode(content, body):
    return read_form(Request("POST / HTTP/1.1", {"content-type": content}, body))


class Form(unittest.TestCase):
    def test_what_goes_in_comes_out(self):
        texts = ["one", "", "line\r\nline\n\n--memsift--\r\n", "où 🛒", "--\r\nContent-Disposition: form-data; name=\"x\"\r\n\r\nfake"]
        fields, files = decode(*multipart.encode([("set", "a"), ("set", "b c")], [("data", "k%d.md" % number, text)
                                                                               for number, text in enumerate(texts)]))
        self.assertEqual(fields, {"set": ["a", "b c"]})
        self.assertEqual(files, [("k%d.md" % number, text) for number, text in enumerate(texts)])

    def test_name_cannot_end_its_quotes_or_its_line(self):
        _, body = multipart.encode([], [("data", 'a"\r\nX-Evil: 1\\.md', "text")])
        self.assertIn(b'filename="a___X-Evil: 1_.md"', body)
        self.assertNotIn(b"\nX-Evil", body)

    def test_files_are_markdown_and_half_an_emoji_stops_nothing(self):
        _, body = multipart.encode([], [("data", "a.md", "half \ud83d.")])
        self.assertIn(b"Content-Type: text/markdown", body)
        self.assertIn(b"half ?.", body)

    def test_no_two_forms_share_a_boundary(self):
        self.assertNotEqual(multipart.encode([], [])[0], multipart.encode([], [])[0])


if __name__ == "__main__":
    unittest.main()
