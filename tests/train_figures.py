"""Measures a trained sorter on labelled conversations, and chooses its thresholds."""
from __future__ import annotations

import numpy

from memsift.block import HEADER
from memsift.block import line
from memsift.decision import BESIDE
from memsift.judgement import MEMORY_KINDS
from memsift.judgement import PromptQuestion
from tests.train_examples import turn_question

NOTHING_AT_MOST = 4.0  # of 64 prompts that need nothing, averaged over conversations
CHARACTERS_AT_MOST = 4_000  # added to 80 prompts, averaged over conversations
WRONG_AT_MOST = 0.15  # share of turns that taught nothing and are kept all the same
SENTENCE_FROM = 0.28
NOTES_AT_MOST = 3
ROOM = 1_500  # characters for one prompt


class Judged:
    """What the sorter thought of one labelled prompt and turn, trained on the other conversations."""

    def __init__(self, sorter, prompt):
        question = PromptQuestion(prompt.text, prompt.recent, "", prompt.candidates)
        judgement = sorter.judge_prompt(question)
        self.need = sum(judgement.kinds[kind] for kind in MEMORY_KINDS)
        self.kind = max(judgement.kinds, key=judgement.kinds.get)
        self.scores = judgement.scores
        self.lengths = [len(line(entry)) + 1 for entry in prompt.candidates]
        turn = sorter.judge_turn(turn_question(prompt))
        self.keep = turn.kinds["keep"] + turn.kinds["correction"]
        self.sentences = [score for _, _, score in turn.sentences]


def added(prompt, judged, need, add, given):
    """Ids that a session gets at a prompt."""
    if judged.need < need:
        return []
    chosen, room = [], ROOM - len(HEADER)
    order = sorted(range(len(judged.scores)), key=lambda i: -judged.scores[i])
    for i in order:
        entry, score = prompt.candidates[i], judged.scores[i]
        if score < max(add, BESIDE * judged.scores[order[0]]) or len(chosen) == NOTES_AT_MOST:
            break
        if entry.id not in given and judged.lengths[i] <= room:
            room -= judged.lengths[i]
            chosen.append(entry.id)
    return chosen


def reminders(examples, judged, names, need, add):
    """Per conversation on average: reminders found, prompts that got something for nothing, characters."""
    found = nothing = characters = 0
    for name in names:
        given, session = set(), ""
        for prompt, judgement in zip(examples.prompts[name], judged[name]):
            if prompt.session != session:
                given, session = set(), prompt.session
            chosen = added(prompt, judgement, need, add, given)
            given |= set(chosen)
            found += bool(set(chosen) & set(prompt.gold["needs"]))
            nothing += bool(chosen) and not prompt.gold["needs"]
            characters += sum(length for entry, length in zip(prompt.candidates, judgement.lengths) if entry.id in chosen)
            characters += len(HEADER) if chosen else 0
    return found / len(names), nothing / len(names), characters / len(names)


def kept(examples, judged, names, keep):
    """Share of the turns worth keeping that are kept, and of the others."""
    right = [j.keep >= keep for name in names for p, j in zip(examples.prompts[name], judged[name])
             if p.gold["turn"] != "nothing"]
    wrong = [j.keep >= keep for name in names for p, j in zip(examples.prompts[name], judged[name])
             if p.gold["turn"] == "nothing"]
    return sum(right) / len(right), sum(wrong) / len(wrong)


def choose_thresholds(examples, judged, names):
    """The thresholds that find most within what may be added or kept wrongly."""
    best = (-1.0, 0.0, 0.0)
    for need in (0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5):
        for add in numpy.arange(0.10, 0.50, 0.0025):
            found, nothing, characters = reminders(examples, judged, names, need, float(add))
            if nothing <= NOTHING_AT_MOST and characters <= CHARACTERS_AT_MOST and found > best[0]:
                best = (found, need, round(float(add), 4))
    keep = next(k / 400 for k in range(40, 400) if kept(examples, judged, names, k / 400)[1] <= WRONG_AT_MOST)
    return {"need": best[1], "add": best[2], "keep": keep, "sentence": SENTENCE_FROM}


def figures(examples, judged, names, thresholds):
    found, nothing, characters = reminders(examples, judged, names, thresholds["need"], thresholds["add"])
    right, wrong = kept(examples, judged, names, thresholds["keep"])
    pairs = [(p.gold["kind"], j.kind) for name in names for p, j in zip(examples.prompts[name], judged[name])]
    values = {"found_of_16": found, "for_nothing_of_64": nothing, "characters": characters, "kept": right,
              "kept_wrongly": wrong, "kind_right": sum(a == b for a, b in pairs) / len(pairs)}
    return {name: float("%.3g" % value) for name, value in values.items()}
