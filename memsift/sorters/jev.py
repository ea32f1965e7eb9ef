"""Jev, or any server of the same wire format, as the judge: one request for a prompt, one more for
passages, one for a turn.

State holds the prompt and the conversation, never a candidate; each candidate has a question of its own, so none is
judged in the sight of another.
"""

from __future__ import annotations

from collections.abc import Callable

from memsift import redact
from memsift.deadline import Deadline
from memsift.entry import Entry
from memsift.judgement import KINDS
from memsift.judgement import PassageJudgement
from memsift.judgement import PassageQuestion
from memsift.judgement import PromptJudgement
from memsift.judgement import PromptQuestion
from memsift.judgement import Thresholds
from memsift.judgement import TurnJudgement
from memsift.judgement import TurnQuestion
from memsift.remote import systemone
from memsift.settings import Settings
from memsift.sorters import budget
from memsift.sorters import questions

TURN_KINDS = tuple(questions.TURN_KINDS)
MOST_SENTENCES = 40
MOST_NOTES = 12  # that a turn may contradict
MOST_CHANGES = 60
_SENTENCE_TOKENS = 400
_REPLACED_FROM = 0.75  # a wrong note was seen to score up to 0.63, and one that is replaced is no longer shown


def client(settings: Settings) -> systemone.Client:
    """The client for the address, model and key that are set."""
    url = str(settings["MEMSIFT_JEV_URL"])
    extra = {"provider": {"data_collection": "deny"}} if settings["MEMSIFT_JEV_DENY_COLLECTION"] else None
    return systemone.Client(url, str(settings["MEMSIFT_JEV_KEY"]), str(settings["MEMSIFT_JEV_MODEL"]), extra)


def probe(settings: Settings, deadline: Deadline) -> systemone.Answers:
    """One minimal request with a question of each sort, since some models only do one. Raises service.Failed."""
    asked = {"sort": systemone.choice("What is `text`?", {"greeting": "A greeting.", "question": "A question.", "other": "Neither."}),
             "greets": systemone.noul("Is `text` a greeting?", "It greets.", "It does not greet.")}
    answers = client(settings).ask({"text": "Good morning!"}, asked, deadline)
    answers.choice("sort", ("greeting", "question", "other"))
    answers.noul("greets")
    return answers


