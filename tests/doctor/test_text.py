import unittest

from memsift.doctor import text
from memsift.doctor.finding import ADVICE
from memsift.doctor.finding import Report
from memsift.doctor.finding import Section


def report(problems=0, advice=0):
    section = Section("services")
    section.say("jev", "answers")
    for number in range(advice):
        section.find("Advice %d." % number, "It could be better.", "Do better.", ADVICE)
    for number in range(problems):
        section.find("Problem %d is here." % number, "Nothing works. " * 10,
                     "Set MEMSIFT_JEV_URL in /home/dev/" + "a-long-folder/" * 9 + ".env.")
    return Report([section])


class Rendering(unittest.TestCase):
    def test_headline_counts(self):
        self.assertEqual([text.headline(report(*counts)) for counts in ((0, 0), (1, 0), (2, 1), (0, 2))], [
            "memsift doctor: all is well.", "memsift doctor: 1 problem.", "memsift doctor: 2 problems, 1 piece of advice.",
            "memsift doctor: no problem, 2 pieces of advice."])

    def test_problems_come_first_and_facts_last(self):
        shown = text.render(report(1, 1))
        self.assertLess(shown.index("Problem 0"), shown.index("Advice 0"))
        self.assertLess(shown.index("Advice 0"), shown.index("services\n    jev: answers"))

    def test_lines_are_broken_between_words_only(self):
        shown = text.render(report(1), 80)
        self.assertIn("a-long-folder/" * 9 + ".env.", shown)
        self.assertTrue(all(len(line) <= 80 or "a-long-folder" in line for line in shown.splitlines()))

    def test_what_does_not_fit_is_counted(self):
        shown = text.render(report(30), 80, most=2_000)
        self.assertLessEqual(len(shown), 2_000)
        told = shown.count("    do:  ")
        self.assertIn("(%d more.)" % (30 - told), shown)

    def test_facts_go_before_findings(self):
        one = report(1)
        for number in range(99):
            one.sections[0].say("fact %d" % number, "is so")
        shown = text.render(one, 80, most=700)
        self.assertIn("Problem 0", shown)
        self.assertTrue(shown.endswith("(The facts are left out here: run doctor in a terminal to see them.)\n"), shown)


if __name__ == "__main__":
    unittest.main()
