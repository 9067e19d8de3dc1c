"""What is done to a system before a run without the engine: its caches brought to the state that
every run starts from, files removed, free space taken.

A step is durable when it returns: what was freed can be given away again, and statvfs says so.
Only files below the folder of a system that was made for the study are touched.
"""

from __future__ import annotations

import ctypes
import errno
import functools
import mmap
import os
import stat
import time
from collections.abc import Iterable
from pathlib import Path

from fsgauge.engine.wire import BlockTarget, FilesTarget, FileTarget
from fsgauge.errors import RigError
from fsgauge.machine.facts.mounts import mount_holding
from fsgauge.machine.folder.open_folder import OpenFolder
from fsgauge.machine.process.tool import must_run, run_tool
from fsgauge.plain_files.opening import closing
from fsgauge.programs import find_engine
from fsgauge.programs.libc import LIBC, last_error
from fsgauge.workload.folders import AgedFolders, ClientFolders, InFolder, Place, ServedFiles
from fsgauge.workload.steps import ClearFolder, DeleteFile, FileStep

_DROP = Path("/proc/sys/vm/drop_caches")
_SYNC_SECONDS = 900.0
_PLAIN = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
KEEP_CACHES = "FSGAUGE_KEEP_CACHES"
"""Set to 1 where others on the machine need their caches: only our own files' pages are let go."""


def settle_caches(*targets: Place) -> list[str]:
    """Write back what is dirty and drop what is cached, once for all; what was done to each."""
    ours = [target for target in targets if not _is_elsewhere(target)]
    for target in ours:
        _sync(target)
    reason = _not_dropped() if ours else ""
    return [_settled(target, reason) for target in targets]


def _is_elsewhere(target: Place) -> bool:
    return isinstance(target, ClientFolders) and target.kind == "share_folders"


def _sync(target: Place) -> None:
    if isinstance(target, InFolder):
        sync_file_system(target.directory)
    elif first := next(iter(_paths(target)), None):
        must_run(["sync", first], what=f"{first} could not be synced", seconds=_SYNC_SECONDS)


def _not_dropped() -> str:
    """Drop the machine's caches; gives why they could not be, "" where they were."""
    if os.environ.get(KEEP_CACHES) == "1":
        return f"{KEEP_CACHES}=1"
    if os.geteuid() != 0:
        return "not root"
    keep_code_in_memory()
    try:
        _DROP.write_text("3\n")
    except OSError as error:
        return f"/proc/sys/vm/drop_caches cannot be written ({error})"
    return ""


def _settled(target: Place, reason: str) -> str:
    if _is_elsewhere(target):
        return "nothing: a server's caches are its own"
    if reason:
        return _forget_pages(_paths(target), reason)
    return "synced; page, dentry and inode caches dropped"


def sync_file_system(directory: str) -> None:
    """Write back the file system of `directory`, and it alone: the machine is shared."""
    said = run_tool(["sync", "--file-system", directory], seconds=_SYNC_SECONDS)
    if said.exit_code != 0:
        reason = said.words.strip().rpartition(": ")[2]
        raise RigError(
            f"the file system at {os.path.realpath(directory)} could not be synced: {reason}",
            cause="its device failed, or is gone",
            next="dmesg | tail",
        )


def write_back(place: str) -> None:
    """The same without a process in between, since it is timed: of a device, its own cache too.
    Raises OSError where the storage refuses."""
    with closing(os.open(place, os.O_RDONLY | os.O_CLOEXEC)) as descriptor:
        if stat.S_ISBLK(os.fstat(descriptor).st_mode):
            os.fsync(descriptor)
        elif LIBC.syncfs(descriptor) != 0:
            raise last_error(place)


def _paths(target: Place) -> Iterable[str]:
    match target:
        case FilesTarget() | ServedFiles():
            return [
                f"{target.directory}/{target.prefix}{index:04d}" for index in range(target.count)
            ]
        case BlockTarget() | FileTarget():
            return [target.path]
        case ClientFolders() | AgedFolders():
            walked = os.walk(target.directory)
            return (f"{folder}/{name}" for folder, _, names in walked for name in names)
        case _:
            return []


def _forget_pages(paths: Iterable[str], reason: str) -> str:
    """Without root only the pages of our own files can be let go, and the kernel may decline."""
    for path in paths:
        try:
            descriptor = os.open(path, _PLAIN)
        except OSError as error:
            raise RigError(
                f"{path} cannot be opened to drop its cache: {error}",
                cause="another program removed it, or the file system failed",
                next="dmesg | tail; fsgauge resume goes on with the study",
            ) from error
        with closing(descriptor):
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    return (
        "synced; the kernel was asked to forget the files' pages;"
        f" dentry and inode caches kept ({reason})"
    )


@functools.cache
def keep_code_in_memory() -> tuple[mmap.mmap, ...]:
    """Map the engine, and all that this process executes: it shares the C library with the engine.
    The kernel drops no page that is mapped. The mappings last as long as this process. A file that
    cannot be mapped is left out: then it is read again, as before."""
    found = [_mapped(path) for path in (find_engine(), *_executed_here())]
    return tuple(each for each in found if each is not None)


def _executed_here() -> list[Path]:
    fields = [line.split(maxsplit=5) for line in Path("/proc/self/maps").read_text().splitlines()]
    executed = {each[5] for each in fields if len(each) == 6 and "x" in each[1]}
    return [Path(path) for path in sorted(executed) if path.startswith("/")]


def _mapped(path: Path) -> mmap.mmap | None:
    flags = mmap.MAP_SHARED | mmap.MAP_POPULATE
    try:
        with closing(os.open(path, os.O_RDONLY | os.O_CLOEXEC)) as descriptor:
            return mmap.mmap(descriptor, 0, flags=flags, prot=mmap.PROT_READ)
    except (OSError, ValueError):  # such as an empty file
        return None


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
