"""A folder that is kept open: what is done in it stays in it, whoever renames or replaces it.

A path is looked up anew by every call. Where another user can write a folder of the path, that
user decides where the next call leads. A descriptor leads to one folder for as long as it is open.
"""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fsgauge.errors import RigError, quoted
from fsgauge.plain_files import cause_of, was_moved
from fsgauge.plain_files.opening import closing
from fsgauge.plain_files.rights import open_named

if TYPE_CHECKING:
    from fsgauge.engine.wire import Held

Which = tuple[int, int]
"""Device and inode: these tell one folder from another, whatever they are called."""
_TO_PASS = os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC
"""A folder in which one may make things need not be one that one may read."""
BELOW = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True)
class OpenFolder:
    """A folder, its path as people know it, and the descriptor by which it is used.

    `is_made`: fsgauge made it, so a link of its name is another thing. A folder that the user named
    may be reached by links.
    """

    path: Path
    descriptor: int
    is_made: bool = False

    @property
    def which(self) -> Which:
        return which_of(os.fstat(self.descriptor))

    @property
    def held(self) -> Held:
        from fsgauge.engine.wire import Held

        return Held(path=str(self.path), descriptor=self.descriptor)

    @property
    def pinned(self) -> str:
        """Its path for programs, in /proc: it leads here, whatever becomes of the folder's name.
        Programs of the same user can use it while this process lives and the folder is open."""
        return f"/proc/{os.getpid()}/fd/{self.descriptor}"

    def pinned_below(self, path: str | Path) -> str:
        """The same for what lies in it, or for itself; ValueError for a path elsewhere."""
        found = Path(path)
        if ".." in found.parts or not found.is_relative_to(self.path):
            raise ValueError(f"{path} is not below {self.path}")
        return str(Path(self.pinned) / found.relative_to(self.path))

    @contextmanager
    def opened(self, path: str | Path) -> Iterator[int]:
        """A folder in it, open, or itself; no part of the way is a link. Raises OSError."""
        here = os.open(".", BELOW, dir_fd=self.descriptor)
        try:
            for part in Path(self.pinned_below(path)).relative_to(self.pinned).parts:
                deeper = os.open(part, BELOW, dir_fd=here)
                os.close(here)
                here = deeper
            yield here
        finally:
            os.close(here)

    def require_still(self) -> None:
        """RigError where its path leads elsewhere now, or nowhere."""
        if not self.is_still():
            raise self.moved()

    def is_still(self) -> bool:
        try:
            return which_of(self.path.stat(follow_symlinks=not self.is_made)) == self.which
        except OSError:
            return False

    def moved(self) -> RigError:
        return was_moved(self.path)

    def close(self) -> None:
        os.close(self.descriptor)


@contextmanager
def let_go_below(mount_point: str) -> Iterator[None]:
    """What this process has open there is closed while the body runs, which mounts it anew, and is
    then open again by its path, under its number. Raises RigError where it is not there any more.
    """
    with closing(os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)) as nowhere:
        there = dict(_open_below(mount_point))
        for descriptor in there:
            os.dup2(nowhere, descriptor, inheritable=False)
    try:
        yield
    finally:
        gone = [
            path
            for descriptor, (path, flags) in there.items()
            if not _again(descriptor, path, flags)
        ]
    if gone:
        raise was_moved(gone[0])


def _again(descriptor: int, path: Path, flags: int) -> bool:
    """Open a path under this number; False where it cannot be opened."""
    try:
        with closing(os.open(path, flags | os.O_CLOEXEC)) as again:
            os.dup2(again, descriptor, inheritable=False)
    except OSError:
        return False
    return True


def _open_below(mount_point: str) -> Iterator[tuple[int, tuple[Path, int]]]:
    for entry in Path("/proc/self/fd").iterdir():
        with suppress(OSError):  # the descriptor of this listing
            path, descriptor = entry.readlink(), int(entry.name)
            if path.is_relative_to(mount_point):
                yield descriptor, (path, fcntl.fcntl(descriptor, fcntl.F_GETFL))


def which_of(status: os.stat_result) -> Which:
    return status.st_dev, status.st_ino


@contextmanager
def open_place(path: Path) -> Iterator[OpenFolder]:
    """A folder that is there, open while the body runs. Raises InputError where a link misleads
    root, RigError where it cannot be opened."""
    try:
        descriptor = open_named(path, _TO_PASS)
    except OSError as error:
        raise cannot_open(path, error) from error
    with closing(descriptor):
        yield OpenFolder(path, descriptor)


def cannot_open(path: Path, error: OSError) -> RigError:
    """A folder is gone, or may not be entered."""
    look = f"findmnt --target {quoted(path)}; ls -ld {quoted(path)}"
    if error.errno in (errno.ENOENT, errno.ENOTDIR):
        return RigError(
            f"there is no folder {path} any more",
            cause="it was removed, or its file system was unmounted, since the study began",
            next=look,
        )
    refused = error.errno in (errno.EACCES, errno.EPERM)
    return RigError(
        f"no folder can be made in {path}: {error.strerror}",
        cause="on a network file system root often has no rights of its own (root_squash)"
        if refused and os.geteuid() == 0
        else cause_of(error),
        next=f"{look}; df -h {quoted(path)}",
    )
