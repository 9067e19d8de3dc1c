"""What TARGET is, a new image or an existing empty folder, and what is refused about either."""

from __future__ import annotations

import os
from pathlib import Path

from fsgauge.age.others import require_own
from fsgauge.errors import InputError, RefusedError
from fsgauge.units import exact_percent, exact_size, format_size
from fsgauge.wire import AgeMode

_FROM_MKFS = {"lost+found"}
_ROOM_PERCENT = 103
_SPARSE_ROOM_BYTES = 64 << 20
_SPARSE_SHARE = 1000


def is_folder(target: Path) -> bool:
    """Whether TARGET is a folder that is there; anything else that is there is refused."""
    try:
        mode = target.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        mode = None
    except OSError as error:
        raise InputError(
            f"cannot look at {target}: {error.strerror}", next="name a place of your own"
        ) from error
    if mode is not None and target.is_dir():
        return True
    if mode is not None:
        raise RefusedError(
            f"{target} is there already, so it is left alone",
            cause="only a new image or an empty folder is aged",
            next="another name, or an empty folder of a file system that is mounted",
        )
    if target.absolute().is_relative_to("/dev"):
        raise InputError(
            f"there is no device {target}, and devices are not aged",
            next="fsgauge age /var/tmp/aged.img PROFILE",
        )
    return False


def require_place(folder: Path) -> None:
    """InputError unless files can be made in `folder`."""
    if not os.path.isdir(folder):  # noqa: PTH112 - false where one may not look, never an error
        raise InputError(f"there is no folder {folder}", next=f"mkdir -p {folder}")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise InputError(
            f"no file can be made in {folder}",
            cause="this user may not write there, or its file system is read-only",
            next=f"ls -ld {folder}",
        )


def require_room(folder: Path, size_bytes: int, mode: AgeMode) -> None:
    """InputError where the image could not grow to what the mode takes of its disk."""
    room = os.statvfs(folder)
    free_bytes = room.f_bavail * room.f_frsize
    if mode == "fast":
        takes, why = size_bytes // _SPARSE_SHARE + _SPARSE_ROOM_BYTES, "the image's structures"
    else:
        takes, why = size_bytes * _ROOM_PERCENT // 100, f"mode {mode} writes all data"
    if free_bytes < takes:
        raise InputError(
            f"{folder} has {format_size(free_bytes)} free, and up to {format_size(takes)} are used",
            cause=why,
            next="a smaller --size, --mode fast, or an image on another disk",
        )


def require_empty(folder: Path, size_bytes: int | None) -> int:
    """Raise InputError or RefusedError unless `folder` may be filled; gives the bytes to use."""
    require_place(folder)
    require_own(folder)
    found = sorted({entry.name for entry in folder.iterdir()} - _FROM_MKFS)
    if found:
        raise RefusedError(
            f"{folder} is not empty, so it is left alone",
            details=(f"it holds {found[0]!a}" + (" and others" if len(found) > 1 else ""),),
            next=f"mkdir {folder}/aged, and name that",
        )
    room = os.statvfs(folder)
    free_bytes = room.f_bavail * room.f_frsize
    if size_bytes is None:
        raise InputError(
            f"how much of the file system of {folder} may be filled?",
            cause=f"it has {format_size(free_bytes)} free, and what is made there stays",
            next=f"--size {_whole(free_bytes // 2)}",
        )
    if size_bytes > free_bytes:
        raise InputError(
            f"{folder} has {format_size(free_bytes)} free, and --size is {format_size(size_bytes)}",
            next=f"--size {_whole(free_bytes * 9 // 10)}",
        )
    return size_bytes


def require_still(directory: str, space_bytes: int | None, fill_percent: float) -> None:
    """Again after the first scan, which wrote out what was only in memory: that takes space too."""
    if space_bytes is None:
        return
    room = os.statvfs(directory)
    free_bytes = room.f_bavail * room.f_frsize
    live_bytes = int(space_bytes * fill_percent / 100)
    if live_bytes > free_bytes:
        raise InputError(
            f"{directory} has {format_size(free_bytes)} free, and the files would take"
            f" {format_size(live_bytes)}: {exact_percent(fill_percent)} of --size"
            f" {format_size(space_bytes)}",
            cause="data that was still in memory has its space now, or others fill the file system",
            next=(
                f"--size {_whole(free_bytes * 9 // 10)}"
                if free_bytes >= 2 << 20
                else f"df -h {directory}, and remove something"
            ),
        )


def _whole(size_bytes: int) -> str:
    """Whole mebibytes, or gibibytes of large sizes, as --size takes them."""
    unit = 1 << 30 if size_bytes >= 4 << 30 else 1 << 20
    return exact_size(max(size_bytes - size_bytes % unit, unit)).replace(" ", "")
