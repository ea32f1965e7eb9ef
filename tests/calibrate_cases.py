"""What a judge is asked for a calibration, and what it should answer.

Read from labelled conversations or from the user's own file.
"""

import json
import os
import tempfile

from memsift import candidates
from memsift import commit
from memsift import redact
from memsift.archive.archive import Archive
from memsift.conversation import LONGEST_PROMPT
from memsift.conversation import Conversation
from memsift.entry import Entry
from memsift.excerpt import ending
from memsift.excerpt import excerpt
from memsift.judgement import KINDS
from memsift.judgement import MEMORY_KINDS
from memsift.judgement import Message
from memsift.judgement import PromptQuestion
from memsift.judgement import TurnQuestion
from memsift.likeness import share
from memsift.likeness import words
from memsift.replay import reading
from memsift.replay.recording import COMMAND
from memsift.replay.recording import EDIT
from memsift.replay.recording import TAUGHT
from memsift.replay.recording import BadRecording
from memsift.sorters.jev import TURN_KINDS
from memsift.terms import NUMBER

RECENT_CHARACTERS = 12_000  # as much as the prompt hook reads of a conversation
FACT_SHARE = 0.25  # of the words of a fact: a sentence with so many of them carries it
_LARGEST_FILE = 64_000_000


class PromptCase:
    """A prompt; whether it needs memory, which candidates answer it, whether its subject is worth keeping, or None."""

    def __init__(self, question, needs, answering, worth=None):
        self.question, self.needs, self.answering, self.worth = question, needs, answering, worth

    def judge(self, sorter, deadline):
        return sorter.judge_prompt(self.question, deadline)


class TurnCase:
    """A turn, whether it is worth keeping, and the fact that it taught, or ""."""

    def __init__(self, question, keep, fact=""):
        self.question, self.keep, self.fact = question, keep, fact

    def judge(self, sorter, deadline):
        return sorter.judge_turn(self.question, deadline)


def read(path):
    """The cases of a file, those of one prompt together in a list. Raises BadRecording with a sentence, or OSError."""
    if os.path.getsize(path) <= _LARGEST_FILE:
        with open(path, encoding="utf-8-sig", errors="replace") as file:
            if file.read(4_096).lstrip().startswith("["):
                file.seek(0)
                return _read_own(path, file.read())
    recording = reading.read(path)
    if not recording.is_labelled:
        raise BadRecording("%s: nothing in it is labelled" % path)
    return _of_conversation(recording)


def carrying(fact, sentences):
    """For each sentence, whether it carries the fact: it has many of its words, or more than any other."""
    all_words = words(fact)
    telling = {word for word in all_words if len(word) > 3 or word[0] == NUMBER} or all_words
    shares = [share(telling, words(sentence)) for sentence in sentences]
    best = max(shares, default=0.0)
    return [each >= FACT_SHARE or 0 < each == best for each in shares]


# Labelled conversations

def _of_conversation(recording):
    """Notes are the facts of the sessions before; the archive answers with its closest, as it does to the hooks."""
    with tempfile.TemporaryDirectory(prefix="memsift-calibrate-") as folder:
        memory = _Memory(recording, os.path.join(folder, "archive.db"))
        found = []
        for session in recording.sessions:
            messages = []
            for turn in session.turns:
                if turn.gold:
                    found.append([_prompt_case(turn, _recent(messages), memory), _turn_case(turn, memory)])
                messages += [Message("developer", prompt) for prompt in turn.prompts]
                messages += [Message("agent", turn.answer)] if turn.answer else []
            memory.learn(session)
    return found


class _Memory:
    def __init__(self, recording, path):
        self.notes = []
        self._replaced = set()
        self._archive = Archive(path)
        self._archive.add([_clean(entry) for entry in recording.entries])

    def candidates(self, prompt, recent):
        query = candidates.query(prompt, Conversation(recent))
        return [entry for entry in self._archive.closest(query.prompt, candidates.FROM_ARCHIVE, before=query.before)
                if entry.id not in self._replaced] + self.notes

    def learn(self, session):
        for turn in session.turns:
            if turn.gold and turn.gold.keep in TAUGHT:
                self._replaced.add(turn.gold.replaces)
                self.notes = [note for note in self.notes if note.id != turn.gold.replaces]
                self.notes.append(_clean(Entry(turn.id, turn.day, turn.gold.fact, turn=turn.id)))


