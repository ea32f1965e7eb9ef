"""A developer's machine with the plugin in its hosts, which takes longer to install than most tests take."""

from __future__ import annotations

import unittest

from tests.live.claude import Claude
from tests.live.codex import Codex
from tests.live.workdesk import Workdesk

_machines: dict[tuple, Machine] = {}


class Machine:
    """`hosts`: the names of the programs that it has, "claude" and "codex"."""

    def __init__(self, hosts: tuple[str, ...], codex_settings: str) -> None:
        self.desk = Workdesk()
        self.hosts = {name: Claude(self.desk) if name == "claude" else Codex(self.desk, codex_settings) for name in hosts}

    def install(self) -> None:
        """Install the plugin in each host."""
        for host in self.hosts.values():
            host.install()
        self.desk.keep()

    def renew(self) -> None:
        """Make everything as it was after the installation."""
        self.desk.renew()
        for host in self.hosts.values():
            host.model.forget()

    def close(self) -> None:
        for host in self.hosts.values():
            host.close()
        self.desk.close()


def with_plugin(hosts: tuple[str, ...], codex_settings: str) -> Machine:
    """A machine on which nothing was done but to install the plugin; one after the other, the tests of a module share
    it."""
    key = (hosts, codex_settings)
    if key in _machines:
        _machines[key].renew()
        return _machines[key]
    machine = Machine(hosts, codex_settings)
    unittest.addModuleCleanup(machine.close)
    machine.install()
    _machines[key] = machine
    unittest.addModuleCleanup(_machines.pop, key)
    return machine
