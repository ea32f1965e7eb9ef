"""Precision and recall of each question over a grid of thresholds, and the threshold that they speak for."""

from memsift.decision import decide
from memsift.judgement import MEMORY_KINDS
from memsift.judgement import Thresholds
from tests.calibrate_cases import PromptCase
from tests.calibrate_cases import carrying

GRID = tuple(round(step * 0.05, 2) for step in range(1, 20))
FEW = 20  # with fewer cases where yes is right, a proposal is a guess
MOVED = ("need", "add", "keep", "sentence")  # thresholds that decide alone what is added or kept
NAMES = ("need", "add", "worth", "keep", "sentence")
_TITLES = {
    "need": ("needs memory", "the prompt may need memory (the sum of the six kinds)"),
    "add": ("note answers", "the note answers the prompt"),
    "worth": ("worth keeping", "the subject is worth asking the store"),
    "keep": ("turn is kept", "the turn taught something or corrected it"),
    "sentence": ("sentence", "the sentence of such a turn carries its fact"),
}


class Question:
    """One question: the scores that it got, each with whether yes is right, and the threshold in force, or None."""

    def __init__(self, name, present):
        self.name, self.present, self.scores = name, present, []

    @property
    def yes(self):
        return sum(right for _, right in self.scores)

    def row(self, threshold):
        """(picked, right, precision, recall); precision or recall is None where there is nothing to divide by."""
        picked = [right for score, right in self.scores if score >= threshold]
        right, yes = sum(picked), self.yes
        return len(picked), right, right / len(picked) if picked else None, right / yes if yes else None

    def grid(self):
        return sorted(set(GRID) | ({self.present} if self.present is not None else set()))

    def proposed(self, precision):
        """The threshold of the highest recall among those that are precise enough; of equal ones the best precision,
        then the one in their middle. None where none is precise enough."""
        rows = {threshold: self.row(threshold) for threshold in self.grid()}
        fit = {threshold: (row[3], row[2]) for threshold, row in rows.items() if row[1] and row[2] >= precision}
        best = [threshold for threshold, worth in fit.items() if worth == max(fit.values())]
        return best[(len(best) - 1) // 2] if best else None

    def report(self, precision):
        names = ("threshold", "picked", "right", "precision", "recall")
        rows = [dict(zip(names, (threshold,) + self.row(threshold))) for threshold in self.grid()]
        return {"judged": len(self.scores), "yes": self.yes, "present": self.present,
                "proposed": self.proposed(precision), "grid": rows}


def questions(cases, judgements, present):
    """All questions with their scores. `judgements`: by the position of the case."""
    found = {name: Question(name, getattr(present, name, None)) for name in NAMES}
    for number, judgement in sorted(judgements.items()):
        case = cases[number]
        if isinstance(case, PromptCase):
            found["need"].scores.append((sum(judgement.kinds[kind] for kind in MEMORY_KINDS), case.needs))
            found["add"].scores += [pair for pair in zip(judgement.scores, case.answering) if pair[0] is not None]
            found["worth"].scores += [(judgement.worth, case.worth)] if case.worth is not None else []
            continue
        found["keep"].scores.append((judgement.kinds["keep"] + judgement.kinds["correction"], case.keep))
        if case.fact:
            labels = carrying(case.fact, [text for _, text, _ in judgement.sentences])
            found["sentence"].scores += [(score, right) for (_, _, score), right in zip(judgement.sentences, labels)]
    return found


def together(cases, judgements, thresholds, limits):
    """What prompts would get: how many got notes, how many of them for nothing, reminders found and expected."""
    counts = {"added": 0, "for_nothing": 0, "found": 0, "expected": 0}
    for number, judgement in judgements.items():
        case = cases[number]
        if not isinstance(case, PromptCase):
            continue
        entries = case.question.candidates
        added = {entry.id for entry in decide(judgement, entries, set(), thresholds, limits).added}
        needed = {entry.id for entry, right in zip(entries, case.answering) if right}
        counts["added"] += bool(added)
        counts["for_nothing"] += bool(added) and not needed
        counts["found"] += bool(added & needed)
        counts["expected"] += bool(needed)
    return counts


def proposed(found, present, precision):
    """The present thresholds, with each proposal in its place; no label tells which dataset a prompt belongs into."""
    values = (found[name].proposed(precision) if name in found else None for name in Thresholds.__slots__)
    return Thresholds(*[getattr(present, name) if value is None else value
                        for name, value in zip(Thresholds.__slots__, values)])


# For people: at most 100 columns

def table(found, precision):
    """Both tables of a calibration."""
    asked = [question for question in found.values() if question.scores]
    proposals = {question.name: question.proposed(precision) for question in asked}
    lines = [" " * 9 + "".join("%17s" % _TITLES[question.name][0] for question in asked),
             "threshold" + "      prec.  rec." * len(asked)]
    for threshold in sorted({threshold for question in asked for threshold in question.grid()}):
        lines.append("%9.2f" % threshold + "".join(_cell(question, threshold, proposals) for question in asked))
    legend = "* in force   > proposed: the highest recall with a precision of at least %.0f %%" % (100 * precision)
    lines += ["", legend, "", "in force  proposed  judged     yes  question"]
    lines += [_summary(question, proposals[question.name]) for question in asked]
    return "\n".join(lines)


def _cell(question, threshold, proposals):
    marks = ("*" if threshold == question.present else "") + (">" if threshold == proposals[question.name] else "")
    _, _, precision, recall = question.row(threshold)
    return "%5s %5s %5s" % (marks, _percent(precision), _percent(recall))


def _percent(share):
    return "-" if share is None else "%.1f" % (100 * share)


def _summary(question, proposal):
    line = "%8s  %8s  %6d  %6d  %s" % (_threshold(question.present), _threshold(proposal), len(question.scores),
                                       question.yes, _TITLES[question.name][1])
    return line + (" (few!)" if question.yes < FEW else "")


def _threshold(value):
    return "-" if value is None else "%.2f" % value


def sentence(title, counts):
    """What `together` counted, in words."""
    return "%s: %d prompts get notes, %d of them for nothing; %d of %d that need one get it." % (
        title, counts["added"], counts["for_nothing"], counts["found"], counts["expected"])
