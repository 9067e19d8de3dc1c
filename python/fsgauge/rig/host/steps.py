"""Steps between cells that need no engine: files removed, free space taken.

A step is durable when it returns: what was freed can be given away again, and statvfs says so.
Only files below the folder of a system that was made for the study are touched.
"""

from __future__ import annotations

import ctypes
import errno
import os
import time
from pathlib import Path

from fsgauge.errors import RigError
from fsgauge.machine.facts.mounts import mount_holding
from fsgauge.machine.folder.open_folder import OpenFolder
from fsgauge.plain_files.opening import closing
from fsgauge.programs.libc import LIBC, last_error
from fsgauge.rig.host.caches import sync_file_system
from fsgauge.workload.steps import ClearFolder, DeleteFile, FileStep

_SECTOR_BYTES = 512
_PIECE_BYTES = 1 << 20
_BLOCK_BYTES = 4096
_MOST_PIECES = 256
"""Calls of fallocate for one file: each that is refused asks for half as much."""
_STEADY_SECONDS = 0.02
_LONGEST_WAIT_SECONDS = 10.0

LIBC.fallocate.argtypes = (ctypes.c_int, ctypes.c_int, ctypes.c_int64, ctypes.c_int64)


def wear(step: FileStep, root: OpenFolder) -> int:
    """Carry a step out on the system at `root`; gives the bytes that it took or gave back. Raises
    RigError where the file system refuses, ValueError for what is not below `root`."""
    try:
        if isinstance(step, ClearFolder):
            with root.opened(_below(step.directory, root)) as folder:
                return _clear(folder)
        path = _below(step.path, root)
        with root.opened(path.parent) as folder:
            if isinstance(step, DeleteFile):
                return _remove(path.name, folder)
            return _take(path.name, folder, step.leave_bytes)
    except OSError as error:
        raise RigError(
            f"a step before a cell failed: {step.what}",
            details=(str(error),),
            cause="the file system refused it; the records so far are kept",
            next="dmesg | tail",
        ) from error


def free_when_steady(directory: str) -> int:
    """Bytes that this process can still take, once freed ones are given back (XFS: later)."""
    sync_file_system(directory)
    ends = time.monotonic() + _LONGEST_WAIT_SECONDS
    found = takeable_bytes(directory)
    while time.monotonic() < ends:
        time.sleep(_STEADY_SECONDS)
        again = takeable_bytes(directory)
        if again == found:
            break
        found = again
    return found


def takeable_bytes(directory: str) -> int:
    """What statvfs says may be written; root's reserve counts for root, whose files may be in it.

    Elsewhere than on the ext family, free blocks that are not available are the file system's own.
    """
    room = os.statvfs(directory)
    mount = mount_holding(directory)
    reserve = os.geteuid() == 0 and mount is not None and mount.file_system.startswith("ext")
    return (room.f_bfree if reserve else room.f_bavail) * room.f_frsize


def allocate(descriptor: int, offset_bytes: int, size_bytes: int) -> None:
    """fallocate(2) itself; the C library's posix_fallocate writes where there is none. OSError."""
    while LIBC.fallocate(descriptor, 0, offset_bytes, size_bytes) != 0:
        if (error := last_error()).errno != errno.EINTR:
            raise error


def _below(path: str, root: OpenFolder) -> Path:
    """The path, if it is in the system's folder; anything else is a mistake of this program."""
    if root.pinned_below(path) == root.pinned:
        raise ValueError(f"{path} is not below {root.path}")
    return Path(path)


def _clear(folder: int) -> int:
    """Remove the files of an open folder, at any depth; links are not followed."""
    size_bytes = 0
    for _, folders, names, here in os.fwalk(".", dir_fd=folder):
        folders.sort()
        size_bytes += sum(_remove(name, here) for name in sorted(names))
    return size_bytes


def _remove(name: str, folder: int) -> int:
    size_bytes = os.stat(name, dir_fd=folder, follow_symlinks=False).st_blocks * _SECTOR_BYTES
    os.unlink(name, dir_fd=folder)
    return size_bytes


def _take(name: str, directory: int, leave_bytes: int) -> int:
    """Fill a file until no more than `leave_bytes` are free; gives what it takes then."""
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC
    folder = f"/proc/self/fd/{directory}"
    with closing(os.open(name, flags, 0o600, dir_fd=directory)) as descriptor:
        try:
            _allocate_all(descriptor, folder, leave_bytes)
        except OSError as error:
            if error.errno not in (errno.EOPNOTSUPP, errno.ENOSYS):
                raise
            _write_all(descriptor, folder, leave_bytes)
        os.fsync(descriptor)
        return os.fstat(descriptor).st_blocks * _SECTOR_BYTES


def _allocate_all(descriptor: int, folder: str, leave_bytes: int) -> None:
    """Piece by piece: a file system that is nearly full refuses more than it can give at once."""
    size_bytes, largest = 0, None
    for _ in range(_MOST_PIECES):
        left = takeable_bytes(folder) - leave_bytes
        piece = left if largest is None else min(left, largest)
        piece -= piece % _BLOCK_BYTES
        if piece < _BLOCK_BYTES:
            return
        try:
            allocate(descriptor, size_bytes, piece)
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
            largest = piece // 2
            os.ftruncate(descriptor, size_bytes)
            continue
        size_bytes += piece


def _write_all(descriptor: int, folder: str, leave_bytes: int) -> None:
    """The same by writing, where nothing can be allocated; synced, since free space comes late."""
    data = os.urandom(_PIECE_BYTES)
    most = takeable_bytes(folder) // _PIECE_BYTES + 1
    for written in range(most):
        if written % 64 == 0:
            os.fsync(descriptor)
        if takeable_bytes(folder) - leave_bytes < _PIECE_BYTES:
            return
        try:
            os.write(descriptor, data)
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
            return
