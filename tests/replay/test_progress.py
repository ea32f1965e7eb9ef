import io
import unittest

from memsift.replay.progress import Progress


class Stream(io.StringIO):

    def __init__(self, terminal):
        super().__init__()
        self.terminal = terminal

    def isatty(self):
        return self.terminal


class ProgressTest(unittest.TestCase):

    def test_a_terminal_sees_how_far_it_is_and_no_trace_afterwards(self):
        stream = Stream(True)
        with Progress(stream) as progress:
            progress.tell("/somewhere/a1.json", 3, 80)
            self.assertIn("a1.json: 3 of 80", stream.getvalue())
        self.assertEqual(stream.getvalue().split("\r")[-1], "")

    def test_anything_else_sees_nothing(self):
        stream = Stream(False)
        with Progress(stream) as progress:
            progress.tell("a1.json", 3, 80)
        self.assertEqual(stream.getvalue(), "")
