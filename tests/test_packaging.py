"""The commands and skills that the hosts offer."""

import os
import re
import unittest

from memsift.event import REQUESTS
from tests.support import ROOT


def read(*names):
    with open(os.path.join(ROOT, *names), encoding="utf-8") as file:
        return file.read()


def facts(text):
    """The lines between the dashes at the beginning of a file."""
    return dict(line.split(": ", 1) for line in text.split("---\n")[1].splitlines())


class Packaging(unittest.TestCase):
    def test_each_request_is_a_command_in_claude_code_and_a_skill_in_codex(self):
        names = ["memsift-" + request for request in REQUESTS]
        self.assertEqual(sorted(os.listdir(os.path.join(ROOT, "commands"))), sorted(name + ".md" for name in names))
        self.assertEqual(sorted(os.listdir(os.path.join(ROOT, "skills"))), sorted(names))
        for name in names:
            for text in (read("commands", name + ".md"), read("skills", name, "SKILL.md")):
                self.assertEqual(facts(text)["name"], name)
                self.assertGreater(len(facts(text)["description"]), 30)

    def test_no_agent_may_use_them_by_itself(self):
        for request in REQUESTS:
            name = "memsift-" + request
            for text in (read("commands", name + ".md"), read("skills", name, "SKILL.md")):
                self.assertEqual(facts(text)["disable-model-invocation"], "true")
            self.assertRegex(read("skills", name, "agents", "openai.yaml"),
                             r"policy:\n  allow_implicit_invocation: false\n")

    def test_skill_without_its_plugin_says_how_to_install_it_as_the_readme_does(self):
        section = re.search(r"(?ms)^## Install$(.*?)^## ", read("README.md")).group(1)
        commands = re.findall(r"(?m)^    ((?:claude|codex) plugin .+)$", section)
        self.assertEqual(len(commands), 5)
        for request in REQUESTS:
            for command in commands:
                self.assertIn(command, read("skills", "memsift-" + request, "SKILL.md"))

    def test_they_name_the_words_with_which_the_report_begins(self):
        request = read("memsift", "moments", "request.py")
        self.assertIn('"%s the report of memsift\'s %s, which', request)
        for name in REQUESTS:
            for text in (read("commands", "memsift-%s.md" % name), read("skills", "memsift-" + name, "SKILL.md")):
                self.assertIn("memsift: the report of memsift's %s" % name, " ".join(text.split()))


if __name__ == "__main__":
    unittest.main()
