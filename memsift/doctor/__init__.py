"""Doctor: looks at everything that memsift depends on, changes nothing, and says what to do.

One module for each thing that is examined, with `examine(case) -> Section`, and one line in EXAMINERS.
"""

from __future__ import annotations

import sqlite3
import types

from memsift.doctor import claude
from memsift.doctor import codex
from memsift.doctor import configuration
from memsift.doctor import here
from memsift.doctor import locks
from memsift.doctor import machine
from memsift.doctor import memory
from memsift.doctor import other_plugins
from memsift.doctor import sending
from memsift.doctor import services
from memsift.doctor import waiting
from memsift.doctor.case import Case
from memsift.doctor.finding import Report
from memsift.doctor.finding import Section

_LEAST_SECONDS = 0.5  # for one of them
EXAMINERS = (services, claude, codex, other_plugins, configuration, here, waiting, locks, memory, machine, sending)


def examine(case: Case) -> Report:
    """Everything, in the order in which it is told."""
    return Report([_section(examiner, case) for examiner in EXAMINERS])


def _section(examiner: types.ModuleType, case: Case) -> Section:
    """What one examiner says. A fault that it did not expect is a finding as well, and hides none of the others."""
    section = Section(examiner.__name__.rpartition(".")[2].replace("_", " "))
    if case.deadline.remaining() < _LEAST_SECONDS:
        section.say("not examined", "there was no time left; run doctor in a terminal")
        return section
    try:
        return examiner.examine(case)
    except (OSError, ValueError, sqlite3.Error) as error:
        section.find("%s could not be examined: %s." % (section.title, error), "Whatever is wrong there is not known.",
                     "Correct that, and run doctor again.")
        return section
