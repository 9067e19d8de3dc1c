"""Hosts that are started by a command each, as children of this process: local, ssh, Slurm."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from fsgauge.errors import InputError
from fsgauge.programs import interpreter
from fsgauge.programs.finding import find_program
from fsgauge.rig.fleet.bootstrap import Bootstrap
from fsgauge.rig.fleet.launcher.launcher import Started
from fsgauge.rig.fleet.launcher.started import StartedHost
from fsgauge.rig.fleet.model import Host

HOST_COMMAND = "fleet-host"
"""The command of fsgauge that a host runs."""
_CONNECT_SECONDS = 20


@dataclass(frozen=True)
class CommandLauncher:
    """A child for each host, whose standard input is the host's lease."""

    command: Callable[[Host], list[str]]
    reaching: Callable[[Host], str]
    """Begins a command that a person runs on the host."""
    is_one_machine: bool = False
    wave: int = 100
    """Thousands at once would time one another out in their handshakes."""
    register_seconds: float = 90.0

    def start(self, bootstraps: Mapping[Host, Bootstrap]) -> dict[str, Started]:
        """Start them all, without waiting for any."""
        return {
            host.name: StartedHost(self.command(host), bootstrap)
            for host, bootstrap in bootstraps.items()
        }

    def by_hand(self, host: Host, *, looks: bool = False) -> str:
        """Any command of fsgauge but --version cleans up what a dead run has left."""
        word = "--version" if looks else "systems"
        return f"{self.reaching(host)}{shlex.quote(host.fsgauge or 'fsgauge')} {word}"


def local_launcher() -> CommandLauncher:
    """Processes of this machine, of this very fsgauge."""
    return CommandLauncher(
        lambda _: interpreter("fsgauge", HOST_COMMAND), lambda _: "", is_one_machine=True
    )


def ssh_launcher(controls: Path) -> CommandLauncher:
    """OpenSSH, which shares one connection a host; `controls` is a private folder for them."""
    if find_program("ssh") is None:
        raise InputError(
            "the program ssh is not installed here, and hosts are reached by it",
            next="apt-get install openssh-client",
        )

    def reaching(host: Host) -> str:
        return shlex.join(["ssh", *_whom(host)]) + " "

    return CommandLauncher(lambda host: ssh_command(host, controls), reaching)


def ssh_command(host: Host, controls: Path) -> list[str]:
    """OpenSSH without questions: a password or an unknown key is an error, not a prompt."""
    return [
        *("ssh", "-o", "BatchMode=yes", "-o", f"ConnectTimeout={_CONNECT_SECONDS}"),
        *("-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=3"),
        *("-o", "ControlMaster=auto", "-o", f"ControlPath={controls}/%C"),
        *("-o", "ControlPersist=no"),
        *_whom(host),
        f"{shlex.quote(host.fsgauge or 'fsgauge')} {HOST_COMMAND}",
    ]


def _whom(host: Host) -> list[str]:
    user = ["-l", host.user] if host.user is not None else []
    port = ["-p", str(host.port)] if host.port is not None else []
    return [*user, *port, "--", host.reached_at]
