import json
import unittest

from memsift.remote import service
from memsift.remote.service import Failed

KEY = "acme" + "shop" + "key"


class Told(unittest.TestCase):
    def test_message_is_found_in_every_shape_of_an_error(self):
        for content, said in (({"error": "busy"}, "busy"), ({"error": {"message": "busy"}}, "busy"), ({"message": "busy"}, "busy"),
                              ({"detail": "busy"}, "busy"), ({"detail": {"message": "busy"}}, "busy"),
                              ({"detail": [{"msg": "no query"}, {"loc": 1}, {"msg": "no name"}]}, "no query; no name"),
                              ({"error": "", "detail": " "}, ""), ([], ""), (None, ""), ("busy", "")):
            self.assertEqual(service.message(content), said, content)

    def test_line_has_no_secret_no_break_and_an_end(self):
        line = service.plain("refused\n\x1b[31m%s and sk-or-v1-%s %s" % (KEY, "a1b2c3d4" * 8, "x" * 9000), KEY)
        self.assertNotIn(KEY, line)
        self.assertNotIn("a1b2c3d4", line)
        self.assertTrue(line.isprintable())
        self.assertLessEqual(len(line), 300)

    def test_failure_is_one_line_with_status_and_duration(self):
        self.assertEqual(str(Failed(0, "no answer", None, 12.0)), "status=0 duration=12.000 no answer")


class Read(unittest.TestCase):
    def test_json_of_any_sort_and_nothing_for_what_is_none(self):
        self.assertEqual(service.parse(b"[1]"), [1])
        for body in (b"", b"<html>", b"\xff", b"[" * 100_000):
            self.assertIsNone(service.parse(body))

    def test_wait_in_any_form(self):
        for headers, seconds in (({"retry-after": "3"}, 3.0), ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5), ({}, None),
                                 ({"retry-after": "Mon, 01 Jan 2001 00:00:00 GMT"}, 0.0),
                                 ({"retry-after": "-1"}, None), ({"retry-after": "nan"}, None), ({"retry-after": "soon"}, None)):
            self.assertEqual(service.retry_after(headers), seconds, headers)

    def test_amounts(self):
        for value, is_amount in ((0, True), (1.5, True), (-1, False), (True, False), ("1", False), (None, False),
                                 (json.loads("Infinity"), False), (json.loads("NaN"), False)):
            self.assertIs(service.is_amount(value), is_amount, value)


if __name__ == "__main__":
    unittest.main()
