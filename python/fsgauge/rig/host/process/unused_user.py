"""A user number that nobody on this machine has: what works under it can touch nothing else."""

from __future__ import annotations

import grp
import os
import pwd
from contextlib import suppress
from pathlib import Path

from fsgauge.errors import RigError

_NUMBERS = range(58_000, 49_999, -1)
"""Below what systemd gives to users without a name (60001 to 60577, 61184 to 65519)."""
_PROC = Path("/proc")


def unused_user_id() -> int:
    """The first that neither a user, nor a group, nor a process has; good for a group too."""
    taken = _of_processes()
    for number in _NUMBERS:
        if number not in taken and not _has_a_name(number):
            return number
    raise RigError(
        f"no user number from {min(_NUMBERS)} to {max(_NUMBERS)} is free for a server",
        next="getent passwd; getent group",
    )


def _of_processes() -> set[int]:
    found = set()
    for entry in os.scandir(_PROC):
        if entry.name.isdecimal():
            with suppress(OSError):  # it just ended
                found.add(entry.stat().st_uid)
    return found


def _has_a_name(number: int) -> bool:
    with suppress(KeyError):
        return bool(pwd.getpwuid(number))
    with suppress(KeyError):
        return bool(grp.getgrgid(number))
    return False
