"""The sorter that needs no key and no network: linear models over words, shapes and closeness."""

from __future__ import annotations

import os
from math import exp
from math import log
from operator import mul

from memsift.judgement import MEMORY_KINDS
from memsift.judgement import PassageJudgement
from memsift.judgement import PassageQuestion
from memsift.judgement import PromptJudgement
from memsift.judgement import PromptQuestion
from memsift.judgement import Thresholds
from memsift.judgement import TurnJudgement
from memsift.judgement import TurnQuestion
from memsift.sorters.closeness import Background
from memsift.sorters.closeness import closest
from memsift.sorters.closeness import share_known
from memsift.sorters.features import features
from memsift.sorters.signs import ANSWER_LIMIT
from memsift.sorters.signs import prompt_marks
from memsift.sorters.signs import prompt_text
from memsift.sorters.signs import text_signs
from memsift.sorters.signs import turn_marks
from memsift.sorters.weights import LinearModel
from memsift.sorters.weights import Weights
from memsift.sorters.weights import unpack
from memsift.terms import focus

LEARNT_FROM = 20  # candidates of a prompt, at least
_FEW = 0.25  # of what chance alone would give: where there are few notes, none of them is the one more often, too
DATA_FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "local.weights")


class LocalSorter:
    """Judges with the weights of the data file, or those given; creation raises BadWeights or OSError."""

    name = "local"

    def __init__(self, weights: Weights | None = None) -> None:
        self.weights = weights or load()
        facts = self.weights.facts
        self.thresholds = Thresholds(**facts["thresholds"])
        self._kinds = LinearModel(self.weights, "kinds")
        self._lacks = LinearModel(self.weights, "lacks")
        self._turns = LinearModel(self.weights, "turns")
        self._corrects = LinearModel(self.weights, "corrects")
        self._sentences = LinearModel(self.weights, "sentences")
        self._background = Background(self.weights.tables["background"], facts["background_bits"])

    def judge_prompt(self, question: PromptQuestion, deadline: object = None) -> PromptJudgement:
        """Kinds of a prompt and, where memory may be needed, a score for each candidate; else none."""
        signs = prompt_signs(question)
        kinds = dict(zip(self._kinds.classes, _shares(self._kinds.margins(*signs))))
        need = sum(kinds[kind] for kind in MEMORY_KINDS)
        scores: list[float] = []
        if need >= self.thresholds.need and question.candidates:
            scores = self._scores(question, kinds, signs)
        return PromptJudgement(kinds=kinds, scores=scores, sorter=self.name)

    def _scores(self, question: PromptQuestion, kinds: dict[str, float],
                signs: tuple[list[list[str]], list[str]]) -> list[float]:
        bias, *weights = self.weights.tables["candidates"]
        lack = self._lacks.margins(*signs)[0]
        rows = features(question.prompt, question.recent, question.candidates, kinds, lack, self._background)
        # The weights come from memories of 20 notes and more. Of fewer, each is likelier to be the one that is meant.
        start = bias + _FEW * log(max(1.0, LEARNT_FROM / max(1, len(rows))))
        return [_chance(start + sum(map(mul, weights, row))) for row in rows]

    def judge_passages(self, question: PassageQuestion, deadline: object = None) -> PassageJudgement:
        """A score for each passage, as for the candidates of a prompt."""
        again = PromptQuestion(question.about.prompt, question.about.recent, candidates=question.passages)
        scores = self._scores(again, question.kinds, prompt_signs(again)) if question.passages else []
        return PassageJudgement(scores, self.name)

    def judge_turn(self, question: TurnQuestion, deadline: object = None) -> TurnJudgement:
        """Whether a turn taught anything, its sentences with scores, which note a correction replaces."""
        signs = turn_signs(question, self._background)
        worth, corrects = _chance(self._turns.margins(*signs)[0]), _chance(self._corrects.margins(*signs)[0])
        kinds = {"keep": worth * (1.0 - corrects), "correction": worth * corrects, "nothing": 1.0 - worth}
        replaces = ""
        if corrects >= 0.5:
            replaces = closest(" ".join(question.prompts), question.answer, question.notes, self._background)
        return TurnJudgement(kinds=kinds, sentences=self.scored_sentences(question), sorter=self.name,
                             replaces=replaces)

    def scored_sentences(self, question: TurnQuestion) -> list[tuple[str, str, float]]:
        """(who said it, sentence, probability that it carries the fact), in the order of the turn."""
        model = self._sentences
        from memsift.sorters.sentences import sentences  # a prompt has no use for it
        return [(sentence.said, sentence.text, _chance(model.margins(sentence.groups, sentence.marks)[0]))
                for sentence in sentences(question, self._background)]


def load(path: str = DATA_FILE) -> Weights:
    """The weights in a data file; raises BadWeights or OSError."""
    with open(path, "rb") as file:
        return unpack(file.read())


def prompt_signs(question: PromptQuestion) -> tuple[list[list[str]], list[str]]:
    """Text signs of a prompt, and its marks."""
    written = prompt_text(question.prompt)
    return [text_signs(written, "p")], prompt_marks(question.prompt, written, question.recent)


def turn_signs(question: TurnQuestion, background: Background) -> tuple[list[list[str]], list[str]]:
    """Text signs of the prompt and of the answer, and the marks of the turn."""
    prompt = "\n".join(question.prompts)
    written = prompt_text(prompt)
    groups = [text_signs(written, "p"), text_signs(focus(question.answer, ANSWER_LIMIT), "a", grams=False)]
    marks = turn_marks(question.prompts, question.answer, question.changes)
    marks += prompt_marks(prompt, written, question.recent)[1:]
    if question.notes:
        marks.append("known%d" % int(8 * share_known(prompt, question.answer, question.notes, background)))
    return groups, marks


def _shares(margins: list[float]) -> list[float]:
    top = max(margins)
    powers = [exp(margin - top) for margin in margins]
    total = sum(powers)
    return [power / total for power in powers]


def _chance(margin: float) -> float:
    return 1.0 / (1.0 + exp(-max(-60.0, min(60.0, margin))))


