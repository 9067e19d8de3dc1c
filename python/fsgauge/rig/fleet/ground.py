"""The ground of a fleet: which hosts' folders are on one file system, and whether it has room.

A host says what it sees. Only together can hosts be told to stand on one file system: then all of
them write into what is free there, and where one file is for all of them, they have to.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated

from pydantic import Field, TypeAdapter

from fsgauge.errors import FsgaugeError, InputError
from fsgauge.machine.facts.mounts import mount_holding
from fsgauge.plain_files.kept import Kept
from fsgauge.rig.fleet.control import Answer, HostLostError, all_understood
from fsgauge.rig.fleet.identity import HostIdentity
from fsgauge.rig.fleet.messages import Words
from fsgauge.storage.base import ROOM_PERCENT
from fsgauge.study.model import LoopStorage, PathStorage, Study
from fsgauge.study.storage import SMALLEST_STORAGE_BYTES
from fsgauge.units import exact_size, format_size
from fsgauge.workload import Method, method_of

_LOCAL = frozenset(
    (
        *("ext2", "ext3", "ext4", "xfs", "btrfs", "f2fs", "jfs", "bcachefs", "zfs", "tmpfs"),
        *("ramfs", "overlay", "vfat", "exfat", "ntfs3", "erofs", "squashfs", ""),
    )
)
"""File systems that one machine has for itself: two hosts never share one."""
_OWN_NUMBERS = ("cifs", "smb3", "fuse")
"""Those whose client may number files itself, so that numbers tell nothing."""


class Ground(Kept):
    """A folder as a host sees it. `file_system` is its type, `number` that of the folder's inode,
    `device` that of its mount; sizes are those of the whole file system."""

    path: Words
    file_system: Words
    source: Words
    device: int
    number: int
    size_bytes: Annotated[int, Field(ge=0)]
    free_bytes: Annotated[int, Field(ge=0)]

    @property
    def is_local(self) -> bool:
        return self.file_system in _LOCAL

    def key(self, host: HostIdentity) -> tuple[object, ...]:
        """The same for two hosts on one file system, and only there."""
        if self.is_local:
            return (host.machine, host.boot, self.device)
        return (self.file_system, self.source, self.size_bytes)

    def folder(self, host: HostIdentity) -> tuple[object, ...]:
        """The same for two hosts that may have one folder; a server may have several names."""
        where = self.key(host) if self.is_local else (self.file_system, self.size_bytes)
        has_numbers = not self.file_system.startswith(_OWN_NUMBERS)
        return (*where, self.number if has_numbers else None)


Grounds = TypeAdapter(list[Ground])
"""One for each folder of a study, in the order of `_folders`."""


def grounds_here(study: Study) -> list[Ground]:
    return [_ground(path) for path in _folders(study)]


def grounds_from(host: str, answer: Answer, study: Study) -> list[Ground]:
    """What a host said of them; raises HostLostError where it is of fewer or more."""
    found, folders = all_understood(host, answer, Grounds), len(_folders(study))
    if len(found) != folders:
        raise HostLostError(host, f"it tells of {len(found)} folders, and the study has {folders}")
    return found


def refused_grounds(
    study: Study, found: Mapping[str, list[Ground]], identities: Mapping[str, HostIdentity]
) -> list[FsgaugeError]:
    """What is refused about the folders of all hosts together; `found` is by host."""
    method = method_of(study.workload)
    refused = list(_apart(found, identities, method)) if method.files_of_all else []
    users = 1 if 0 < method.files_of_all == method.files else len(found)
    return refused or list(_too_full(study, found, identities, users))


def _folders(study: Study) -> list[str]:
    storage = study.storage
    if isinstance(storage, LoopStorage):
        return [storage.directory]
    if not isinstance(storage, PathStorage):
        return []
    return list(dict.fromkeys(system.path or storage.path for system in study.systems))


def _ground(path: str) -> Ground:
    status, room, mount = Path(path).stat(), os.statvfs(path), mount_holding(path)
    return Ground(
        path=path,
        file_system=mount.file_system if mount else "",
        source=mount.source if mount else "",
        device=status.st_dev,
        number=status.st_ino,
        size_bytes=room.f_blocks * room.f_frsize,
        free_bytes=room.f_bavail * room.f_frsize,
    )


def _apart(
    found: Mapping[str, list[Ground]], identities: Mapping[str, HostIdentity], method: Method
) -> Iterator[FsgaugeError]:
    """The first host whose folder is not that of the first one."""
    first, *others = found
    for name in others:
        for theirs, own in zip(found[first], found[name], strict=True):
            if own.folder(identities[name]) == theirs.folder(identities[first]):
                continue
            yield InputError(
                f"{own.path} of {name} is not the folder that {first} has at {theirs.path}",
                details=(f"{first}: {_words(theirs)}", f"{name}: {_words(own)}"),
                cause="all hosts work on the same files, so they need one folder",
                next=f"--storage FOLDER of a file system that all of them share, or"
                f" {method.without_files_of_all()}",
            )
            return


def _too_full(
    study: Study,
    found: Mapping[str, list[Ground]],
    identities: Mapping[str, HostIdentity],
    users: int,
) -> Iterator[FsgaugeError]:
    size_bytes = getattr(study.storage, "size", 0)
    together: dict[tuple[object, ...], dict[str, Ground]] = {}
    for name, grounds in found.items():
        for ground in grounds:
            together.setdefault(ground.key(identities[name]), {})[name] = ground
    for on_it in together.values():
        count = min(users, len(on_it))
        ground = min(on_it.values(), key=lambda each: each.free_bytes)
        if count < 2 or ground.free_bytes * 100 >= count * size_bytes * ROOM_PERCENT:
            continue
        fits = ground.free_bytes // count * 9 // 10 >> 20 << 20
        yield InputError(
            f"{ground.path} has {format_size(ground.free_bytes)} free, and {count} hosts use up to"
            f" {format_size(size_bytes)} each of it",
            details=(f"on one file system: {', '.join(on_it)}",),
            next=f"--set storage.size={exact_size(fits).replace(' ', '')}"
            if fits >= SMALLEST_STORAGE_BYTES
            else "free some space there, or take fewer hosts",
        )


def _words(ground: Ground) -> str:
    return (
        f"{ground.path}, {ground.file_system or 'a file system that is not visible'} of"
        f" {format_size(ground.size_bytes)} from {ground.source or 'nowhere'}"
    )
