"""Hosts with networks of their own: a namespace each, and a bridge between them and this machine.

Needs root. What is made has a name of its own, and is gone with the context.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from fsgauge.rig.fleet.launcher.command import HOST_COMMAND, CommandLauncher
from fsgauge.rig.fleet.model import Host
from tests.patience import patience


def ip(*words: str) -> None:
    """The program `ip`; what it refuses is an error."""
    subprocess.run(["ip", *words], check=True, capture_output=True, text=True, timeout=patience(30))


@dataclass(frozen=True)
class Networks:
    """A bridge of this machine at `address`, and a namespace for each host."""

    tag: str
    address: str
    names: Sequence[str]

    def namespace(self, name: str) -> str:
        return f"{self.tag}-{name}"

    def cut(self, name: str) -> None:
        """No packet goes to that host or comes from it; its connections are not closed."""
        ip("link", "set", f"{self.tag}{name}", "down")

    def mend(self, name: str) -> None:
        """The network is as it was."""
        ip("link", "set", f"{self.tag}{name}", "up")

    def launcher(self) -> CommandLauncher:
        """Starts each host in its namespace."""

        def command(host: Host) -> list[str]:
            inside = ["ip", "netns", "exec", self.namespace(host.name)]
            return [*inside, sys.executable, "-m", "fsgauge", HOST_COMMAND]

        return CommandLauncher(command, lambda _: "", is_one_machine=True)


@contextmanager
def networks(*names: str) -> Iterator[Networks]:
    """A network for each host; names are single letters, since those of interfaces are short."""
    number = os.getpid() % 200 + 20
    found = Networks(f"fg{os.getpid() % 100_000}", f"10.211.{number}.1", names)
    try:
        ip("link", "add", found.tag, "type", "bridge")
        ip("address", "add", f"{found.address}/24", "dev", found.tag)
        ip("link", "set", found.tag, "up")
        for at, name in enumerate(names):
            _connect(found, name, f"10.211.{number}.{at + 2}/24")
        yield found
    finally:
        for name in names:
            _quietly("netns", "delete", found.namespace(name))
        _quietly("link", "delete", found.tag)


def _connect(found: Networks, name: str, address: str) -> None:
    space, here, there = found.namespace(name), f"{found.tag}{name}", f"{found.tag}{name}p"
    ip("netns", "add", space)
    ip("link", "add", here, "type", "veth", "peer", "name", there)
    ip("link", "set", there, "netns", space)
    ip("link", "set", here, "master", found.tag)
    ip("link", "set", here, "up")
    for words in (
        ("address", "add", address, "dev", there),
        ("link", "set", there, "up"),
        ("link", "set", "lo", "up"),
    ):
        ip("-n", space, *words)


def _quietly(*words: str) -> None:
    subprocess.run(["ip", *words], check=False, capture_output=True, timeout=patience(30))
