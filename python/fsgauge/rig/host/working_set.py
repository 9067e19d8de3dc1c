"""The working set: as many bytes or files for all systems of a study, so that each carries alike.

The smallest free space is measured, not guessed: every file system is made once with the study's
own options before anything is timed, which also finds an option that mkfs or mount refuses, and a
file system that cannot do direct I/O as the study wants it. `fill` then writes it.
"""

from __future__ import annotations

import errno
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from fsgauge.engine.client import Engine
from fsgauge.engine.wire import BlockTarget, EngineFault, FilesTarget, LayoutResult
from fsgauge.errors import InputError, RigError
from fsgauge.machine.folder.open_folder import OpenFolder, open_place
from fsgauge.machine.ledger.ledger import Ledger
from fsgauge.plan.space import planned_room, times_held
from fsgauge.rig.host.allocation import asks_for_allocation, require_allocation
from fsgauge.rig.host.direct import direct_in_cache, require_direct_files
from fsgauge.rig.host.formatted import formatted
from fsgauge.storage import Base
from fsgauge.storage.base import free_bytes
from fsgauge.storage.path import free_inodes
from fsgauge.study.model import PathStorage, Study, System
from fsgauge.system import FileSystem, find_kind
from fsgauge.units import format_size
from fsgauge.workload import method_of
from fsgauge.workload.assumed import Room
from fsgauge.workload.folders import AgedFiles, AgedFolders, ClientFolders, FileSets


@dataclass(frozen=True)
class WorkingSet:
    """On storage of `size_bytes`: the size of each file that is laid out, or the file sets that the
    load makes."""

    size_bytes: int
    file_size_bytes: int
    file_sets: FileSets | AgedFiles | None
    cached_direct: Mapping[str, str] = field(default_factory=dict)
    """See StorageFacts."""


def working_set(
    study: Study,
    base: Base,
    ledger: Ledger,
    engine: Engine,
    places: Mapping[str, OpenFolder],
) -> WorkingSet:
    """What every system holds; InputError when the load does not fit. `places` are the folders that
    are used as they are, open, by their paths."""
    rooms = []
    cached = {}
    for system in study.systems:
        kind = find_kind(system.kind)
        if isinstance(kind, FileSystem):
            with formatted(kind, system, base, ledger) as made:
                rooms.append(room_of(study, system, made.directory, engine))
                cached[system.name] = direct_in_cache(study, str(made.directory))
        elif kind.placement == "folder":
            place = places[system.path or str(base.directory)]
            if asks_for_allocation(system):
                with ledger.scratch(place, "probe") as probe:
                    require_allocation(system, probe)
            rooms.append(Room(base.size_bytes, system.name, free_inodes(place.pinned), system.name))
            cached[system.name] = direct_in_cache(study, place.pinned)
    found = fitting(study, rooms, base.size_bytes)
    return replace(found, cached_direct={name: words for name, words in cached.items() if words})


def room_of(study: Study, system: System, directory: Path, engine: Engine | None) -> Room:
    """The room of a file system that was just made, once it can do what the study's load needs.

    InputError where it cannot; without an engine, direct I/O is not asked about.
    """
    here = str(directory)
    if engine is not None:
        require_direct_files(study, system, here, engine)
    with open_place(directory) as root:
        require_allocation(system, root)
    free = free_bytes(here) // times_held(study, system)
    return Room(free, system.name, free_inodes(here), system.name)


def fitting(study: Study, rooms: Iterable[Room], size_bytes: int) -> WorkingSet:
    """What every system holds whose rooms these are, on storage of `size_bytes`."""
    room = replace(planned_room(study, size_bytes), least=study.systems[0].name)
    for each in rooms:
        room = _less(room, each)
    method = method_of(study.workload)
    in_room = method.in_room(room)
    in_room.require_inodes(room)
    if not method.lays_out:
        return WorkingSet(size_bytes, 0, in_room.file_sets)
    filled = room.free_bytes * method.fill_percent // 100
    filled = max(min(filled, room.free_bytes - method.reserve_bytes), 0)
    size = method.file_size_bytes(filled // method.files)
    logs = method.reserve_bytes
    beside = f", plus {format_size(logs)} for logs" if logs else ""
    fill = "1 file fills" if method.files == 1 else f"{method.files} files fill"
    method.require_room(
        size,
        cause=f'"{room.least}" leaves room for {format_size(room.free_bytes)} of'
        f" {format_size(size_bytes)}, and {fill} {method.fill_percent} % of that{beside}",
    )
    return WorkingSet(size_bytes, size, None)


def _less(one: Room, other: Room) -> Room:
    """The smaller of both in bytes, and in inodes."""
    if other.free_bytes < one.free_bytes:
        one = replace(one, free_bytes=other.free_bytes, least=other.least)
    if other.inodes is not None and (one.inodes is None or other.inodes < one.inodes):
        one = replace(one, inodes=other.inodes, fewest=other.fewest)
    return one


def fill(
    study: Study,
    target: FilesTarget | BlockTarget | ClientFolders | AgedFolders,
    engine: Engine,
) -> LayoutResult | None:
    """Lay the target out through the engine; InputError when the files do not fit.

    None where the load makes its own files.
    """
    seed = 1 if study.plan.seed is None else study.plan.seed
    job = method_of(study.workload).layout_job(target, seed)
    if job is None or isinstance(target, ClientFolders | AgedFolders):
        return None
    try:
        result = engine.run(job)
    except RigError as error:
        fault = getattr(error, "fault", None)
        if isinstance(fault, EngineFault) and fault.errno == errno.ENOSPC:
            raise _does_not_fit(study, target) from error
        raise
    if not isinstance(result, LayoutResult):
        raise RigError(
            "the engine did not answer a layout job with its result",
            cause="the engine is of another version than this fsgauge",
            next="make setup",
        )
    return result


def target_bytes(target: FilesTarget | BlockTarget) -> int:
    if isinstance(target, BlockTarget):
        return target.size_bytes
    return target.count * target.file_size_bytes


def _does_not_fit(study: Study, target: FilesTarget | BlockTarget) -> InputError:
    if isinstance(study.storage, PathStorage):
        return InputError(
            f"the files, {format_size(target_bytes(target))}, do not fit into their folder",
            cause="its file system has filled up meanwhile, or this user's quota is used up",
            next="df -h, quota; a smaller --set storage.size or another folder",
        )
    less = max(method_of(study.workload).fill_percent - 10, 1)
    return InputError(
        f"the files, {format_size(target_bytes(target))}, do not fit",
        cause="the file system needs more space for itself than it reported when empty",
        next=f"--set 'workload.fill={less} %', or a larger storage",
    )
