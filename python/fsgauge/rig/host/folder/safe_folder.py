"""A folder where no other user can move what root makes, or put a link in its place."""

from __future__ import annotations

import os
import pwd
import stat
from pathlib import Path

from fsgauge.errors import InputError

_SUDO_VARIABLE = "SUDO_UID"


def require_only_ours(folder: Path, what: str) -> Path:
    """The folder without links, as root; InputError where others can rename what lies on its path.

    In a sticky folder of root's (/tmp, /var/tmp) only the owner of an entry can rename it.
    """
    if os.geteuid() != 0:
        return folder
    whole = folder.resolve()
    for place in (whole, *whole.parents):
        status = place.stat()
        if status.st_uid != 0:
            raise _refusal(folder, what, *_owner(place, status.st_uid))
        others = stat.S_IMODE(status.st_mode) & (stat.S_IWGRP | stat.S_IWOTH)
        if others and not status.st_mode & stat.S_ISVTX:
            cause = f"users beside root can write in {place} (mode {status.st_mode & 0o7777:04o})"
            raise _refusal(folder, what, cause)
    return whole


def _refusal(folder: Path, what: str, cause: str, detail: str = "") -> InputError:
    return InputError(
        f"{folder} is not safe for a {what} of root: another user can put a link in its place",
        details=(detail,) if detail else (),
        cause=cause,
        next="name a folder of root: --set storage.directory=/var/tmp",
    )


def _owner(place: Path, number: int) -> tuple[str, str]:
    """The cause, and what it has to do with the user who called sudo."""
    try:
        name = pwd.getpwuid(number).pw_name
    except KeyError:
        name = str(number)
    cause = f"{place} belongs to the user {name}"
    if os.environ.get(_SUDO_VARIABLE) == str(number):
        return cause, f"with sudo fsgauge runs as root, and {name}, who called it, is another user"
    return cause, ""
