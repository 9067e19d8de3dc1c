"""The working set: one file size for all systems of a study, so that each carries the same bytes.

The smallest free space is measured, not guessed: every file system is made once with the study's
own options before anything is timed, which also finds an option that mkfs or mount refuses, and a
file system that cannot do direct I/O as the study wants it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from fsgauge.host.ledger import Ledger
from fsgauge.rig import RunsJobs
from fsgauge.rig.direct import require_direct_files
from fsgauge.rig.formatted import formatted
from fsgauge.storage import Base
from fsgauge.study.model import Study
from fsgauge.system import FileSystem, find_kind
from fsgauge.units import format_size
from fsgauge.workload import method_of
from fsgauge.workload.space import times_held


@dataclass(frozen=True)
class Room:
    """Free bytes, and the system that leaves the least."""

    free_bytes: int
    least: str


def file_size_bytes(study: Study, base: Base, ledger: Ledger, engine: RunsJobs) -> int:
    """Size of each of the workload's files; InputError when they would be too small for it."""
    room = _smallest_room(study, base, ledger, engine)
    method = method_of(study.workload)
    filled = room.free_bytes * method.fill_percent // 100
    filled = max(min(filled, room.free_bytes - method.reserve_bytes), 0)
    size = method.file_size_bytes(filled // method.files)
    logs = method.reserve_bytes
    beside = f", beside {format_size(logs)} for logs" if logs else ""
    method.require_room(
        size,
        cause=f'"{room.least}" leaves room for {format_size(room.free_bytes)} of'
        f" {format_size(base.size_bytes)}, of which {method.fill_percent} % are filled by"
        f" {method.files} file{'s' if method.files > 1 else ''}{beside}",
    )
    return size


def free_bytes(directory: str) -> int:
    """What statvfs says a program may still write."""
    room = os.statvfs(directory)
    return room.f_bavail * room.f_frsize


def _smallest_room(study: Study, base: Base, ledger: Ledger, engine: RunsJobs) -> Room:
    least = Room(base.size_bytes, study.systems[0].name)
    for system in study.systems:
        kind = find_kind(system.kind)
        if isinstance(kind, FileSystem):
            with formatted(kind, system, base, ledger) as made:
                require_direct_files(study, system, str(made.directory), engine)
                here = free_bytes(str(made.directory)) // times_held(study, system)
            if here < least.free_bytes:
                least = Room(here, system.name)
    return least
