"""The working set: as many bytes or files for all systems of a study, so that each carries alike.

The smallest free space is measured, not guessed: every file system is made once with the study's
own options before anything is timed, which also finds an option that mkfs or mount refuses, and
a file system that cannot do direct I/O as the study wants it. `fill` then writes it.
FS_IOC_FSSETXATTR with FS_XFLAG_EXTSZINHERIT (include/uapi/linux/fs.h, Linux 6.12) sets the
extent size hint of a folder, which XFS gives to every file that is made in it.
"""

from __future__ import annotations

import errno
import fcntl
import os
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from fsgauge.engine.client import Engine, EngineFaultError
from fsgauge.engine.wire import BlockTarget, FilesTarget, LayoutResult
from fsgauge.errors import InputError
from fsgauge.machine.folder.open_folder import OpenFolder, open_place
from fsgauge.machine.ledger.ledger import Ledger
from fsgauge.plain_files.opening import closing
from fsgauge.plan.space import filled_bytes, planned_room, reserve_words, times_held
from fsgauge.rig.host.before_runs import allocate
from fsgauge.rig.host.direct import direct_in_cache, require_direct_files
from fsgauge.rig.host.extents import require_extents
from fsgauge.rig.host.formatted import formatted
from fsgauge.storage import Base
from fsgauge.storage.base import free_bytes
from fsgauge.storage.path import free_inodes
from fsgauge.study.model import PathStorage, Study, System
from fsgauge.system import FileSystem, find_kind
from fsgauge.system.options import made_with_inodes
from fsgauge.units import exact_size, format_size
from fsgauge.workload import method_of
from fsgauge.workload.assumed import Room
from fsgauge.workload.folders import AgedFiles, AgedFolders, ClientFolders, FileSets

_FORM = struct.Struct("=5I8x")
"""struct fsxattr: flags, extent size, number of extents, project, extent size of copies."""
_GET, _SET = 0x801C581F, 0x401C5820
_INHERITED = 0x1000
_BLOCK_BYTES = 4096
_FILE = "file"
_NEW_FILE = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC


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
    study: Study, base: Base, ledger: Ledger, engine: Engine, places: Mapping[str, OpenFolder]
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
            if _asks_for_allocation(system):
                with ledger.scratch(place, "probe") as probe:
                    _require_allocation(system, probe)
            rooms.append(Room(base.size_bytes, system.name, free_inodes(place.pinned), system.name))
            cached[system.name] = direct_in_cache(study, place.pinned)
    found = fitting(study, rooms, base.size_bytes)
    return replace(found, cached_direct={name: words for name, words in cached.items() if words})


def room_of(study: Study, system: System, directory: Path, engine: Engine | None) -> Room:
    """The room of a file system that was just made, once it can do what the study's load needs.
    InputError where it cannot; without an engine, direct I/O is not asked about."""
    here = str(directory)
    if engine is not None:
        require_direct_files(study, system, here, engine)
    require_extents(study, system, here)
    with open_place(directory) as root:
        _require_allocation(system, root)
    free = free_bytes(here) // times_held(study, system)
    made = os.statvfs(here)
    change = made_with_inodes(system, made.f_blocks * made.f_frsize)
    return Room(free, system.name, free_inodes(here), system.name, of_mkfs=change)


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
    size = method.file_size_bytes(filled_bytes(method, room.free_bytes) // method.files)
    fill = "1 file fills" if method.files == 1 else f"{method.files} files fill"
    method.require_room(
        size,
        cause=f'"{room.least}" leaves room for {format_size(room.free_bytes)} of'
        f" {format_size(size_bytes)}, and {fill} {method.fill_percent} % of that"
        f"{reserve_words(method)}",
    )
    return WorkingSet(size_bytes, size, None)


def _less(one: Room, other: Room) -> Room:
    if other.free_bytes < one.free_bytes:
        one = replace(one, free_bytes=other.free_bytes, least=other.least)
    if other.inodes is not None and (one.inodes is None or other.inodes < one.inodes):
        one = replace(one, inodes=other.inodes, fewest=other.fewest, of_mkfs=other.of_mkfs)
    return one


def fill(
    study: Study, target: FilesTarget | BlockTarget | ClientFolders | AgedFolders, engine: Engine
) -> LayoutResult | None:
    """Lay the target out through the engine; InputError when the files do not fit. None where the
    load makes its own files."""
    seed = 1 if study.plan.seed is None else study.plan.seed
    job = method_of(study.workload).layout_job(target, seed)
    if job is None or isinstance(target, ClientFolders | AgedFolders):
        return None
    try:
        return engine.layout(job)
    except EngineFaultError as error:
        if error.fault.errno == errno.ENOSPC:
            raise _does_not_fit(study, target) from error
        raise


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


def _asks_for_allocation(system: System) -> bool:
    return system.allocation_chunk is not None or system.extent_size_hint is not None


def _require_allocation(system: System, folder: OpenFolder) -> None:
    """InputError where a folder cannot give space as the system says; the folder keeps the hint."""
    if not _asks_for_allocation(system):
        return
    with folder.opened(folder.path) as here:
        set_extent_size_hint(system, here)
        if system.allocation_chunk is not None:
            _require_fallocate(system, here)


def set_extent_size_hint(system: System, descriptor: int) -> int | None:
    """Set the system's hint on an open folder and give what is in force, read back; None without
    one."""
    wanted = system.extent_size_hint
    if wanted is None:
        return None
    try:
        flags, _, extents, project, copies = _asked(descriptor)
        attributes = _FORM.pack(flags | _INHERITED, wanted, extents, project, copies)
        fcntl.ioctl(descriptor, _SET, attributes)
        flags, found, *_ = _asked(descriptor)
    except OSError as error:
        raise _refused(system, error.strerror or "no such call") from error
    if not flags & _INHERITED or found != wanted:
        raise _refused(system, f"it reads back as {exact_size(found) if found else 'none'}")
    return found


def _asked(descriptor: int) -> tuple[int, ...]:
    return _FORM.unpack(fcntl.ioctl(descriptor, _GET, bytes(_FORM.size)))


def _refused(system: System, reason: str) -> InputError:
    return InputError(
        f'"{system.name}" does not take an extent size hint of'
        f" {exact_size(system.extent_size_hint or 0)}",
        cause=f"{reason}; only XFS has such hints, in multiples of its block size",
        next="leave extent_size_hint out, or allocation_chunk for any system with fallocate",
    )


def _require_fallocate(system: System, folder: int) -> None:
    with closing(os.open(_FILE, _NEW_FILE, 0o600, dir_fd=folder)) as descriptor:
        try:
            allocate(descriptor, 0, _BLOCK_BYTES)
        except OSError as error:
            if error.errno not in (errno.EOPNOTSUPP, errno.ENOSYS):
                raise
            raise InputError(
                f'"{system.name}" has no fallocate, which its allocation_chunk needs',
                cause=f"{system.kind}: {error.strerror}",
                next="leave allocation_chunk out: files are then written, and the file system's"
                " allocator decides",
            ) from error
        finally:
            os.unlink(_FILE, dir_fd=folder)
