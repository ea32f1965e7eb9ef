"""Turns the labelled conversations into the rows that train_local.py learns from."""
from __future__ import annotations

import json
import os
import random
import re
from array import array
from zlib import crc32

import numpy
from scipy.sparse import csr_matrix
from scipy.sparse import vstack

from memsift.entry import Entry
from memsift.judgement import Message
from memsift.judgement import PromptQuestion
from memsift.judgement import TurnQuestion
from memsift.sorters import closeness
from memsift.sorters import features
from memsift.sorters import weights as weights_file
from memsift.sorters.local import prompt_signs
from memsift.sorters.local import turn_signs
from memsift.sorters.sentences import sentences
from memsift.terms import GRAM
from memsift.terms import terms

HERE = os.path.dirname(os.path.abspath(__file__))
CONVERSATIONS = os.path.join(HERE, "conversations")
EXTRA = os.path.join(HERE, "train_extra.json")
SEED = 20_261_130
BITS = {"kinds": 14, "lacks": 14, "turns": 18, "sentences": 13, "background": 14}
MARK_SHARES = {"kinds": 0.3, "lacks": 0.3, "turns": 0.13, "sentences": 0.3}
ARCHIVE_BEST = 20
FEW_NOTES = 6
FACT_SHARE = 0.25
RECENT_CHARACTERS = 12_000
_DATED = re.compile(r"(\d{4}-\d\d-\d\d)\s*:\s*(?=\S)")


class Prompt:
    """One labelled prompt with what a sorter would see of it."""

    def __init__(self, conversation, session, turn, recent, notes, archive):
        self.conversation, self.session, self.turn = conversation, session, turn
        self.text, self.gold, self.recent = turn["prompt"], turn["gold"], recent
        self.notes = notes
        self.candidates = notes + archive_best(self, archive)

    def needed(self, entries):
        return [entry.id in self.gold["needs"] for entry in entries]


def read_conversations():
    found = {}
    for name in sorted(os.listdir(CONVERSATIONS)):
        if name.endswith(".json"):
            with open(os.path.join(CONVERSATIONS, name), encoding="utf-8") as file:
                found[name] = json.load(file)
    return found


def labelled_prompts(name, conversation):
    """The prompts in order; notes are the gold facts of the sessions before."""
    archive = [archived(item) for item in conversation["cognee"]]
    notes, found = [], []
    for session in conversation["sessions"]:
        recent = []
        for turn in session["turns"]:
            around = archive + [archived(item) for item in session.get("archive", ())]
            found.append(Prompt(name, session["id"], turn, last(recent), list(notes), around))
            recent += [Message("developer", turn["prompt"]), Message("agent", turn["answer"])]
        for turn in session["turns"]:
            gold = turn["gold"]
            if gold["turn"] != "nothing":
                notes = [note for note in notes if note.id != gold["replaces"]]
                archive = [entry for entry in archive if entry.id != gold["replaces"]]
                mark = "correction" if gold["turn"] == "correction" else ""
                notes.append(Entry(turn["id"], session["day"], gold["fact"], turn=turn["id"], mark=mark))
    return found


def archived(item):
    dated = _DATED.match(item["text"])
    text = item["text"][dated.end():] if dated else item["text"]
    return Entry(item["id"], dated.group(1) if dated else "", text, place="archive")


def last(messages):
    """The end of a conversation, as long as the prompt hook reads it."""
    kept, room = [], RECENT_CHARACTERS
    for message in reversed(messages):
        if room <= 0:
            break
        kept.append(Message(message.role, message.text[-room:]))
        room -= len(message.text)
    return kept[::-1]


def archive_best(prompt, archive):
    """What a lexical search of the archive would bring."""
    plain = closeness.Background(bytes(1 << BITS["background"]), BITS["background"])
    near = closeness.Closeness(archive, plain)
    own = near.scores(near.query(prompt.text[-1_200:]))
    before = near.scores(near.query(" ".join(message.text[-1_200:] for message in prompt.recent[-2:])))
    order = sorted(range(len(archive)), key=lambda i: (-own[i] - 0.3 * before[i], archive[i].id))
    return [archive[i] for i in order[:ARCHIVE_BEST]]


# Background: how often terms occur

def term_rates(conversation):
    """Share of a conversation's texts in which each hashed term occurs."""
    texts = [item["text"] for item in conversation["cognee"]]
    for session in conversation["sessions"]:
        for turn in session["turns"]:
            texts += [turn["prompt"][:1_500], turn["answer"], turn["gold"]["fact"]]
    counts = numpy.zeros(1 << BITS["background"])
    for text in texts:
        counts[sorted(set(weights_file.slots(sorted(set(terms(text))), BITS["background"])))] += 1
    return counts / len(texts)


def background_table(rates):
    rarity = numpy.clip(-numpy.log(sum(rates) / len(rates) + numpy.exp(-8.0)), 0.0, 8.0)
    return array("B", numpy.clip(numpy.round((8.0 - rarity) * 32), 0, 255).astype(int).tolist())


def background_of(rates):
    return closeness.Background(background_table(rates).tobytes(), BITS["background"])


# Rows

