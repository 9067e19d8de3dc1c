"""A coordinator in this process, and stub hosts in others: how soon they are there, what they cost.

Registering 300 hosts on two cores is mostly the hosts' own work; the idle coordinator is measured
by this process's time alone.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from fsgauge.rig.fleet.hosts import started_hosts
from fsgauge.rig.fleet.launcher.launcher import Bootstrap, Started
from fsgauge.rig.fleet.model import Host
from side_by_side import expect

HOSTS = 300
IDLE_SECONDS = 20.0
_A_PROCESS = 150
"""More workers in one process wait for one another, and not for the coordinator."""
_PROGRAM = Path(__file__).with_name("stub_host_process.py")


def _input_of(child: subprocess.Popen[str]) -> IO[str]:
    """The pipe that ends it when it is closed."""
    if child.stdin is None:
        raise SystemExit("error: a stub host has no input")
    return child.stdin


class _Stub:
    """A host of a process with many."""

    def why_ended(self) -> str | None:
        return None

    def end(self, seconds: float = 0.0) -> bool:  # noqa: ARG002 - its process ends with all
        return True


@dataclass
class _Processes:
    """Starts stub hosts, many in a process."""

    is_one_machine: bool = True
    wave: int = 100
    register_seconds: float = 600.0
    children: list[subprocess.Popen[str]] = field(default_factory=list)

    def start(self, bootstraps: Mapping[Host, Bootstrap]) -> dict[str, Started]:
        lines = [each.model_dump_json() + "\n" for each in bootstraps.values()]
        for at in range(0, len(lines), _A_PROCESS):
            mine = lines[at : at + _A_PROCESS]
            child = subprocess.Popen(
                [sys.executable, str(_PROGRAM)], stdin=subprocess.PIPE, text=True
            )
            pipe = _input_of(child)
            pipe.write(f"{len(mine)}\n{''.join(mine)}")
            pipe.flush()
            self.children.append(child)
        return {host.name: _Stub() for host in bootstraps}

    def by_hand(self, host: Host, *, looks: bool = False) -> str:  # noqa: ARG002 - of the protocol
        return f"ssh {host.name}"

    def end(self) -> None:
        for child in self.children:
            _input_of(child).close()
        for child in self.children:
            child.wait(120)


@contextmanager
def _launcher() -> Iterator[_Processes]:
    found = _Processes()
    try:
        yield found
    finally:
        found.end()


def registered_and_idle() -> tuple[float, float]:
    """Seconds until all hosts have said who they are, and the share of a core that the coordinator
    then takes while nothing is measured."""
    hosts = [Host(name=f"h{number:03d}") for number in range(HOSTS)]
    with _launcher() as launcher:
        begin = time.monotonic()
        with started_hosts(hosts, launcher, "127.0.0.1") as found:
            took = time.monotonic() - begin
            expect(len(found.identities), HOSTS, "hosts are known")
            time.sleep(2.0)
            begin, spent = time.monotonic(), time.process_time()
            time.sleep(IDLE_SECONDS)
            idle = (time.process_time() - spent) / (time.monotonic() - begin)
    return took, idle
