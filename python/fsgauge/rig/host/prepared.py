"""What the parts of the host rig hand each other: the storage, a system on it, who runs jobs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Protocol

from fsgauge.access import Server
from fsgauge.engine.wire import Event, Held, Job, LayoutResult, Result
from fsgauge.machine.folder.open_folder import OpenFolder
from fsgauge.record.machine import StorageFacts
from fsgauge.record.records import SystemFacts
from fsgauge.workload.folders import AgedFiles, FileSets, InFolder, Place


class RunsJobs(Protocol):
    """What is needed of the engine to make a system."""

    def run(self, job: Job, on_event: Callable[[Event], None] | None = None) -> Result:
        """Run a job to its end."""
        ...

    def holding(self, *places: Held) -> AbstractContextManager[None]:
        """Within it, jobs reach these places by their descriptors."""
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
    places: Mapping[str, OpenFolder] = field(default_factory=dict)
    """The folders that are used as they are, open, by their paths in the study; none of them where
    another file system is mounted there between turns."""


@dataclass(frozen=True)
class PreparedSystem:
    """A system made afresh and filled; `target` is what the load goes to.

    `layout` is None where the load makes its own files: then the system has empty folders.
    `server` is what clients reach them through, where the study starts one. `folder` is open where
    the system is a folder on a file system of others: all that is done in it goes by that.
    """

    facts: SystemFacts
    target: Place
    layout: LayoutResult | None
    start_state: list[str]
    notes: list[str]
    server: Server | None = None
    folder: OpenFolder | None = None

    @property
    def pinned(self) -> Place:
        """The target as this process, and programs that it starts, reach it: no rename leads them
        elsewhere."""
        if self.folder is None or not isinstance(self.target, InFolder):
            return self.target
        here = self.folder.pinned_below(self.target.directory)
        return self.target.model_copy(update={"directory": here})
