"""A folder by the path that the user named: root follows no link that leads out of its maker's own.

Whoever can write a folder on the way can lay a link there at any moment. A link that belongs to
root is trusted; one of another user may lead only to a folder of that user.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from fsgauge.errors import InputError
from fsgauge.plain_files.opening import FOLDER_ITSELF

_PASSING = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC
_MOST_LINKS = 40
"""As many as the kernel follows."""


def open_named(path: Path) -> int:
    """The folder, open; raises OSError, and InputError where a link misleads root."""
    if os.geteuid() != 0:
        return os.open(path, FOLDER_ITSELF)
    passing, makers = _walked(path)
    try:
        descriptor = os.open(".", FOLDER_ITSELF, dir_fd=passing)
    finally:
        os.close(passing)
    owner = os.fstat(descriptor).st_uid
    others = makers - {0, owner}
    if others:
        os.close(descriptor)
        raise InputError(
            f"root does not use the folder {path}: a link of another user leads there",
            details=(f"the link belongs to user {min(others)}, the folder to user {owner}",),
            cause="that user could lead root to any folder",
            next=f"realpath {path}   (name that folder, if it is the one you mean)",
        )
    return descriptor


def _walked(path: Path) -> tuple[int, set[int]]:
    """What lies at the end of a path, and whose links led there; raises OSError.

    One component at a time, so that the link that is looked at is the link that is followed.
    """
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
