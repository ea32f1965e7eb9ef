"""Recorded requests and answers (MEMSIFT_RECORD=1), decided again with other thresholds; nothing is sent."""

import json
import re

from memsift import keeping
from memsift.decision import decide
from memsift.entry import Entry
from memsift.judgement import KINDS
from memsift.judgement import PromptJudgement
from memsift.judgement import Thresholds
from memsift.judgement import TurnJudgement
from memsift.remote.service import Failed
from memsift.remote.systemone import Answers
from memsift.sorters import questions
from memsift.sorters.jev import TURN_KINDS
from tests.calibrate_figures import GRID
from tests.calibrate_figures import MOVED

_LONGEST_TEXT = 90


def _pattern(template):
    return re.compile(re.escape(template).replace("%s", "(.*?)"), re.DOTALL)


_NOTE, _SENTENCE = _pattern(questions.ANSWERS), _pattern(questions.SENTENCE)


class OtherQuestions(Exception):
    """The record asks something else than this version does."""


class RecordedPrompt:
    """A prompt, its candidates, and what the judge answered."""

    def __init__(self, state, asked, answers):
        self.text = state["prompt"]
        self._entries = [Entry(id, "", _quoted(_NOTE, question)[0]) for id, question in asked.items()
                         if id not in ("kind", "worth")]
        scores = [answers.noul(entry.id) for entry in self._entries]
        self._judgement = PromptJudgement(answers.choice("kind", KINDS), scores, "jev")

    def decide(self, thresholds, limits):
        """The texts of the notes that the prompt gets."""
        return [entry.text for entry in decide(self._judgement, self._entries, set(), thresholds, limits).added]


class RecordedTurn:
    """A turn, its sentences, and what the judge answered."""

    def __init__(self, state, asked, answers):
        self.text = "\n".join(state["prompts"])
        found = [(id, _quoted(_SENTENCE, question)) for id, question in asked.items() if id.startswith("s")]
        sentences = [(said, text, answers.noul(id)) for id, (said, text) in found]
        self._judgement = TurnJudgement(answers.choice("kind", TURN_KINDS), sentences, "jev")

    def decide(self, thresholds, limits):
        """The text that is kept, in a list of at most one."""
        outcome = keeping.decide(self._judgement, thresholds, {"id": self.text}, [])
        return [outcome.note.text] if outcome.note else []


def _quoted(pattern, question):
    found = pattern.fullmatch(question["instructions"])
    if not found:
        raise OtherQuestions
    return found.groups()


class Recording:
    """The usable records of a file, the models that answered them, and how many lines were of no use."""

    def __init__(self, path):
        self.records, self.models, self.useless = [], {}, 0
        with open(path, encoding="utf-8", errors="replace") as file:
            for line in filter(str.strip, file):
                try:
                    facts = json.loads(line)
                    kind = RecordedTurn if "prompts" in facts["state"] else RecordedPrompt
                    self.records.append(kind(facts["state"], facts["questions"], Answers(facts["answers"])))
                except (ValueError, TypeError, KeyError, AttributeError, RecursionError, Failed, OtherQuestions):
                    self.useless += 1
                    continue
                model = str(facts.get("model") or "unnamed")
                self.models[model] = self.models.get(model, 0) + 1

    def changes(self, present, tried, limits):
        """What would be decided otherwise: one plain object for each such prompt or turn."""
        found = []
        for record in self.records:
            before, after = record.decide(present, limits), record.decide(tried, limits)
            if before != after:
                found.append({"of": "turn" if isinstance(record, RecordedTurn) else "prompt", "text": record.text,
                              "before": before, "after": after})
        return found

    def counts(self, present, limits):
        """For each threshold moved alone: {name: [(value, how many get notes or are kept, decisions changed)]}."""
        found = {}
        for name in MOVED:
            wanted = RecordedPrompt if name in ("need", "add") else RecordedTurn
            records = [record for record in self.records if isinstance(record, wanted)]
            before = [record.decide(present, limits) for record in records]
            for value in sorted(set(GRID) | {getattr(present, name)}):
                after = [record.decide(replaced(present, {name: value}), limits) for record in records]
                changed = sum(old != new for old, new in zip(before, after))
                found.setdefault(name, []).append((value, sum(map(bool, after)), changed))
        return found


def replaced(thresholds, values):
    """The thresholds with those of `values` that are not None in their place."""
    mine = {name: getattr(thresholds, name) for name in Thresholds.__slots__}
    mine.update((name, value) for name, value in values.items() if value is not None)
    return Thresholds(**mine)


# For people: at most 100 columns

def summary(recording):
    turns = sum(isinstance(record, RecordedTurn) for record in recording.records)
    models = ", ".join("%s (%d)" % pair for pair in sorted(recording.models.items())) or "nothing"
    return ("%d prompts and %d turns, answered by %s; %d lines of no use here. Nothing is sent.\n"
            "What the agent had seen already is not recorded: here it counts as unseen."
            % (len(recording.records) - turns, turns, models, recording.useless))


def count_table(counts, present):
    titles = {"need": "prompts that", "add": "prompts that", "keep": "turns", "sentence": "turns"}
    names = {"need": "get notes", "add": "get notes", "keep": "kept", "sentence": "kept"}
    lines = [" " * 9 + "".join("%20s" % ("--%s" % name) for name in counts),
             " " * 9 + "".join("%12s changed" % titles[name] for name in counts),
             "threshold" + "".join("%12s        " % names[name] for name in counts).rstrip()]
    rows = {name: {value: rest for value, *rest in found} for name, found in counts.items()}
    for value in sorted({value for found in rows.values() for value in found}):
        cells = ["%3s%9d%8d" % ("*" if value == getattr(present, name) else "", *rows[name][value])
                 if value in rows[name] else " " * 20 for name in counts]
        lines.append("%9.2f" % value + "".join(cells).rstrip())
    return "\n".join(lines + ["", "* in force; each threshold is moved alone"])


def change_list(changes):
    lines = ["%d decisions would change." % len(changes)]
    for change in changes:
        lines.append("%s: %s" % (change["of"], _cut(change["text"])))
        lines += ["  - %s" % _cut(text) for text in change["before"] if text not in change["after"]]
        lines += ["  + %s" % _cut(text) for text in change["after"] if text not in change["before"]]
    return "\n".join(lines)


def _cut(text):
    """The beginning of a text on one line, without anything that a terminal would obey."""
    text = " ".join("".join(character if character.isprintable() else " " for character in text).split())
    return text if len(text) <= _LONGEST_TEXT else text[:_LONGEST_TEXT - 3].rstrip() + "..."
