"""The System One wire format: a state and questions about it go out, probabilities come back.

Spoken by OpenRouter, TypeSafe and servers on the user's own machine. Answers are read by what is there, since each
leaves out something else; what is there has to be of the right type.
"""

from __future__ import annotations

import json

from memsift.deadline import Deadline
from memsift.remote import service
from memsift.remote import transport
from memsift.remote.service import Failed

_SLACK = 0.001  # how far over 1 a float may be that was meant as 1


def noul(instructions: str, true: str, false: str) -> dict:
    """A yes/no question; `true` and `false` say what each answer means."""
    return {"type": "noul", "instructions": instructions, "criteria": {"true": true, "false": false}}


def choice(instructions: str, criteria: dict[str, str]) -> dict:
    """A question with one option to pick; `criteria` says for each option when it is the right one."""
    return {"type": "choice", "instructions": instructions, "criteria": dict(criteria)}


class Answers:
    """What came back: raw `answers` by question, the model that gave them, and what they cost.

    input_tokens and cost (USD) are None where the service does not tell; duration in seconds.
    """

    __slots__ = ("answers", "model", "input_tokens", "cost", "duration")

    def __init__(self, answers: dict, model: str = "", input_tokens: int | None = None, cost: float | None = None,
                 duration: float = 0.0) -> None:
        self.answers = answers
        self.model = model
        self.input_tokens = input_tokens
        self.cost = cost
        self.duration = duration

    def noul(self, id: str) -> float:
        """The probability of yes. Raises Failed when that answer is missing or is something else."""
        value = self._answer(id, "noul").get("noul")
        if not _is_probability(value):
            raise self._refusal(id, "is no number from 0 to 1")
        return min(1.0, float(value))

    def choice(self, id: str, options: list[str]) -> dict[str, float]:
        """The probability of each option; they sum to 1. Raises Failed as `noul` does."""
        answer = self._answer(id, "choice")
        given = answer.get("probabilities")
        if given is not None:
            probabilities = self._distribution(id, given, options)
            total = sum(probabilities.values())
            if total > 0:
                return {option: value / total for option, value in probabilities.items()}
        chosen = answer.get("choice")
        if not isinstance(chosen, str) or chosen not in options:
            raise self._refusal(id, "is none of the options")
        return {option: float(option == chosen) for option in options}

    def _answer(self, id: str, kind: str) -> dict:
        if id not in self.answers:
            raise self._refusal(id, "is missing")
        answer = self.answers[id]
        if not isinstance(answer, dict) or answer.get("type", kind) != kind:
            raise self._refusal(id, "is no answer to a %s" % kind)
        return answer

    def _distribution(self, id: str, given: object, options: list[str]) -> dict[str, float]:
        values = [given.get(option, 0) for option in options] if isinstance(given, dict) else [None]
        if not all(_is_probability(value) for value in values):
            raise self._refusal(id, "has probabilities that are no numbers from 0 to 1")
        return dict(zip(options, values))

    def _refusal(self, id: str, what: str) -> Failed:
        return Failed(200, "the answer to %s %s" % (id, what), None, self.duration)


def _is_probability(value: object) -> bool:
    return service.is_amount(value) and value <= 1 + _SLACK


class Client:
    """A service: its complete endpoint URL, its key and model where it wants them, and further fields of a request."""

    __slots__ = ("_url", "_key", "_model", "_extra")

    def __init__(self, url: str, key: str = "", model: str = "", extra: dict | None = None) -> None:
        self._url = url.strip()
        self._key = key.strip()
        self._model = model
        self._extra = extra or {}

    def ask(self, state: object, questions: dict[str, dict], deadline: Deadline) -> Answers:
        """Ask all questions about one state in one request, which is never sent again. Raises Failed."""
        return self._read(*service.post(self._url, self._key, self._body(state, questions), deadline))

    def _body(self, state: object, questions: dict[str, dict]) -> bytes:
        fields = dict(self._extra)
        if self._model:
            fields["model"] = self._model
        fields.update(state=state, questions=questions)
        text = json.dumps(fields, ensure_ascii=False, separators=(",", ":"))
        return text.encode("utf-8", "replace")  # half an emoji is no text to a server

    def _read(self, response: transport.Response, duration: float) -> Answers:
        content = service.parse(response.body)
        content = content if isinstance(content, dict) else {}
        answers = content.get("answers")
        if 200 <= response.status < 300 and isinstance(answers, dict) and not content.get("error"):
            usage = content.get("usage")
            usage = usage if isinstance(usage, dict) else {}
            tokens, cost, model = usage.get("input_tokens"), usage.get("cost"), content.get("model")
            return Answers(answers, model if isinstance(model, str) else "",
                           int(tokens) if service.is_amount(tokens) else None,
                           float(cost) if service.is_amount(cost) else None, duration)
        message = service.plain(service.message(content) or _fallback(response, content), self._key)
        raise Failed(_status(response.status, content), message, service.retry_after(response.headers), duration)


def _fallback(response: transport.Response, content: dict) -> str:
    """What to say of an answer that says nothing itself."""
    if not 200 <= response.status < 300:
        return service.fallback(response.status, response.reason)
    return "the answer holds no answers" if content else "the answer is no JSON object"


def _status(status: int, content: dict) -> int:
    """The status that counts: a failure can be told inside an answer that calls itself a success."""
    inner = service.field(content.get("error"), "code")
    if status < 300 and isinstance(inner, int) and 400 <= inner < 600:
        return inner
    return status
