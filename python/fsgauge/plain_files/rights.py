"""Root in another user's folder: which links it follows, and with whose rights it acts.

Whoever can write a folder on the path can plant a link there at any moment. A link of root is
trusted; one of another user may lead only to a folder of that user.
"""

from __future__ import annotations

import errno
import os
import shlex
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from fsgauge.errors import InputError, RigError, quoted
from fsgauge.plain_files.opening import FOLDER_ITSELF, WRITABLE_BY_OTHERS
from fsgauge.programs.finding import only_root_changes


@contextmanager
def rights_of(uid: int, gid: int) -> Iterator[None]:
    """Within, root has the rights of this user and group, and no other group's."""
    if os.geteuid() != 0:
        yield
        return
    groups, own_gid = os.getgroups(), os.getegid()
    try:
        os.setgroups([])
        os.setegid(gid)
        os.seteuid(uid)
        yield
    finally:
        os.seteuid(0)
        os.setegid(own_gid)
        os.setgroups(groups)


def require_roots_alone(
    path: Path, everything: Iterable[tuple[str, os.stat_result]], look: str
) -> None:
    """Raise InputError where another user owns, or can write, a folder or a thing in it. `look` is
    the command that shows what there is."""
    for name, status in everything:
        if status.st_uid != 0:
            why = f"it belongs to user {status.st_uid}"
        elif status.st_mode & WRITABLE_BY_OTHERS and not stat.S_ISLNK(status.st_mode):
            why = "users other than root can write it"
        else:
            continue
        raise InputError(
            f"root does not resume the study in {path}",
            details=(f"{path / name if name else path}: {why}",),
            cause="a study sets kernel tunables and runs tools, so anyone who can write its folder"
            " controls what root does",
            next=f"resume as the user who began it, or see what there is: {look} {quoted(path)}",
        )


def led_to(path: Path) -> Path:
    """Where the name of a file leads that a person typed. For root only by links that root made, in
    folders that root alone can write, and to a file that root alone can change; else it is the path
    itself, and its opener refuses the link."""
    if os.geteuid() != 0:
        return Path(os.path.realpath(path))
    found = path.absolute()
    for _ in range(_MOST_LINKS):
        if not found.is_symlink():
            return found if only_root_changes(found) else path
        if found.lstat().st_uid != 0 or not only_root_changes(found.parent, is_shared=True):
            return path
        found = found.parent / found.readlink()
    return path


def folder_above(path: Path) -> Path:
    """The nearest folder above a path that is there, and where one may look."""
    return next((each for each in path.parents if os.path.isdir(each)), Path("/"))  # noqa: PTH112 - none if closed


def was_moved(path: Path, written: int | None = None) -> RigError:
    """A folder that is held open no longer has its name; `written` is its descriptor, where what is
    in it is to be found."""
    detail = "what has its name now was not touched"
    if written is not None:
        detail = f"what was written until then is in {os.path.realpath(f'/proc/self/fd/{written}')}"
    quoted_above = shlex.quote(str(folder_above(path)))
    return RigError(
        f"{path} was renamed or replaced while fsgauge worked in it",
        details=(detail,),
        cause=f"a user who can write in {path.parent}, or above it, did so; or something"
        " was mounted there",
        next=f"ls -la {quoted_above}; then a folder that no one else can rename",
    )


_PASSING = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC
_MOST_LINKS = 40
"""As many as the kernel follows."""


def open_named(path: Path, flags: int = FOLDER_ITSELF) -> int:
    """The folder, open; raises OSError, and InputError where a link misleads root."""
    if os.geteuid() != 0:
        return os.open(path, flags)
    passing, makers = _walked(path)
    try:
        descriptor = os.open(".", flags, dir_fd=passing)
    finally:
        os.close(passing)
    owner = os.fstat(descriptor).st_uid
    others = makers - {0, owner}
    if others:
        os.close(descriptor)
        raise InputError(
            f"root does not use {path}: a link of another user leads there",
            details=(f"the link belongs to user {min(others)}, the folder to user {owner}",),
            cause="that user could direct root to any folder",
            next=f"realpath {quoted(path)}   (use that path, if it is the one you mean)",
        )
    return descriptor


def _walked(path: Path) -> tuple[int, set[int]]:
    """What lies at the end of a path, and whose links led there; raises OSError. One component at a
    time, so that the link that is looked at is the link that is followed."""
    waiting, makers, links = list(reversed(path.parts)), set[int](), 0
    here = os.open(".", _PASSING)
    try:
        while waiting:
            part = waiting.pop()
            further = os.open(part, _PASSING, dir_fd=here)
            status = os.fstat(further)
            if not stat.S_ISLNK(status.st_mode):
                os.close(here)
                here = further
                continue
            try:
                target = os.readlink("", dir_fd=further)
            finally:
                os.close(further)
            links += 1
            if links > _MOST_LINKS:
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
            makers.add(status.st_uid)
            waiting.extend(reversed(Path(target).parts))
    except BaseException:
        os.close(here)
        raise
    return here, makers
