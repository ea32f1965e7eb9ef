"""How much of a prompt, a conversation and the candidates fits into one request to a remote judge."""

from __future__ import annotations

from memsift.entry import Entry
from memsift.judgement import Message

REQUEST_TOKENS = 26_000
PROMPT_TOKENS = 6_000
CONVERSATION_TOKENS = 6_000
_BYTES_PER_TOKEN = 3.8  # 0.24 to 0.28 tokens per byte were measured for Latin text


def estimate(text: str) -> int:
    """About how many tokens a text is."""
    return int(len(text.encode("utf-8", "replace")) / _BYTES_PER_TOKEN) + 1


def focused(prompt: str, tokens: int = PROMPT_TOKENS) -> str:
    """A prompt within its share: a fifth of its beginning, and its end, where the question of a paste stands."""
    if estimate(prompt) <= tokens:
        return prompt
    characters = int(tokens * _BYTES_PER_TOKEN * len(prompt) / len(prompt.encode("utf-8", "replace")))
    head = characters // 5
    return prompt[:head] + "\n[...]\n" + prompt[head - characters:]


def recent(messages: list[Message], tokens: int = CONVERSATION_TOKENS) -> list[Message]:
    """The newest messages that fit; what memsift added itself is no part of the conversation."""
    kept: list[Message] = []
    for message in reversed([message for message in messages if message.role != "memory"]):
        tokens -= estimate(message.text)
        if tokens < 0:
            break
        kept.append(message)
    return kept[::-1]


def fitting(candidates: list[Entry], query: str, tokens: int, overhead: int) -> list[Entry]:
    """The candidates that fit, in their order: the lexically closest and the newest take turns.

    `overhead`: what the question about a candidate costs beside the candidate's own text.
    """
    costs = {entry.id: estimate(entry.text) + overhead for entry in candidates}
    if sum(costs.values()) <= tokens:
        return candidates
    kept: set[str] = set()
    for pair in zip(_by_closeness(candidates, query), _newest_first(candidates)):
        for entry in pair:
            if entry.id not in kept and costs[entry.id] <= tokens:
                kept.add(entry.id)
                tokens -= costs[entry.id]
    return [entry for entry in candidates if entry.id in kept]


def _newest_first(candidates: list[Entry]) -> list[Entry]:
    """By date; of one day's notes the one that was written last."""
    return sorted(candidates[::-1], key=lambda entry: entry.date, reverse=True)


def _by_closeness(candidates: list[Entry], query: str) -> list[Entry]:
    from memsift.likeness import words  # only a memory too large for one request pays for it
    wanted = words(query)
    found = {entry.id: words(entry.text) for entry in candidates}
    counts: dict[str, int] = {}
    for one in found.values():
        for word in one & wanted:
            counts[word] = counts.get(word, 0) + 1
    return sorted(candidates, key=lambda entry: -sum(1.0 / counts[word] for word in found[entry.id] & wanted))
