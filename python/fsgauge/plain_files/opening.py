"""Opening plain files: looked at before they are opened, never through a link.

A pipe would keep its opener waiting, a device may never end, and a link leads where its maker
wants. Every function takes an open folder and the
name of something in it.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from fsgauge.plain_files.bounds import LARGEST_BYTES

FOLDER_ITSELF = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_FOLDER = FOLDER_ITSELF | os.O_NOFOLLOW
_PLAIN = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_PIECE_BYTES = 1 << 20
WRITABLE_BY_OTHERS = 0o022


class NotPlainError(OSError):
    """Something lies there that is no plain file; `strerror` says what."""

    def __init__(self, why: str) -> None:
        super().__init__(errno.EINVAL, why)


@contextmanager
def closing(descriptor: int) -> Iterator[int]:
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def status_in(folder: int, name: str) -> os.stat_result | None:
    """What lies there, itself and not where it leads; None for nothing."""
    try:
        return os.stat(name or ".", dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None


def open_folder_in(folder: int, name: str) -> int:
    """A real folder; raises OSError."""
    status = status_in(folder, name)
    if status is not None and stat.S_ISLNK(status.st_mode):
        raise NotPlainError("it is a link")
    return os.open(name, _FOLDER, dir_fd=folder)


def open_to_read(folder: int, name: str) -> int:
    """A plain file to read; raises OSError. Root reads no file with a second name in a folder that
    others can write: they may have given that name to a file that they cannot read themselves."""
    before = os.stat(name, dir_fd=folder, follow_symlinks=False)
    _require_plain(before)
    shared = os.fstat(folder).st_mode & WRITABLE_BY_OTHERS
    if os.geteuid() == 0 and before.st_nlink > 1 and shared:
        raise NotPlainError("it is a hard link in a folder that others can write")
    descriptor = os.open(name, os.O_RDONLY | _PLAIN, dir_fd=folder)
    if not os.path.samestat(before, os.fstat(descriptor)):
        os.close(descriptor)
        raise NotPlainError("it was exchanged while it was opened")
    return descriptor


def open_to_append(folder: int, name: str) -> int:
    """A plain file with this one name, made if missing, to append to and to read; OSError."""
    _require_plain(status_in(folder, name))
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | _PLAIN
    descriptor = os.open(name, flags, 0o644, dir_fd=folder)
    status = os.fstat(descriptor)
    if stat.S_ISREG(status.st_mode) and status.st_nlink == 1:
        return descriptor
    os.close(descriptor)
    raise NotPlainError("it is a hard link: what is appended would appear elsewhere too")


def open_new(folder: int, name: str) -> int:
    """A new plain file to write and read; raises OSError where anything has that name."""
    return os.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL | _PLAIN, 0o644, dir_fd=folder)


def read_at_most(descriptor: int, limit_bytes: int) -> bytes:
    """The content; where it grows past the limit meanwhile, a little more than that."""
    content = bytearray()
    while len(content) <= limit_bytes and (piece := os.read(descriptor, _PIECE_BYTES)):
        content += piece
    return bytes(content)


def digest_of(descriptor: int) -> tuple[str, int]:
    """SHA-256 and size of what can be read from here on; of one that grows without end, a part."""
    digest, size_bytes = hashlib.sha256(), 0
    while size_bytes <= LARGEST_BYTES and (piece := os.read(descriptor, _PIECE_BYTES)):
        digest.update(piece)
        size_bytes += len(piece)
    return digest.hexdigest(), size_bytes


def write_all(descriptor: int, content: bytes) -> None:
    """Write every byte; a short write goes on where it ended. Raises OSError."""
    pending = memoryview(content)
    while pending:
        pending = pending[os.write(descriptor, pending) :]


def _require_plain(status: os.stat_result | None) -> None:
    if status is None or stat.S_ISREG(status.st_mode):
        return
    raise NotPlainError("it is a link" if stat.S_ISLNK(status.st_mode) else "it is no plain file")


def entries_of(descriptor: int) -> AbstractContextManager[Iterator[os.DirEntry[str]]]:
    # btrfs lists an open folder up to the last entry of when it was opened, until it is rewound
    # (Linux 6.5, btrfs_readdir): what was made since would be overlooked, and stay.
    os.lseek(descriptor, 0, os.SEEK_SET)
    return os.scandir(descriptor)


def names_in(descriptor: int) -> list[str]:
    with entries_of(descriptor) as entries:
        return [each.name for each in entries]