def _prompt_case(turn, recent, memory):
    prompt = excerpt("\n".join(turn.prompts), LONGEST_PROMPT)
    entries = memory.candidates(prompt, recent)
    worth = bool(turn.gold.needs) or turn.gold.keep in TAUGHT
    return PromptCase(PromptQuestion(prompt, recent, candidates=entries), turn.gold.kind in MEMORY_KINDS,
                      [entry.id in turn.gold.needs for entry in entries], worth)


def _turn_case(turn, memory):
    question = TurnQuestion([excerpt(prompt, LONGEST_PROMPT) for prompt in turn.prompts],
                            excerpt(turn.answer, LONGEST_PROMPT), _changes(turn), notes=memory.notes)
    return TurnCase(question, turn.gold.keep in TAUGHT, turn.gold.fact)


def _clean(entry):
    entry.text = redact.redact(entry.text)
    return entry


def _recent(messages):
    """The end of a conversation, as the prompt hook reads it from the host's record."""
    kept, room = [], RECENT_CHARACTERS
    for message in reversed(messages):
        if room <= 0:
            break
        kept.append(Message(message.role, ending(message.text, room)))
        room -= len(message.text)
    return kept[::-1]


def _changes(turn):
    """What the tool hook would have noted, in the words that the worker uses."""
    found, failed = [], set()
    for step in turn.steps:
        if step.kind == EDIT:
            found.append("edited " + step.text)
        elif step.kind == COMMAND and not step.ok:
            failed.add(step.text)
            found.append("failed: " + redact.redact(step.text))
        elif step.kind == COMMAND:
            if commit.is_commit(step.text):
                found.append("committed: " + redact.redact(commit.subject(step.text)))
            if step.text in failed:
                found.append("failed, then worked: " + redact.redact(step.text))
    return found


# The user's own file

def _read_own(path, text):
    try:
        rows = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadRecording("%s: no JSON list: %s" % (path, error)) from None
    found = [[_own(_Row(row, "%s: item %d" % (path, number)))] for number, row in enumerate(rows, 1)]
    if not found:
        raise BadRecording("%s: the list is empty" % path)
    return found


def _own(row):
    return _own_turn(row) if "prompts" in row.fields else _own_prompt(row)


def _own_prompt(row):
    notes = row.rows("notes")
    entries = [Entry("n%d" % number, "", redact.redact(note.text("text"))) for number, note in enumerate(notes)]
    recent = [Message("agent" if message.fields.get("said_by") == "agent" else "developer", message.text("text"))
              for message in row.rows("conversation")]
    question = PromptQuestion(excerpt(row.text("prompt"), LONGEST_PROMPT), _recent(recent), candidates=entries)
    return PromptCase(question, row.word("kind", KINDS) in MEMORY_KINDS, [note.switch("answers") for note in notes],
                      row.switch("worth") if "worth" in row.fields else None)


def _own_turn(row):
    question = TurnQuestion([excerpt(prompt, LONGEST_PROMPT) for prompt in row.texts("prompts")],
                            excerpt(row.text("answer"), LONGEST_PROMPT))
    fact = row.text("fact") if "fact" in row.fields else ""
    return TurnCase(question, row.word("turn", TURN_KINDS) in TAUGHT, fact)


class _Row:
    """An object of the user's file; every complaint says where it stands."""

    def __init__(self, fields, where):
        self.fields, self._where = fields, where
        if not isinstance(fields, dict):
            raise BadRecording("%s: must be an object" % where)

    def _get(self, name, types, what):
        value = self.fields.get(name)
        if not isinstance(value, types):
            raise BadRecording("%s: %r must be %s" % (self._where, name, what))
        return value

    def text(self, name):
        return self._get(name, str, "a text")

    def switch(self, name):
        return self._get(name, bool, "true or false")

    def word(self, name, allowed):
        if self.fields.get(name) not in allowed:
            raise BadRecording("%s: %r must be one of: %s" % (self._where, name, ", ".join(allowed)))
        return self.fields[name]

    def texts(self, name):
        values = self._get(name, list, "a list of texts")
        if not all(isinstance(value, str) for value in values):
            raise BadRecording("%s: %r must be a list of texts" % (self._where, name))
        return values

    def rows(self, name):
        values = self._get(name, list, "a list of objects") if name in self.fields else []
        return [_Row(value, "%s, %s %d" % (self._where, name, number)) for number, value in enumerate(values, 1)]
