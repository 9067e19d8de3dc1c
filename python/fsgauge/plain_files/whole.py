"""One file by its path, read or written whole; why a write failed, in words."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from fsgauge.errors import InputError, RigError, quoted
from fsgauge.plain_files.bounds import LARGEST_BYTES, Bound, values_of_json
from fsgauge.plain_files.folder import MissingError, PlainFolder
from fsgauge.plain_files.opening import NotPlainError, closing
from fsgauge.plain_files.rights import folder_above, led_to

_IN_THE_WAY = (NotPlainError, FileExistsError, IsADirectoryError, NotADirectoryError)


def write_whole(path: Path, content: str | bytes) -> None:
    """Write one file whole into a folder that is there; raises RigError, what was there stays."""
    try:
        with PlainFolder.opened(path.parent) as folder:
            folder.write(path.name, content)
    except OSError as error:
        raise cannot_write(path, error) from error
    except InputError as error:
        raise RigError(
            f"cannot write {path}",
            details=(error.what,),
            cause="its folder is gone, or another user's",
            next=f"ls -ld {quoted(path.parent)}",
        ) from error


def read_plain(path: Path, limit_bytes: int = LARGEST_BYTES) -> bytes:
    """One plain file's content; raises InputError, MissingError for none."""
    with PlainFolder.opened(path.parent) as folder:
        return folder.read(path.name, limit_bytes)


def read_named(path: Path, limit_bytes: int) -> bytes:
    """A plain file's content; a person named it, perhaps by a link of his own (see `led_to`).
    Raises InputError, MissingError for none."""
    try:
        return read_plain(led_to(path), limit_bytes)
    except MissingError as error:
        raise MissingError(
            f"{path} is missing",
            cause="its name is another one, or it is in another folder",
            next=f"ls {quoted(folder_above(path))}",
        ) from error


def read_named_json(path: Path, bound: Bound) -> bytes:
    """The same of a text that may have JSON in it, of no more values than `bound`."""
    content = read_named(path, bound.size_bytes)
    values_of_json(content, path, bound)
    return content


def read_json(path: Path, bound: Bound) -> bytes:
    """A JSON document, no link, which has no more values than `bound`; raises the same."""
    with PlainFolder.opened(path.parent) as folder:
        return folder.read_json(path.name, bound)


def head_of(path: Path, size_bytes: int) -> bytes:
    """The first bytes of a plain file; empty if it is not one or cannot be read. The path itself
    may be a link: the user named it."""
    try:
        real = path.resolve(strict=True)
        with PlainFolder.opened(real.parent) as folder, folder.pinned(real.name) as opened:
            descriptor = os.open(opened, os.O_RDONLY | os.O_CLOEXEC)
    except (OSError, RuntimeError, InputError):  # RuntimeError: links in a circle, before 3.13
        return b""
    with closing(descriptor):
        return os.read(descriptor, size_bytes)


def require_room(path: Path, option: str) -> None:
    """Raise InputError where a file cannot be made, before work is done for it; `option` with a
    name is what may be given in its place."""
    if str(path) == "-":
        raise InputError(f"{option}: - would be a file of that name", next=option)
    look = f"ls -ld {quoted(path.parent)}"
    require_writable(path.parent, f"{option}   (in a folder where you may write; {look})")


def require_writable(folder: Path, next: str = "") -> None:
    """Raise InputError unless files can be made in a folder; `next` is what is done if not."""
    if not os.path.isdir(folder):  # noqa: PTH112 - false where one may not look, never an error
        raise InputError(f"there is no folder {folder}", next=f"mkdir -p {quoted(folder)}")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise InputError(
            f"no file can be made in {folder}",
            cause="this user may not write there, or its file system is read-only",
            next=next or f"ls -ld {quoted(folder)}",
        )


def cannot_write(path: Path, error: OSError) -> RigError:
    if isinstance(error, _IN_THE_WAY) or error.errno == errno.ELOOP:
        return RigError(
            f"cannot write {path}: something other than a plain file is in its place",
            details=(error.strerror or str(error),),
            cause="another program put it there; fsgauge does not write through links",
            next=f"ls -la {quoted(path.parent)}",
        )
    return RigError(
        f"cannot write {path}: {error.strerror or error}",
        cause=cause_of(error),
        next=f"{'mkdir -p' if error.errno == errno.ENOENT else 'df -h'} {quoted(path.parent)}",
    )


_CAUSES = {
    errno.EROFS: "the file system there is mounted read-only",
    errno.ENOSPC: "the disk there is full",
    errno.EDQUOT: "the quota of this user is used up there",
    errno.EFBIG: "the file would be larger than the file system, or ulimit -f, allows",
    errno.EACCES: "this user may not write there",
    errno.EPERM: "this user may not write there, or the folder is immutable (lsattr -d)",
    errno.ENOENT: "the folder is not there, or was removed meanwhile",
    errno.EIO: "the storage failed: dmesg | tail",
}


def cause_of(error: OSError) -> str:
    return _CAUSES.get(error.errno or 0, "the file system or storage failed: dmesg | tail")


def cause_in(words: str) -> str:
    """The same from the words of a library that keeps the number to itself."""
    number = next((each for each in _CAUSES if os.strerror(each) in words), None)
    return cause_of(OSError(number, words))
