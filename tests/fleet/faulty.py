"""A fleet in this process, and one fault at a moment that a test names.

Hosts are processes with the engine of fleet_engine.py. The moment is one of the first start of a
run: before it is given, after it was given and before it comes, or while the load runs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from fsgauge.plan.turns import with_seed
from fsgauge.progress import Progress
from fsgauge.rig.fleet import block, clock, session
from fsgauge.rig.fleet.block import BlockOverHosts
from fsgauge.rig.fleet.hosts import Hosts
from fsgauge.rig.fleet.launcher.command import CommandLauncher
from fsgauge.rig.fleet.rig import FleetRig
from fsgauge.rig.fleet.session import FleetSession
from fsgauge.rig.rig import FleetChoice
from fsgauge.run import Outcome, run_study
from fsgauge.study.model import Study
from fsgauge.study.parse import load_study
from tests.fleet.conftest import environment_of, hosts_file

MOMENTS = ("before the start is given", "before it comes", "under load")
SECONDS_TO_ANSWER = 6.0
"""In place of 15: a test need not wait for so long."""
LOAD_SECONDS = 1.0


class InProcess(FleetRig):
    """A fleet whose hosts a test can reach, started by a launcher of its own where it has one."""

    def __init__(
        self, choice: FleetChoice, launcher: CommandLauncher | None, said: list[str]
    ) -> None:
        super().__init__(choice, said.append)
        self._own = launcher

    def _launcher(self, fleet: Any) -> Any:
        return self._own or super()._launcher(fleet)


@dataclass(frozen=True)
class Fault:
    """What happens to a host at a moment, and what is mended before it is started again."""

    moment: str
    strike: Callable[[], None]
    mend: Callable[[], None] = lambda: None


@dataclass
class Faulty:
    """A study with a fault in each of its blocks; `said` is what people are told, and `seen_after`
    how many seconds after each fault its host was known to be lost."""

    tmp_path: Path
    monkeypatch: pytest.MonkeyPatch
    faults: list[Fault] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    seen_after: list[float] = field(default_factory=list)
    hosts: Hosts | None = None
    _struck: list[float] = field(default_factory=list)

    def watch(self) -> None:
        """Have each fault strike at its moment of the first run of its block."""
        begin, restored = BlockOverHosts._start, FleetSession._restored

        def start(over: BlockOverHosts, *words: Any) -> None:
            self.hosts = over.hosts
            is_due = len(self._struck) == over.block < len(self.faults)
            fault = self.faults[over.block] if is_due else Fault("", lambda: None)
            if fault.moment == MOMENTS[0]:
                self._strike(fault)
            begin(over, *words)
            if fault.moment == MOMENTS[2]:
                left = over._start_ns / 1e9 - time.monotonic()
                time.sleep(max(0.0, left) + LOAD_SECONDS / 4)
            if fault.moment in MOMENTS[1:]:
                self._strike(fault)

        def restore(over: FleetSession, name: str) -> bool:
            self.seen_after.append(time.monotonic() - self._struck[-1])
            self.faults[len(self._struck) - 1].mend()
            return restored(over, name)

        self.monkeypatch.setattr(BlockOverHosts, "_start", start)
        self.monkeypatch.setattr(FleetSession, "_restored", restore)

    def _strike(self, fault: Fault) -> None:
        self._struck.append(time.monotonic())
        fault.strike()

    def measure(
        self,
        names: Sequence[str],
        launcher: CommandLauncher | None = None,
        listen: str | None = None,
    ) -> Outcome:
        """The study on these hosts; this machine listens on that address."""
        self.watch()
        for name, value in environment_of(
            self.tmp_path, FSGAUGE_FLEET_ENGINE_SECONDS=str(LOAD_SECONDS)
        ).items():
            self.monkeypatch.setenv(name, value)
        for module in (block, session.control):
            self.monkeypatch.setattr(module, "ANSWER_SECONDS", SECONDS_TO_ANSWER)
        self.monkeypatch.setattr(clock, "_ASK_SECONDS", SECONDS_TO_ANSWER)
        file = hosts_file(self.tmp_path, *names)
        if listen is not None:
            file.write_text(f'listen = "{listen}"\n{file.read_text()}')
        choice = FleetChoice(hosts=file)
        return run_study(
            small_study(self.tmp_path, max(2, len(self.faults))),
            rig=InProcess(choice, launcher, self.said),
            results=self.tmp_path / "results",
            destroy=None,
            command=["fsgauge"],
            progress=Progress(),
        )

    def pid(self, name: str) -> int:
        """The process of a host."""
        assert self.hosts is not None
        return int(self.hosts._started[name].pid)  # type: ignore[attr-defined]

    def engine(self, name: str) -> int:
        """The engine that a host runs now."""
        children = Path(f"/proc/{self.pid(name)}/task").glob("*/children")
        found = [int(pid) for each in children for pid in each.read_text().split()]
        assert found, "it runs no engine"
        return found[-1]


def small_study(tmp_path: Path, blocks: int) -> Study:
    """So many blocks of one cell."""
    place = tmp_path / "disks"
    place.mkdir(exist_ok=True)
    changes = [
        *("storage.size=16MiB", f"plan.blocks={blocks}", "workload.direct=false"),
        *("workload.duration=100ms", "workload.warm_up=0s", "workload.queue_depths=[1]"),
        *('workload.patterns=["randread"]', 'workload.block_sizes=["4KiB"]'),
    ]
    return with_seed(load_study("overhead", changes, ["mounted"], f"path:{place}"), 7)


@pytest.fixture
def faulty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Faulty:
    return Faulty(tmp_path, monkeypatch)
