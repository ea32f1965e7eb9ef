"""What the local sorter looks at in the sentences of a turn."""

from __future__ import annotations

from math import log

from memsift.judgement import TurnQuestion
from memsift.prose import typed
from memsift.sentences import split_sentences
from memsift.sorters.closeness import Background
from memsift.sorters.signs import size
from memsift.sorters.signs import text_signs
from memsift.terms import GRAM
from memsift.terms import NUMBER
from memsift.terms import focus
from memsift.terms import terms

TEXT_LIMIT = 4_000
SENTENCES_AT_MOST = 60


class Sentence:
    """One sentence of a turn, and what a linear model sees of it."""

    __slots__ = ("said", "text", "groups", "marks")

    def __init__(self, said: str, text: str, marks: list[str]) -> None:
        self.said = said
        self.text = text
        self.groups = [text_signs(text, said[0], grams=False)]
        self.marks = marks


def sentences(question: TurnQuestion, background: Background) -> list[Sentence]:
    """The sentences of the developer, then those of the agent, in their order."""
    prompt = typed(focus("\n".join(question.prompts), TEXT_LIMIT))
    answer = focus(question.answer, TEXT_LIMIT)
    sides = [("developer", split_sentences(prompt)[-SENTENCES_AT_MOST:], set(terms(answer))),
             ("agent", split_sentences(answer)[-SENTENCES_AT_MOST:], set(terms(prompt)))]
    weighed = [(said, [_weigh(text, other, background) for text in texts], texts)
               for said, texts, other in sides]
    heaviest = sorted((mass for _, masses, _ in weighed for mass, _ in masses), reverse=True)
    found = []
    for said, masses, texts in weighed:
        for place, text in enumerate(texts):
            mass, echoed = masses[place]
            marks = _shape_marks(said, text, place, len(texts))
            marks += ["mass%d" % int(2 * log(mass + 1.0)), "rank%d" % min(9, heaviest.index(mass)),
                      "echo-%s%d" % (said, int(5 * echoed))]
            found.append(Sentence(said, text, marks))
    return found


def _weigh(text: str, other: set[str], background: Background) -> tuple[float, float]:
    """How much a sentence says, in rarity of its terms, and the share of it that the other side says too."""
    plain = {term for term in terms(text) if term[0] != GRAM}
    rarity = background.rarity(sorted(plain))
    mass = sum(rarity.values()) + 2.0 * len(rarity)
    shared = sum(rarity[term] + 2.0 for term in sorted(plain & other))
    return round(mass, 3), shared / mass if mass else 0.0


def _shape_marks(said: str, text: str, place: int, count: int) -> list[str]:
    """The shape of a sentence and where it stands in the prompt or the answer."""
    marks = ["bias:" + said, "len%d" % size(len(text) // 12)]
    marks.append("%s-%d-of%d" % (said, size(place), size(count)))
    marks.append("%s-place%d" % (said, int(4 * place / count)))
    marks.append("numbers%d" % size(sum(term[0] == NUMBER for term in terms(text))))
    marks += ["code"] if "`" in text else []
    marks += ["asks:" + said] if "?" in text else []
    marks += ["colon"] if text.rstrip().endswith(":") else []
    return marks
