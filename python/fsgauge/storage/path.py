"""Storage that is used as it is: folders of mounted file systems, and shares of running servers.

What the quota of this user and its group leaves in a folder, statvfs does not tell. Quotas of
projects and datasets show in statvfs. Root has none: the kernel lets it go beyond them.
"""

from __future__ import annotations

import ctypes
import errno
import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from fsgauge.errors import InputError
from fsgauge.machine.facts.mounts import mount_holding
from fsgauge.plain_files.opening import closing
from fsgauge.programs.libc import LIBC
from fsgauge.record.machine import StorageFacts
from fsgauge.storage.base import ROOM_PERCENT, Base, typed
from fsgauge.study.model import PathStorage, ShareStorage
from fsgauge.study.storage import SMALLEST_STORAGE_BYTES
from fsgauge.units import format_size


def check(storage: PathStorage) -> None:
    require_usable(storage.path, storage.size)


def require_usable(path: str, size_bytes: int) -> None:
    """InputError for a folder in which `size_bytes` cannot be written."""
    folder = Path(path)
    quoted = shlex.quote(path)
    try:
        is_folder, room = folder.is_dir(), os.statvfs(folder) if folder.is_dir() else None
    except OSError as error:
        closed = error.errno in (errno.EACCES, errno.EPERM)
        raise InputError(
            f"{path} cannot be looked at: {error.strerror}",
            cause="this user may not enter it; FUSE mounts are closed to others, to root too"
            if closed
            else "its server, or the program that serves it, may be gone",
            next=f"findmnt --target {quoted}",
        ) from None
    if not is_folder or room is None:
        raise InputError(
            f"there is no folder {path}",
            cause="it is not created, since a missing mount would go unnoticed",
            next=f"mkdir {quoted}, or mount the file system that belongs there",
        )
    if room.f_flag & os.ST_RDONLY:
        raise InputError(
            f"{path} is mounted read-only, and a study writes its own files",
            next=f"name another folder; or as root: mount -o remount,rw {_mount_point(path)}",
        )
    if not os.access(folder, os.W_OK | os.X_OK):
        raise InputError(
            f"{path} cannot be written by this user",
            cause=f"a study makes a scratch folder in it; see ls -ld {quoted}",
            next="name a folder of your own on the same file system",
        )
    _require_room(path, room, size_bytes)


def fitting_bytes(path: str, size_bytes: int) -> int:
    """The size, or as much of it as fits into a folder; the size where hardly anything would.

    Raises OSError for a folder that cannot be looked at.
    """
    free, _ = _free(path, os.statvfs(path))
    fits = _of_free(free)
    is_cut = free * 100 < size_bytes * ROOM_PERCENT and fits >= SMALLEST_STORAGE_BYTES
    return fits if is_cut else size_bytes


def _free(path: str, room: os.statvfs_result) -> tuple[int, bool]:
    quota = left_by_quota(path).size_bytes
    free = room.f_bavail * room.f_frsize
    return (free, False) if quota is None or quota >= free else (quota, True)


def _of_free(free_bytes: int) -> int:
    """What a study may use of it, in whole MiB where that is some."""
    fits = free_bytes * 9 // 10
    return fits >> 20 << 20 or fits


def _require_room(path: str, room: os.statvfs_result, size_bytes: int) -> None:
    free, is_quota = _free(path, room)
    if free * 100 >= size_bytes * ROOM_PERCENT:
        return
    fits = _of_free(free)
    raise InputError(
        f"{path} has {format_size(free)} free, and the study uses up to {format_size(size_bytes)}",
        cause="that is what the quota of this user or its group leaves" if is_quota else "",
        next=f"--set storage.size={typed(fits)}"
        if fits >= SMALLEST_STORAGE_BYTES
        else "free some space there, or name a folder with more of it",
    )


def free_inodes(directory: str) -> int | None:
    """How many files a program may still make, by statvfs and by quotas; None where nothing limits
    them."""
    room, quota = os.statvfs(directory), left_by_quota(directory).inodes
    free = [room.f_favail] * bool(room.f_files) + ([] if quota is None else [quota])
    return min(free, default=None)


def _mount_point(path: str) -> str:
    mount = mount_holding(path)
    return shlex.quote(mount.mount_point if mount else path)


@contextmanager
def attach(storage: PathStorage) -> Iterator[Base]:
    """The folder as it is; each turn makes and removes its own scratch folder in it. What its
    folders are on, the rig says: the study's systems may have other ones."""
    check(storage)
    facts = StorageFacts(
        kind="path", sentence="", size_bytes=storage.size, device_chain=[], cautions=[]
    )
    yield Base(None, storage.path, storage.size, facts)


@contextmanager
def attach_share(storage: ShareStorage) -> Iterator[Base]:
    """The storage, of which only the size that the study may use is known."""
    facts = StorageFacts(
        kind="share",
        sentence=f"up to {format_size(storage.size)} on shares of servers (used as they are)",
        size_bytes=storage.size,
        device_chain=[],
        cautions=[
            "the storage and the other users of a share are not known here; the server's caches"
            " are not dropped, and extents cannot be counted"
        ],
    )
    yield Base(None, None, storage.size, facts)


_QUOTACTL_FD = 443
"""Linux 5.14; one number on every machine that the engine is built for."""
_GET = 0x800007 << 8
_USER, _GROUP = 0, 1
_BLOCK_BYTES = 1024
"""The unit of limits (QIF_DQBLKSIZE); what is used is in bytes."""


class _Limits(ctypes.Structure):
    """`struct if_dqblk`; a limit of 0 is none."""

    _fields_ = (
        *((name, ctypes.c_uint64) for name in ("hard_blocks", "soft_blocks", "used_bytes")),
        *((name, ctypes.c_uint64) for name in ("hard_inodes", "soft_inodes", "used_inodes")),
        *((name, ctypes.c_uint64) for name in ("block_grace", "inode_grace")),
        ("valid", ctypes.c_uint32),
    )


@dataclass(frozen=True)
class Left:
    """Bytes and files that may still be added; None where no quota limits them."""

    size_bytes: int | None
    inodes: int | None


def left_by_quota(directory: str) -> Left:
    """The least of the user's and the group's; hard limits, as a study is over before any grace."""
    if os.geteuid() == 0:
        return Left(None, None)
    limits = list(_limits(directory))
    sizes = [
        max(each.hard_blocks * _BLOCK_BYTES - each.used_bytes, 0)
        for each in limits
        if each.hard_blocks
    ]
    inodes = [max(each.hard_inodes - each.used_inodes, 0) for each in limits if each.hard_inodes]
    return Left(min(sizes, default=None), min(inodes, default=None))


def _limits(directory: str) -> Iterator[_Limits]:
    try:
        descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:  # said by who looks at the folder
        return
    with closing(descriptor):
        for kind, owner in ((_USER, os.geteuid()), (_GROUP, os.getegid())):
            found = _Limits()
            words = (ctypes.c_uint(_GET | kind), ctypes.c_uint(owner), ctypes.byref(found))
            if LIBC.syscall(_QUOTACTL_FD, ctypes.c_uint(descriptor), *words) == 0:
                yield found
