"""A small labelled conversation, and a sorter that says about it what it was told to say."""

import os

from memsift.judgement import PromptJudgement
from memsift.judgement import Thresholds
from memsift.judgement import TurnJudgement
from tests.support import kinds

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "acme_shop.json")
# The beginning of a prompt, and a word of the entries that are scored high for it.
WANTED = {"Run the tests": "cookie", "Which provider": "PayCo", "Add the payment": "BankLink", "And the same": "BankLink"}
KEPT = ("We go with", "Run the tests", "No, PayCo")


class AcmeSorter:
    """Finds what WANTED says, keeps the prompts of KEPT, misses the stock feed, and remembers what it was asked."""

    name = "scripted"
    thresholds = Thresholds(need=0.5, add=0.5, keep=0.5, sentence=0.5)

    def __init__(self):
        self.prompts = {}
        self.turns = []

    def judge_prompt(self, question, deadline=None):
        self.prompts[question.prompt] = question
        word = next((word for start, word in WANTED.items() if question.prompt.startswith(start)), "")
        scores = [0.9 if word and word in entry.text else 0.1 for entry in question.candidates]
        return PromptJudgement(kinds("past_choice" if word else "reaction"), scores, self.name)

    def judge_turn(self, question, deadline=None):
        self.turns.append(question)
        keep = 0.9 if question.prompts[0].startswith(KEPT) else 0.05
        return TurnJudgement({"keep": keep, "correction": 0.0, "nothing": 1 - keep},
                             [("developer", prompt, 0.9) for prompt in question.prompts], self.name)
