"""What a sorter is asked and what it answers: plain data, the same for every sorter."""

from __future__ import annotations

from collections.abc import Callable

from memsift.entry import Entry

NEEDS_NOTHING = ("reaction", "finished_work_action", "complete_instruction", "general_knowledge",
                 "conversation_question")
MEMORY_KINDS = ("new_decision", "past_choice", "resuming_work", "recurring_problem", "builds_on_existing",
                "earlier_exchange")
KINDS = NEEDS_NOTHING + MEMORY_KINDS


class Message:
    """Something said in the running conversation: `role` is "developer", "agent", "summary" or "memory"."""

    __slots__ = ("role", "text")

    def __init__(self, role: str, text: str) -> None:
        self.role = role
        self.text = text


class PromptQuestion:
    """What kind of prompt is this, and does each candidate, judged alone, answer it?

    `candidates`: the entries, or a function that gathers them the first time a sorter looks at them. A sorter that
    tells from the prompt alone that nothing is needed never looks, and no file is read for it. `card`, `datasets`
    (what each collection of the long-term store is for, by its name): the thing itself or a function, likewise.
    """

    __slots__ = ("prompt", "recent", "_datasets", "_card", "_candidates")

    def __init__(self, prompt: str, recent: list[Message] | tuple = (), card: str | Callable[[], str] = "",
                 candidates: list[Entry] | tuple | Callable[[], list[Entry]] = (),
                 datasets: dict[str, str] | Callable[[], dict[str, str]] | None = None) -> None:
        self.prompt = prompt
        self.recent = list(recent)
        self._datasets = datasets or {}
        self._card = card
        self._candidates = candidates if callable(candidates) else list(candidates)

    @property
    def card(self) -> str:
        if callable(self._card):
            self._card = self._card()
        return self._card

    @property
    def datasets(self) -> dict[str, str]:
        if callable(self._datasets):
            self._datasets = self._datasets()
        return self._datasets

    @property
    def candidates(self) -> list[Entry]:
        if callable(self._candidates):
            self._candidates = self._candidates()
        return self._candidates

    @property
    def gathered(self) -> list[Entry]:
        """The candidates, or none where nobody has looked at them."""
        return [] if callable(self._candidates) else self._candidates


class PromptJudgement:
    """`kinds`: probability of each of the eleven, summing to 1. `scores`: one per candidate, in their order, 0 to 1;
    None for one that was over the budget, and no scores at all where the sorter did not look at any.

    `worth`: probability that the subject is of the sort that memory keeps, where the sorter was asked.
    `datasets`: probability that the subject belongs into each, by name, where there are any.
    `tokens`, `counted`: the size of the request as estimated, and as the service counted it.
    """

    __slots__ = ("kinds", "scores", "sorter", "worth", "datasets", "tokens", "counted")

    def __init__(self, kinds: dict[str, float], scores: list[float | None], sorter: str, worth: float | None = None,
                 tokens: int = 0, counted: int | None = None, datasets: dict[str, float] | None = None) -> None:
        self.datasets = dict(datasets or {})
        self.kinds = kinds
        self.scores = scores
        self.sorter = sorter
        self.worth = worth
        self.tokens = tokens
        self.counted = counted


class PassageQuestion:
    """Does each passage of the long-term store, judged alone, answer the prompt? `about`: what was asked about it
    before, `kinds`: the answer to that."""

    __slots__ = ("about", "kinds", "passages")

    def __init__(self, about: PromptQuestion, kinds: dict[str, float], passages: list[Entry]) -> None:
        self.about = about
        self.kinds = kinds
        self.passages = list(passages)


class PassageJudgement:
    """`scores`: one per passage, in their order, 0 to 1; None for one that was over the budget.

    `tokens`, `counted`: the size of the request as estimated, and as the service counted it.
    """

    __slots__ = ("scores", "sorter", "tokens", "counted")

    def __init__(self, scores: list[float | None], sorter: str, tokens: int = 0, counted: int | None = None) -> None:
        self.scores = scores
        self.sorter = sorter
        self.tokens = tokens
        self.counted = counted


class TurnQuestion:
    """Did this turn teach something that would save redoing the path, and which of its sentences carry it?"""

    __slots__ = ("prompts", "answer", "changes", "recent", "notes")

    def __init__(self, prompts: list[str], answer: str = "", changes: list[str] | tuple = (),
                 recent: list[Message] | tuple = (), notes: list[Entry] | tuple = ()) -> None:
        self.prompts = prompts
        self.answer = answer
        self.changes = list(changes)
        self.recent = list(recent)
        self.notes = list(notes)


class TurnJudgement:
    """`kinds`: probability of keep, correction and nothing. `sentences`: (said, text, score) in their order.

    `tokens`, `counted`: the size of the request as estimated, and as the service counted it.
    """

    __slots__ = ("kinds", "sentences", "replaces", "sorter", "tokens", "counted")

    def __init__(self, kinds: dict[str, float], sentences: list[tuple[str, str, float]], sorter: str,
                 replaces: str = "", tokens: int = 0, counted: int | None = None) -> None:
        self.kinds = kinds
        self.sentences = sentences
        self.sorter = sorter
        self.replaces = replaces
        self.tokens = tokens
        self.counted = counted


class Thresholds:
    """From where a probability counts: a prompt that may need memory, a note to add, a turn and a sentence to keep, a
    subject worth asking the long-term store about, and a dataset of it that fits."""

    __slots__ = ("need", "add", "keep", "sentence", "worth", "dataset")

    def __init__(self, need: float, add: float, keep: float, sentence: float, worth: float = 0.5,
                 dataset: float = 0.5) -> None:
        self.worth = worth
        self.dataset = dataset
        self.need = need
        self.add = add
        self.keep = keep
        self.sentence = sentence
