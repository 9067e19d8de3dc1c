"""One file by its path, read or written whole; what a folder does not take, in words."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from fsgauge.errors import InputError, RigError
from fsgauge.plain_files.folder import LARGEST_BYTES, PlainFolder
from fsgauge.plain_files.opening import NotPlainError
from fsgauge.plain_files.refused import cause_of

_IN_THE_WAY = (NotPlainError, FileExistsError, IsADirectoryError, NotADirectoryError)


def write_whole(path: Path, text: str) -> None:
    """Write one file whole into a folder that is there; raises RigError, what was there stays."""
    try:
        with PlainFolder.opened(path.parent) as folder:
            folder.write(path.name, text)
    except OSError as error:
        raise cannot_write(path, error) from error
    except InputError as error:
        raise RigError(
            f"cannot write {path}", details=(error.what,), next=f"ls -ld {path.parent}"
        ) from error


def read_plain(path: Path, limit_bytes: int = LARGEST_BYTES) -> bytes:
    """One plain file's content; raises InputError, MissingError for none."""
    with PlainFolder.opened(path.parent) as folder:
        return folder.read(path.name, limit_bytes)


def head_of(path: Path, size_bytes: int) -> bytes:
    """How a plain file begins; nothing of what is no plain file or cannot be read.

    The path itself may be a link: the user named it.
    """
    try:
        real = path.resolve(strict=True)
        with PlainFolder.opened(real.parent) as folder, folder.pinned(real.name) as opened:
            descriptor = os.open(opened, os.O_RDONLY | os.O_CLOEXEC)
    except (OSError, InputError):
        return b""
    try:
        return os.read(descriptor, size_bytes)
    finally:
        os.close(descriptor)


def cannot_write(path: Path, error: OSError) -> RigError:
    """The folder does not take it."""
    if isinstance(error, _IN_THE_WAY) or error.errno == errno.ELOOP:
        return RigError(
            f"cannot write {path}: a link, or no plain file, is in its place",
            details=(error.strerror or str(error),),
            cause="another program put it there; fsgauge writes through no link",
            next=f"ls -la {path.parent}",
        )
    return RigError(
        f"cannot write {path}: {error.strerror or error}",
        cause=cause_of(error),
        next=f"df -h {path.parent}",
    )
