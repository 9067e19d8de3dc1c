"""A folder that fsgauge made: its marker names the owner, and only a marked folder is removed.

Removal never follows a symbolic link and never enters another file system.
"""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from fsgauge.errors import RigError
from fsgauge.plain_files import open_to_read

MARKER = ".made-by-fsgauge"
_MARKER_LIMIT_BYTES = 4096
_OPEN_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class Owner(BaseModel):
    """The run that made something: a process, told apart from later ones with the same id."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    token: str
    pid: int
    start_ticks: int
    boot_id: str


def make_marked(path: Path, owner: Owner) -> None:
    """Make `path` with its marker, for this user alone."""
    path.mkdir(mode=0o700)
    with (path / MARKER).open("x") as marker:
        marker.write(owner.model_dump_json() + "\n")
        marker.flush()
        os.fsync(marker.fileno())


def owner_of(path: Path) -> Owner | None:
    """Who made the folder, or None when it has no readable marker or is no folder."""
    try:
        folder = os.open(path, _OPEN_FOLDER)
    except OSError:
        return None
    try:
        return _read_marker(folder)
    finally:
        os.close(folder)


def remove_marked(path: Path, token: str) -> bool:
    """Remove the folder with everything in it if `token` made it; gives whether it was there.

    A folder without a marker goes only when it is empty: a kill may have come between the two.
    Raises RigError when it is someone else's or another file system is mounted in it.
    """
    try:
        folder = os.open(path, _OPEN_FOLDER)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise RigError(
            f"{path} is no longer a folder of fsgauge, so it is left alone",
            cause=f"a user who can write in {path.parent} replaced it with a link or a file",
            next=f"ls -l {path}; rm {path}; fsgauge doctor",
        ) from error
    try:
        owner = _read_marker(folder)
        if owner is None or owner.token != token:
            _refuse_unless_empty(path, folder)
        else:
            _empty(folder, path)
    finally:
        os.close(folder)
    path.rmdir()
    return True


def _read_marker(folder: int) -> Owner | None:
    """What the marker says; a pipe in its place, which would keep its reader waiting, is none."""
    try:
        marker = open_to_read(folder, MARKER)
    except OSError:
        return None
    try:
        return Owner.model_validate_json(os.read(marker, _MARKER_LIMIT_BYTES))
    except (ValidationError, OSError):
        return None
    finally:
        os.close(marker)


def _refuse_unless_empty(path: Path, folder: int) -> None:
    """A marker that the kill cut short is the only thing that may lie here."""
    for name in os.listdir(folder):
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if name != MARKER or not stat.S_ISREG(status.st_mode) or status.st_size > 0:
            raise RigError(f"{path} does not have this run's marker, so it is left alone")
        os.unlink(name, dir_fd=folder)


def _empty(folder: int, path: Path) -> None:
    """Delete everything below an open folder, the marker last."""
    device = os.fstat(folder).st_dev
    for name in sorted(os.listdir(folder), key=lambda name: name == MARKER):
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if status.st_dev != device:
            raise RigError(f"another file system is mounted at {path / name}, so it is left alone")
        if stat.S_ISDIR(status.st_mode):
            _remove_below(folder, name, path)
        else:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(name, dir_fd=folder)


def _remove_below(folder: int, name: str, path: Path) -> None:
    below = os.open(name, _OPEN_FOLDER, dir_fd=folder)
    try:
        _empty(below, path / name)
    finally:
        os.close(below)
    os.rmdir(name, dir_fd=folder)
