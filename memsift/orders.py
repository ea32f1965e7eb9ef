"""Texts that would steer the agent. A note is data, and is never shown as an order."""

from __future__ import annotations

import re

# Rules, prompts and messages are also what developers write about: only the agent's own ones make it an order.
_ORDER = re.compile(
    r"\b(?:ignore|disregard|forget|override)\b[^.]{0,20}\b(?:previous|prior|above|earlier|preceding|your|all|any)\b"
    r"[^.]{0,20}\b(?:instruction|prompt|guideline)s?\b"
    r"|\b(?:ignore|disregard|forget|override) (?:all |any )?(?:of )?(?:the |your )?(?:previous|prior|above|earlier|your)\b"
    r"[^.]{0,20}\b(?:rule|message)s?\b"
    r"|\bsystem[ -]reminder\b|\byou are now\b|\bfrom now on,? you\b|</?system\b", re.IGNORECASE)


def is_in(text: str) -> bool:
    """Whether a text holds an order to the agent."""
    return bool(_ORDER.search(text))
