"""What is sent where, said from the settings in force."""

from __future__ import annotations

from memsift.doctor.case import Case
from memsift.doctor.finding import Section
from memsift.doctor.services import configured

_SENT = {
    "jev": "prompts, recent conversation, card, candidate notes, and ended turns",
    "cognee": "search texts of prompts, and the notes of this project once they are compacted",
    "compactor": "the working notes, when they are compacted",
}


def examine(case: Case) -> Section:
    """One line for each service; secrets are redacted in all of them."""
    section = Section("what leaves this machine")
    found = configured(case.settings)
    for name, (_, address, _) in found.items():
        section.say(_SENT.get(name, name), "to %s, redacted" % _bare(address))
    if not found:
        section.say("nothing", "no service is set")
    if case.settings["MEMSIFT_RECORD"]:
        section.say("kept here as well", "requests to Jev and its answers, in recordings/ (MEMSIFT_RECORD)")
    return section


def _bare(address: str) -> str:
    """An address without what may be a secret in it."""
    return address.partition("?")[0].partition("#")[0]
