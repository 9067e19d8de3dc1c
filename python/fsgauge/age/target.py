"""What TARGET is, a new image or an existing empty folder, and when it is refused. Root makes
nothing in folders where other users could plant links or swap what it made."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from fsgauge.engine.wire import AgeMode
from fsgauge.errors import InputError, RefusedError, quoted
from fsgauge.machine.folder.open_folder import OpenFolder
from fsgauge.machine.folder.places import who_can_replace
from fsgauge.plain_files import require_writable
from fsgauge.plain_files.opening import WRITABLE_BY_OTHERS, names_in
from fsgauge.storage.base import ROOM_PERCENT, free_bytes, typed
from fsgauge.units import exact_percent, format_size

_FROM_MKFS = {"lost+found"}
_SPARSE_ROOM_BYTES = 64 << 20
_SPARSE_SHARE = 1000


def is_folder(target: Path) -> bool:
    """Whether TARGET is an existing folder; anything else that exists is refused."""
    try:
        mode = target.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        mode = None
    except OSError as error:
        raise InputError(
            f"cannot access {target}: {error.strerror}",
            cause="a folder above it is another user's",
            next="name a place of your own",
        ) from error
    if mode is not None and target.is_dir():
        return True
    if mode is not None:
        raise RefusedError(
            f"{target} exists already, so it is left alone",
            cause="only a new image or an empty folder can be aged",
            next="another name, or an empty folder of a mounted file system",
        )
    if target.absolute().is_relative_to("/dev"):
        raise InputError(
            f"there is no device {target}, and devices cannot be aged",
            next="fsgauge age /var/tmp/aged.img PROFILE",
        )
    return False


def require_room(folder: Path, size_bytes: int, mode: AgeMode) -> None:
    """InputError where the disk has less room than the mode needs for the image."""
    free = free_bytes(folder)
    if mode == "fast":
        takes, why = size_bytes // _SPARSE_SHARE + _SPARSE_ROOM_BYTES, "metadata of the image"
    else:
        takes, why = size_bytes * ROOM_PERCENT // 100, f"mode {mode} writes all data"
    if free < takes:
        raise InputError(
            f"{folder} has {format_size(free)} free, up to {format_size(takes)} needed",
            cause=why,
            next="a smaller --size, --mode fast, or an image on another disk",
        )


def require_empty(place: OpenFolder, size_bytes: int | None) -> int:
    """Raise InputError or RefusedError unless a folder may be filled; gives the bytes to use."""
    folder = place.path
    require_writable(folder)
    require_own(folder, os.fstat(place.descriptor))
    with place.opened(folder) as here:
        found = sorted(set(names_in(here)) - _FROM_MKFS)
    if found:
        raise RefusedError(
            f"{folder} is not empty, so it is left alone",
            details=(f"it holds {found[0]!a}" + (" and others" if len(found) > 1 else ""),),
            next=f"mkdir {quoted(folder)}/aged, and name that",
        )
    free = free_bytes(place.descriptor)
    if size_bytes is None:
        raise InputError(
            f"--size is needed: how much of the file system of {folder} may be filled",
            cause=f"it has {format_size(free)} free, and the files are kept",
            next=f"--size {typed(free // 2)}",
        )
    if size_bytes > free:
        raise InputError(
            f"{folder} has {format_size(free)} free, and --size is {format_size(size_bytes)}",
            next=f"--size {typed(free * 9 // 10)}",
        )
    return size_bytes


def require_still(directory: str, space_bytes: int | None, fill_percent: float) -> None:
    """Check the room again after the first scan, which has flushed delayed allocations."""
    if space_bytes is None:
        return
    free = free_bytes(directory)
    live_bytes = int(space_bytes * fill_percent / 100)
    if live_bytes > free:
        raise InputError(
            f"{directory} has {format_size(free)} free, and the files would take"
            f" {format_size(live_bytes)}: {exact_percent(fill_percent)} of --size"
            f" {format_size(space_bytes)}",
            cause="delayed allocations took space, or other programs fill the file system",
            next=(
                f"--size {typed(free * 9 // 10)}"
                if free >= 2 << 20
                else f"df -h {quoted(directory)}, and free some space"
            ),
        )


def require_own(folder: Path, found: os.stat_result) -> None:
    """RefusedError where root would fill a folder in which others may plant links."""
    if os.geteuid() != 0:
        return
    if found.st_uid == 0 and not found.st_mode & WRITABLE_BY_OTHERS:
        return
    raise RefusedError(
        f"root does not age {folder}",
        cause=_cause(found),
        next=f"as its owner, without sudo; or: chown root {quoted(folder)};"
        f" chmod 755 {quoted(folder)}",
    )


def require_no_swap(folder: Path) -> Path:
    """For root, the resolved folder; RefusedError where others, but sudo's user, may swap it."""
    if os.geteuid() != 0:
        return folder
    whole = folder.resolve()
    cause, _ = who_can_replace(whole, {0, _who_called_sudo()})
    if not cause:
        return whole
    raise RefusedError(
        f"root makes no image in {folder}",
        details=("another user can put a link in its place",),
        cause=cause,
        next="an image in a folder of root, or in /var/tmp",
    )


def _cause(found: os.stat_result) -> str:
    if found.st_uid:
        return f"it belongs to another user (uid {found.st_uid}), who could plant links in it"
    return f"other users can write in it (mode {stat.S_IMODE(found.st_mode):o}) and plant links"


def _who_called_sudo() -> int:
    number = os.environ.get("SUDO_UID", "")
    return int(number) if number.isdecimal() else 0