class JevSorter:
    """Asks the service. Raises service.Failed. `record` is handed every request and answer, if given."""

    name = "jev"
    thresholds = Thresholds(need=0.5, add=0.75, keep=0.5, sentence=0.5)

    def __init__(self, client: systemone.Client, record: Callable[[dict], None] | None = None) -> None:
        self._client = client
        self._record = record

    def judge_prompt(self, question: PromptQuestion, deadline: Deadline) -> PromptJudgement:
        """The kind of a prompt, whether its subject is worth remembering, and a score for each candidate that fits
        into the budget; the others are not judged (None)."""
        state = _prompt_state(question)
        asked = {"kind": systemone.choice(questions.KIND, questions.KINDS),
                 "worth": systemone.noul(questions.WORTH, questions.WORTH_TRUE, questions.WORTH_FALSE)}
        asked.update(("d%d" % number, _belongs(purpose)) for number, purpose in enumerate(question.datasets.values()))
        fitting = _add_candidates(asked, question.candidates, question.prompt, state)
        answers = self._ask(state, asked, deadline)
        scores = {entry.id: answers.noul("n%d" % number) for number, entry in enumerate(fitting)}
        return PromptJudgement(
            kinds=answers.choice("kind", KINDS), scores=[scores.get(entry.id) for entry in question.candidates],
            sorter=self.name, worth=answers.noul("worth"), tokens=_estimate(state, asked), counted=answers.input_tokens,
            datasets={name: answers.noul("d%d" % number) for number, name in enumerate(question.datasets)})

    def judge_passages(self, question: PassageQuestion, deadline: Deadline) -> PassageJudgement:
        """A score for each passage that fits into the budget; the others are not judged (None)."""
        state, asked = _prompt_state(question.about), {}
        fitting = _add_candidates(asked, question.passages, question.about.prompt, state)
        answers = self._ask(state, asked, deadline)
        scores = {entry.id: answers.noul("n%d" % number) for number, entry in enumerate(fitting)}
        return PassageJudgement([scores.get(entry.id) for entry in question.passages], self.name,
                                _estimate(state, asked), answers.input_tokens)

    def judge_turn(self, question: TurnQuestion, deadline: Deadline) -> TurnJudgement:
        """The kind of a turn, its sentences one by one, and, for a correction, the note that it contradicts most."""
        from memsift.sentences import split_sentences
        state = _turn_state(question)
        typed = [text for prompt in question.prompts for text in split_sentences(prompt)]
        sentences = [("developer", text) for text in _ends(typed, MOST_SENTENCES // 2)]
        sentences += [("agent", text) for text in _ends(split_sentences(question.answer), MOST_SENTENCES // 2)]
        notes = _closest(question)
        asked = {"kind": systemone.choice(questions.TURN, questions.TURN_KINDS)}
        asked.update(("s%d" % number, _carries(said, text)) for number, (said, text) in enumerate(sentences))
        asked.update(("n%d" % number, _contradicts(text)) for number, text in enumerate(_texts(notes)))
        answers = self._ask(state, asked, deadline)
        kinds = answers.choice("kind", TURN_KINDS)
        scores = [answers.noul("s%d" % number) for number in range(len(sentences))]
        return TurnJudgement(kinds, [(said, text, score) for (said, text), score in zip(sentences, scores)], self.name,
                             replaces=_replaced(kinds, notes, answers), tokens=_estimate(state, asked),
                             counted=answers.input_tokens)

    def _ask(self, state: dict, asked: dict, deadline: Deadline) -> systemone.Answers:
        answers = self._client.ask(state, asked, deadline)
        if self._record:
            self._record({"state": state, "questions": asked, "answers": answers.answers, "model": answers.model})
        return answers


def _prompt_state(question: PromptQuestion) -> dict:
    state = {"prompt": budget.focused(question.prompt),
             "conversation": [{"said_by": message.role, "text": message.text} for message in budget.recent(question.recent)]}
    if question.card:
        state["project"] = question.card
    return state


def _turn_state(question: TurnQuestion) -> dict:
    """Several prompts share the room of one."""
    share = budget.PROMPT_TOKENS // max(1, len(question.prompts))
    return {"prompts": [budget.focused(prompt, share) for prompt in question.prompts],
            "answer": budget.focused(question.answer), "changes": question.changes[-MOST_CHANGES:]}


def _add_candidates(asked: dict, candidates: list[Entry], prompt: str, state: dict) -> list[Entry]:
    """Ask about each candidate that fits beside what is asked already; those that do, in their order."""
    left = budget.REQUEST_TOKENS - _estimate(state, asked)
    fitting = budget.fitting(candidates, prompt, left, _estimate({}, {"n000": _answers("")}))
    asked.update(("n%d" % number, _answers(text)) for number, text in enumerate(_texts(fitting)))
    return fitting


def _ends(texts: list[str], most: int) -> list[str]:
    """At most so many: some from the beginning and, above all, the last ones, after whatever was pasted."""
    return texts if len(texts) <= most else texts[:most // 4] + texts[most // 4 - most:]


def _texts(entries: list[Entry]) -> list[str]:
    """What each entry says, without the secrets that one edited by hand may hold."""
    texts = [entry.text for entry in entries]
    together = "\n".join(texts)
    return texts if redact.redact(together) == together else list(map(redact.redact, texts))


def _quoted(text: str) -> str:
    """A text that cannot end its own quotation."""
    return text.replace("<<<", "< < <").replace(">>>", "> > >")


def _answers(note: str) -> dict:
    return systemone.noul(questions.ANSWERS % _quoted(note), questions.ANSWERS_TRUE, questions.ANSWERS_FALSE)


def _belongs(purpose: str) -> dict:
    return systemone.noul(questions.DATASET % _quoted(purpose), questions.DATASET_TRUE, questions.DATASET_FALSE)


def _carries(said: str, text: str) -> dict:
    asked = questions.SENTENCE % (said, _quoted(budget.focused(text, _SENTENCE_TOKENS)))
    return systemone.noul(asked, questions.SENTENCE_TRUE, questions.SENTENCE_FALSE)


def _contradicts(note: str) -> dict:
    return systemone.noul(questions.CONTRADICTED % _quoted(note), questions.CONTRADICTED_TRUE, questions.CONTRADICTED_FALSE)


def _closest(question: TurnQuestion) -> list:
    """The few notes that share most words with the turn: only one of them can be what it contradicts."""
    from memsift.likeness import words
    turn = words("\n".join(question.prompts + [question.answer]))
    ranked = sorted(question.notes, key=lambda note: -len(words(note.text) & turn))
    return [note for note in ranked[:MOST_NOTES] if words(note.text) & turn]


def _replaced(kinds: dict[str, float], notes: list, answers: systemone.Answers) -> str:
    if kinds["correction"] < max(kinds["keep"], kinds["nothing"]):
        return ""
    scored = [(answers.noul("n%d" % number), note.id) for number, note in enumerate(notes)]
    score, id = max(scored, default=(0.0, ""))
    return id if score >= _REPLACED_FROM else ""


def _estimate(state: dict, asked: dict) -> int:
    import json
    return budget.estimate(json.dumps(state, ensure_ascii=False)) + budget.estimate(json.dumps(asked, ensure_ascii=False))
