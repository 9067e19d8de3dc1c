"""Folders for scratch files: those safe for root, and those on other mounted file systems."""

from __future__ import annotations

import os
import pwd
import stat
import tempfile
from collections.abc import Container
from dataclasses import dataclass
from pathlib import Path

from fsgauge.errors import InputError
from fsgauge.machine.facts.mounts import in_memory

_SUDO_VARIABLE = "SUDO_UID"


def require_only_ours(folder: Path, what: str) -> Path:
    """For root, the resolved folder; InputError where others can rename a part of its path. For
    what programs and the kernel are told by a path: a loop file, the disk of a virtual machine. All
    else is done by the descriptor of an open folder, wherever that lies."""
    if os.geteuid() != 0:
        return folder
    whole = folder.resolve()
    cause, detail = who_can_replace(whole)
    if not cause:
        return whole
    raise InputError(
        f"{folder} is not safe for a {what} of root: another user can replace it with a link",
        details=(detail,) if detail else (),
        cause=cause,
        next="use a folder that belongs to root: --set storage.directory=/var/tmp",
    )


def who_can_replace(whole: Path, trusted: Container[int] = (0,)) -> tuple[str, str]:
    """Who but `trusted` users can rename a part of a resolved path: the cause, perhaps a detail,
    in words; both empty where no other user can.

    In a sticky folder (/tmp, /var/tmp) only its owner and that of an entry can rename the entry.
    """
    for place in (whole, *whole.parents):
        status = place.stat()
        if status.st_uid not in trusted:
            return _owner(place, status.st_uid)
        others = stat.S_IMODE(status.st_mode) & (stat.S_IWGRP | stat.S_IWOTH)
        if others and not status.st_mode & stat.S_ISVTX:
            mode = f"{status.st_mode & 0o7777:04o}"
            return f"users other than root can write in {place} (mode {mode})", ""
    return "", ""


def _owner(place: Path, number: int) -> tuple[str, str]:
    try:
        name = pwd.getpwuid(number).pw_name
    except KeyError:
        name = str(number)
    cause = f"{place} belongs to the user {name}"
    if os.environ.get(_SUDO_VARIABLE) == str(number):
        return cause, f"sudo runs fsgauge as root, and {name}, who called it, is not root"
    return cause, ""


_MOST = 4
_IN_MEMORY = ("/dev/shm", "/run/shm", "/tmp")  # noqa: S108 - looked at, as below


@dataclass(frozen=True)
class WritablePlaces:
    """Folders that this user may write, with room: at most four on disks, each on a file system of
    its own that has direct I/O, and one in memory, or "" where there is none."""

    on_disk: list[str]
    in_memory: str


def writable_places(folder: str, size_bytes: int) -> WritablePlaces:
    """What can be compared without root, `folder` first; each place has room for twice the size.
    Memory has no direct I/O, also where the kernel lets files be opened for it."""
    seen: set[int] = set()
    places: list[str] = []
    for candidate in (Path(folder), Path.cwd(), Path.home(), Path("/tmp")):  # noqa: S108 - looked at, nothing is put there under a fixed name
        try:
            device = candidate.stat().st_dev
            if device in seen or not _fit(candidate, size_bytes):
                continue
        except OSError:
            continue
        seen.add(device)
        places.append(str(candidate))
    own = os.environ.get("XDG_RUNTIME_DIR", "")
    in_memory = (each for each in (*_IN_MEMORY, own) if each and _is_memory(each, size_bytes))
    return WritablePlaces(places[:_MOST], next(in_memory, ""))


def _is_memory(folder: str, size_bytes: int) -> bool:
    """Whether it is on a memory file system, and this user may write so much there."""
    try:
        return (
            bool(in_memory(folder))
            and os.access(folder, os.W_OK | os.X_OK)
            and _has_room(Path(folder), size_bytes)
        )
    except OSError:
        return False


def _fit(folder: Path, size_bytes: int) -> bool:
    if in_memory(folder) or not _has_room(folder, size_bytes):
        return False
    with tempfile.TemporaryFile(dir=folder, prefix="fsgauge-") as file:
        os.close(os.open(f"/proc/self/fd/{file.fileno()}", os.O_RDWR | os.O_DIRECT))
    return True


def _has_room(folder: Path, size_bytes: int) -> bool:
    room = os.statvfs(folder)
    return room.f_bavail * room.f_frsize >= 2 * size_bytes
