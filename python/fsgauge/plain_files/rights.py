"""Whose rights count: root in another user's folder acts as that user."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from fsgauge.errors import InputError

_WRITABLE_BY_OTHERS = 0o022


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


def require_roots_alone(path: Path, everything: Iterable[tuple[str, os.stat_result]]) -> None:
    """Raise InputError where another user owns, or can write, a folder or a thing in it."""
    for name, status in everything:
        if status.st_uid != 0:
            why = f"it belongs to user {status.st_uid}"
        elif status.st_mode & _WRITABLE_BY_OTHERS and not stat.S_ISLNK(status.st_mode):
            why = "users other than root can write it"
        else:
            continue
        raise InputError(
            f"root does not go on with the study in {path}",
            details=(f"{path / name if name else path}: {why}",),
            cause="a study sets kernel tunables and runs tools, so who can write its folder could"
            " say what root does",
            next=f"resume as the user who began it, or see what there is: fsgauge report {path}",
        )