def matrix(rows, name):
    """Rows of (groups of text signs, marks) as LinearModel weighs them."""
    places, values, ends = [], [], [0]
    for groups, marks in rows:
        row = {}
        for group, share in [(group, len(group) ** -0.5) for group in groups if group] + [
                (marks, MARK_SHARES[name])]:
            for slot in weights_file.slots(group, BITS[name]):
                row[slot] = row.get(slot, 0.0) + share
        places += row.keys()
        values += row.values()
        ends.append(len(places))
    return csr_matrix((values, places, ends), shape=(len(rows), 1 << BITS[name]))


def stack(parts):
    return vstack(parts).tocsr()


def prompt_row(text, recent):
    return prompt_signs(PromptQuestion(text, recent))


def turn_question(prompt):
    return TurnQuestion([prompt.text], prompt.turn["answer"], changes(prompt.turn["tools"]), prompt.recent,
                        prompt.candidates)


def changes(tools):
    """What the tool hook notes of a turn's tools."""
    found, failed = [], set()
    for tool in tools:
        command = tool.get("command", "")
        if tool["tool"] in ("Edit", "Write", "MultiEdit", "NotebookEdit"):
            found.append("edited " + tool.get("file", ""))
        elif "git commit" in command and tool.get("ok", True):
            found.append("committed: " + command)
        elif command and tool.get("ok") is False:
            failed.add(command)
            found.append("failed: " + command)
        elif command in failed:
            found.append("failed, then worked: " + command)
    return found


def labelled_sentences(question, fact, background):
    """Signs of each sentence of a turn worth keeping, and whether it carries much of the fact."""
    wanted = {term for term in terms(fact) if term[0] != GRAM}
    rarity = {term: 2.0 + value for term, value in background.rarity(sorted(wanted)).items()}
    whole = sum(rarity.values()) or 1.0
    found = sentences(question, background)
    shares = [sum(rarity[term] for term in sorted(wanted & set(terms(item.text)))) / whole for item in found]
    best = max(shares, default=1.0)
    carries = [share >= FACT_SHARE or share == best for share in shares]
    return [(item.groups, item.marks) for item in found], carries


def extra_turns(extra):
    for item in extra["turns"]:
        yield TurnQuestion([item["prompt"]], item["answer"], item["changes"]), item["turn"], item["fact"]


def extra_memories(extra):
    for item in extra["memories"]:
        entries = [Entry("n%d" % i, "2026-01-05", text, said="developer")
                   for i, text in enumerate(item["notes"])]
        yield item["prompt"], entries, [i in item["needed"] for i in range(len(entries))]


class Dialogues:
    """The rows of all dialogues together, which belong to no conversation: they stand in every fold."""

    def __init__(self, dialogues):
        prompts = [p for name, item in dialogues.items() for p in labelled_prompts(name, item)]
        background = background_of([term_rates(dialogue) for dialogue in dialogues.values()])
        self.prompt_rows = matrix([prompt_row(p.text, p.recent) for p in prompts], "lacks")
        self.lacking = [bool(p.gold["needs"]) for p in prompts]
        self.turn_rows = matrix([turn_signs(turn_question(p), background) for p in prompts], "turns")
        self.turns = [p.gold["turn"] for p in prompts]


class Examples:
    """All that training needs, worked out once per conversation."""

    def __init__(self, conversations, extra, dialogues):
        self.extra = extra
        self.dialogues = Dialogues(dialogues)
        self.rates = {name: term_rates(conversation) for name, conversation in conversations.items()}
        self.prompts = {name: labelled_prompts(name, item) for name, item in conversations.items()}
        self.turns = {name: [p.gold["turn"] for p in prompts] for name, prompts in self.prompts.items()}
        self.kind_rows, self.turn_rows, self.sentences, self.sets = {}, {}, {}, {}
        for name, prompts in self.prompts.items():
            background = background_of([rates for other, rates in self.rates.items() if other != name])
            self.kind_rows[name] = matrix([prompt_row(p.text, p.recent) for p in prompts], "kinds")
            self.turn_rows[name] = matrix([turn_signs(turn_question(p), background) for p in prompts], "turns")
            self.sentences[name] = [labelled_sentences(turn_question(p), p.gold["fact"], background)
                                    for p in prompts if p.gold["turn"] != "nothing"]
            self.sets[name] = [(i, near, p.needed(entries)) for i, p in enumerate(prompts)
                               for entries in variants(p)
                               for near in [features.near_rows(p.text, p.recent, entries, background)]]


def variants(prompt):
    """The candidates of a prompt, and smaller sets as young projects have them."""
    found = [prompt.candidates]
    if prompt.notes:
        found.append(prompt.notes)
    chance = random.Random(crc32((prompt.conversation + prompt.turn["id"]).encode()) ^ SEED)
    needed = [entry for entry in prompt.candidates if entry.id in prompt.gold["needs"]][:1]
    others = [entry for entry in prompt.candidates if entry.id not in prompt.gold["needs"]]
    few = needed + chance.sample(others, min(len(others), FEW_NOTES - len(needed)))
    found.append(sorted(few, key=lambda entry: entry.id))
    return found
