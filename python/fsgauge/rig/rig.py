"""Rigs: the world a run happens in. This file holds what every rig offers; host.py is this machine.

A rig gives storage, makes each system afresh on it, and knows the environment. It takes the
engine as a parameter, so that a test can give it another.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from fsgauge.access.server import Server
from fsgauge.record import DeviceRun, EnvironmentRecord, StorageFacts, SystemFacts
from fsgauge.rig.host.device.consent import Consent
from fsgauge.study.model import Study, System
from fsgauge.wire import (
    AgeResult,
    Event,
    Job,
    LayoutResult,
    LoadResult,
    ProbeResult,
    ScanResult,
)
from fsgauge.workload.folders import AgedFiles, FileSets, Place
from fsgauge.workload.steps import FileStep


class RunsJobs(Protocol):
    """What a rig needs of the engine."""

    def run(
        self, job: Job, on_event: Callable[[Event], None] | None = None
    ) -> LoadResult | LayoutResult | ProbeResult | ScanResult | AgeResult:
        """Run a job to its end."""
        ...


@dataclass(frozen=True)
class AttachedStorage:
    """Storage that is there and ours until its context ends.

    `device` is set for loop, ram and device, `directory` for path. `file_size_bytes` is the size
    of each of the workload's files: equal for every system, so that all have one working set.
    `file_sets` are there instead where the load makes its own files, equal for every system too.
    """

    kind: str
    device: str | None
    directory: str | None
    size_bytes: int
    file_size_bytes: int
    facts: StorageFacts
    file_sets: FileSets | AgedFiles | None = None


@dataclass(frozen=True)
class PreparedSystem:
    """A system made afresh and filled; `target` is what the load goes to.

    `layout` is None where the load makes its own files: then the system has empty folders.
    `server` is what clients reach them through, where the study starts one.
    """

    facts: SystemFacts
    target: Place
    layout: LayoutResult | None
    start_state: list[str]
    notes: list[str]
    server: Server | None = None


class Rig(Protocol):
    """The world a run happens in."""

    name: str

    def check(self, study: Study, destroy: Consent | None) -> None:
        """Refuse whatever can be refused before anything is touched."""
        ...

    def storage(self, study: Study) -> AbstractContextManager[AttachedStorage]:
        """The study's storage, for as long as the context lasts."""
        ...

    def prepare(
        self, study: Study, system: System, attached: AttachedStorage
    ) -> AbstractContextManager[PreparedSystem]:
        """A system made afresh and filled, for as long as the context lasts."""
        ...

    def settle(self, prepared: PreparedSystem) -> str:
        """Bring caches to the state that every run starts from; gives what was done."""
        ...

    def watch_device(self, prepared: PreparedSystem) -> Callable[[], DeviceRun | None]:
        """Begin to count what the device is asked for; what is given ends it and says how much."""
        ...

    def wear(self, prepared: PreparedSystem, step: FileStep) -> int:
        """Carry out a step between cells; gives the bytes that it took or gave back."""
        ...

    def free_bytes(self, prepared: PreparedSystem) -> int:
        """What can still be taken of a system that has folders, all that was freed included."""
        ...

    def layout_folder(self, prepared: PreparedSystem) -> str | None:
        """The folder whose layout can be scanned, synced; None for a bare device."""
        ...

    def environment(self, study: Study, attached: AttachedStorage) -> EnvironmentRecord:
        """The machine as it is now."""
        ...
