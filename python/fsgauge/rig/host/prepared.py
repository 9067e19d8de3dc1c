"""What the parts of the host rig hand each other: the storage, a system on it, who runs jobs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from fsgauge.access.server import Server
from fsgauge.machine import StorageFacts
from fsgauge.record import SystemFacts
from fsgauge.wire import Event, Job, LayoutResult, Result
from fsgauge.workload.folders import AgedFiles, FileSets, Place


class RunsJobs(Protocol):
    """What is needed of the engine to make a system."""

    def run(self, job: Job, on_event: Callable[[Event], None] | None = None) -> Result:
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
