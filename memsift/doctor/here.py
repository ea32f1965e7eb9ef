"""This repository: whether it has a memory, whether that is switched on, and its card."""

from __future__ import annotations

from memsift import card
from memsift.doctor.case import Case
from memsift.doctor.finding import ADVICE
from memsift.doctor.finding import Section
from memsift.doctor.waiting import command


def examine(case: Case) -> Section:
    """Which memory belongs to the folder that doctor was asked in."""
    section = Section("this project")
    if case.project is None:
        section.say("folder", "%s belongs to no project" % case.folder)
        section.find("%s has no memory: it is your home folder, the root, or no folder at all." % case.folder,
                     "Nothing is added or kept there.", "Work in a project's folder.", ADVICE)
        return section
    section.say("repository", "%s, in %s" % (case.project.name, case.project.root))
    if case.is_off and case.settings.sorter != "off":
        section.say("memory", "off")
        section.find("Memory is switched off for this repository.",
                     "Nothing is added or kept; what is remembered stays.", "To switch it on: %s." % command("on"),
                     ADVICE)
    _look_at_card(case.project.root, section)
    return section


def _look_at_card(root: str, section: Section) -> None:
    try:
        text = card.load(root)
    except OSError as error:
        section.find("The card %s cannot be read: %s." % (card.path(root), error.strerror or error),
                     "The judge does not know what this project is.", "Make it a plain file that you can read.")
        return
    if not text:
        section.say("card", "none")
        section.find("This repository has no card (%s)." % card.NAME,
                     "A judge that knows in a few lines what the project is tells better what belongs to it.",
                     "To see a proposal: %s (add --write to accept it)." % command("card"), ADVICE)
        return
    section.say("card", "%s, %d lines" % (card.path(root), text.count("\n") + 1))
    for reason in card.outdated(root, text):
        section.find("The card looks outdated: %s." % reason, "The judge believes it.",
                     "Edit %s, or see a new proposal: %s." % (card.path(root), command("card --propose")), ADVICE)
