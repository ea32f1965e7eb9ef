"""What doctor says: findings (something to do), and facts beside them, in sections."""

from __future__ import annotations

from memsift.redact import redact  # an address may hold a key, and in a host all this goes to the agent

PROBLEM = "problem"  # something does not work, or works for nobody
ADVICE = "advice"  # it works, and could do better


class Finding:
    """`what` is the case, `why` it matters, and what to `do`: each one or two plain sentences."""

    __slots__ = ("what", "why", "do", "weight")

    def __init__(self, what: str, why: str, do: str, weight: str = PROBLEM) -> None:
        self.what = what
        self.why = why
        self.do = do
        self.weight = weight

    def facts(self) -> dict:
        """For --json."""
        return {"weight": self.weight, "what": self.what, "why": self.why, "do": self.do}


class Section:
    """What an examiner saw: `facts` are (name, value) pairs for a person to read, `findings` what is wrong."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.facts: list[tuple[str, str]] = []
        self.findings: list[Finding] = []

    def say(self, name: str, value: object) -> None:
        """State a fact."""
        self.facts.append((name, redact(str(value))))

    def find(self, what: str, why: str, do: str, weight: str = PROBLEM) -> None:
        """State something to be done."""
        self.findings.append(Finding(redact(what), why, redact(do), weight))


class Report:
    """All sections of an examination."""

    def __init__(self, sections: list[Section]) -> None:
        self.sections = sections

    def of(self, weight: str) -> list[Finding]:
        """The findings of one weight, in the order of their sections."""
        return [finding for section in self.sections for finding in section.findings if finding.weight == weight]

    def facts(self) -> dict:
        """For --json."""
        return {"findings": [finding.facts() for finding in self.of(PROBLEM) + self.of(ADVICE)],
                "facts": {section.title: [list(fact) for fact in section.facts] for section in self.sections}}
