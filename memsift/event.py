"""What happened in a host, in words that do not depend on the host."""

from __future__ import annotations

import re

# Machine text that both hosts hand over as if a person had typed it.
_NOT_TYPED = ("<task-notification>", "<command-name>", "<command-message>", "<local-command", "<bash-input>",
              "<bash-stdout>", "<hook_prompt", "<turn_aborted", "[Request interrupted by user",
              "Caveat: The messages below")
# By the first character of a prompt: what is no prompt then. Compiled only for a prompt that begins so.
_COMMANDS = {
    "/": r"/[A-Za-z][\w-]*(?::[\w:-]+)?(?:\s|$)",  # a slash command, but no path
    "$": r"\$memsift\b",
    "[": r"(?:\[Image #\d+\]\s*)+$",
}
# The moments of prompts that are not for the agent alone.
REQUEST = "request"  # one of REQUESTS
OFF_THE_RECORD = "off-the-record"  # with MARKER in it
REQUESTS = ("doctor", "resume")  # what memsift does itself when a prompt asks for it
MARKER = "(off the record)"  # a prompt with this in it is not judged, sent or stored, and neither is its turn


class BadPayload(Exception):
    """The host sent something that this version cannot use; the message says what."""


class Change:
    """One thing that the agent did: an edit, or a command."""

    __slots__ = ("what", "text")

    def __init__(self, what: str, text: str) -> None:
        self.what = what  # "edit", "passed", "failed", or "ran" where the payload does not say which
        self.text = text  # the path or paths of an edit, one a line; else the command


class Event:
    """One call of a hook.

    `session`, `turn`: the host's own ids, unchecked. `cwd`, `transcript`: paths as the host gave them.
    `source`: how a session started or ended. `change`: what a tool did, for the moment "tool".
    """

    __slots__ = ("host", "moment", "session", "turn", "cwd", "transcript", "source", "prompt", "answer", "change",
                 "tool_id")

    def __init__(self, host: str, moment: str, session: str, turn: str = "", cwd: str = "", transcript: str = "",
                 source: str = "", prompt: str = "", answer: str = "", change: Change | None = None,
                 tool_id: str = "") -> None:
        self.host = host
        self.moment = moment
        self.session = session
        self.turn = turn
        self.cwd = cwd
        self.transcript = transcript
        self.source = source
        self.prompt = prompt
        self.answer = answer
        self.change = change
        self.tool_id = tool_id


class Answer:
    """What a moment gives back to the host: text for the agent, a line for the user, or neither."""

    __slots__ = ("context", "message")

    def __init__(self, context: str = "", message: str = "") -> None:
        self.context = context
        self.message = message


def is_typed(prompt: str) -> bool:
    """Whether a person typed this as a prompt: no notification, command of the host, or image alone."""
    text = prompt.lstrip()
    if not text or text.startswith(_NOT_TYPED):
        return False
    command = _COMMANDS.get(text[0])
    return not (command and re.match(command, text))


def request(prompt: str) -> str:
    """Which of REQUESTS a prompt is: "/memsift-doctor" and "/memsift:memsift-doctor" in Claude Code, the same with "$"
    in Codex, and whatever follows. "" for any other prompt."""
    text = prompt.lstrip()
    if not text.startswith(("/memsift", "$memsift")):
        return ""
    name = text.split(None, 1)[0][1:].rstrip(".,;:!?")
    name = name[len("memsift:"):] if name.startswith("memsift:") else name
    return name[len("memsift-"):] if name.startswith("memsift-") and name[len("memsift-"):] in REQUESTS else ""


def kind(prompt: str) -> str:
    """"prompt" for what a person typed for the agent, "kept-out" for what is nobody else's business (a prompt with the
    marker, or a request to memsift itself), "" for what nobody typed."""
    if is_typed(prompt):
        return "kept-out" if is_marked(prompt) else "prompt"
    return "kept-out" if request(prompt) else ""


def is_marked(prompt: str) -> bool:
    """Whether the marker stands anywhere in a prompt, in small or large letters."""
    return MARKER in prompt or MARKER in prompt.lower()


def field(payload: dict, name: str) -> str:
    """A text field of a payload; anything else than text counts as absent."""
    value = payload.get(name)
    return value if isinstance(value, str) else ""
