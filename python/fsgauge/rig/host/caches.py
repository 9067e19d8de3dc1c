"""Caches: brought to the state that every run starts from, and said in words for the record."""

from __future__ import annotations

import functools
import mmap
import os
import stat
from collections.abc import Iterable
from pathlib import Path

from fsgauge.engine.wire import BlockTarget, FilesTarget, FileTarget
from fsgauge.errors import RigError
from fsgauge.machine.process.tool import must_run, run_tool
from fsgauge.plain_files.opening import closing
from fsgauge.programs import find_engine
from fsgauge.programs.libc import LIBC, last_error
from fsgauge.workload.folders import AgedFolders, ClientFolders, InFolder, Place, ServedFiles

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
