"""What the local sorter sees of a prompt or a turn: text signs (pieces of words) and marks (its shape)."""

from __future__ import annotations

import re

from memsift.prose import typed
from memsift.terms import NUMBER
from memsift.terms import fold
from memsift.terms import focus
from memsift.terms import terms

PROMPT_LIMIT = 1_200
ANSWER_LIMIT = 2_500
_WORD = re.compile(r"[^\W_]+|[?!]+")
_LONGEST_WORD = 14


def text_signs(text: str, prefix: str, grams: bool = True) -> list[str]:
    """Words, pairs of words and character n-grams inside words, each once, in order of appearance."""
    words = [word[:_LONGEST_WORD] for word in _WORD.findall(fold(text).casefold())]
    found = dict.fromkeys([prefix + " " + word for word in words])
    found.update(dict.fromkeys(prefix + one + " " + two for one, two in zip(words, words[1:])))
    for word in dict.fromkeys(words):
        length = len(word)
        if length > 4:
            found[prefix + "^" + word[:4]] = None
        if grams and length > 1:
            edged = "<" + word + ">"
            for size in (3, 4):
                for start in range(length + 3 - size):
                    found[prefix + edged[start:start + size]] = None
    return list(found)


def prompt_text(prompt: str) -> str:
    """The typed part of a prompt, or all of it where nothing in it looks typed."""
    text = focus(prompt, PROMPT_LIMIT)
    return typed(text) or text


def prompt_marks(prompt: str, written: str, recent: list) -> list[str]:
    """The shape of a prompt and its place in the conversation, as short names."""
    words = _WORD.findall(written.casefold())
    marks = ["bias", "len%d" % size(len(words)), "first" if not recent else "later"]
    marks.append("turns%d" % size(len(recent)))
    if words:
        marks += ["a:" + words[0], "ab:" + " ".join(words[:2]), "z:" + words[-1]]
    if "?" in written:
        marks.append("asks")
        if written.rstrip().endswith("?"):
            marks.append("asks-last")
    pasted = len(prompt) - len(written)
    if pasted > 40:
        marks += ["paste", "paste%d" % size(pasted // 40)]
    marks += _agent_marks(words, recent)
    return marks


def _agent_marks(words: list[str], recent: list) -> list[str]:
    """How the prompt follows on the agent's last message."""
    last = next((message.text for message in reversed(recent) if message.role == "agent"), "")
    if not last:
        return []
    tail = focus(last, ANSWER_LIMIT).rstrip()
    marks = ["agent-asks"] if "?" in tail[-120:] else []
    known = set(_WORD.findall(tail.casefold()))
    long_words = [word for word in words if len(word) > 3]
    if long_words:
        marks.append("echo%d" % int(4 * sum(word in known for word in long_words) / len(long_words)))
    return marks


def turn_marks(prompts: list[str], answer: str, changes: list[str]) -> list[str]:
    """The shape of a turn: how long each side is, and what was done to the repository."""
    numbers = sum(term[0] == NUMBER for term in terms(focus(answer, ANSWER_LIMIT)))
    marks = ["bias", "prompt%d" % size(sum(map(len, prompts)) // 8), "answer%d" % size(len(answer) // 40)]
    marks += ["numbers%d" % size(numbers), "changes%d" % size(len(changes))]
    marks += sorted({"did:" + _what(change) for change in changes}) or ["did-nothing"]
    if "?" in answer[-160:]:
        marks.append("answer-asks")
    if any("?" in prompt for prompt in prompts):
        marks.append("prompt-asks")
    if "```" in answer:
        marks.append("answer-code")
    return marks


def _what(change: str) -> str:
    """The verb of a change such as "edited README.md" or "failed, then worked: make"."""
    return "fixed" if ", then" in change[:16] else change.partition(" ")[0].rstrip(":,")


def size(number: int) -> int:
    """A number on a coarse scale: 0, 1, 2, 3, 4 for 4 to 7, 5 for 8 to 15 and so on."""
    return number if number < 4 else number.bit_length() + 1
