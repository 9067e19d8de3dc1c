"""Root makes nothing where others may plant links or swap what it made for something else."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from fsgauge.errors import RefusedError

_OTHERS_WRITE = 0o022


def require_own(folder: Path) -> None:
    """RefusedError where root would fill a folder in which others may plant links."""
    if os.geteuid() != 0:
        return
    found = folder.stat()
    if found.st_uid == 0 and not found.st_mode & _OTHERS_WRITE:
        return
    raise RefusedError(
        f"root does not age {folder}",
        cause=_cause(found),
        next=f"as its owner, without sudo; or: chown root {folder}; chmod 755 {folder}",
    )


def require_no_swap(folder: Path) -> None:
    """RefusedError where others may rename what root makes in `folder`, and put a link there.

    In a sticky folder, as /var/tmp, they may not; who called sudo may be root anyway.
    """
    if os.geteuid() != 0:
        return
    found = folder.stat()
    trusted = found.st_uid in {0, _who_called_sudo()}
    if trusted and (found.st_mode & stat.S_ISVTX or not found.st_mode & _OTHERS_WRITE):
        return
    raise RefusedError(
        f"root makes no image in {folder}",
        cause=_cause(found),
        next="an image in a folder of root, or in /var/tmp",
    )


def _cause(found: os.stat_result) -> str:
    if found.st_uid:
        return f"it belongs to another user (number {found.st_uid}), who may plant links in it"
    return f"others may write in it (mode {stat.S_IMODE(found.st_mode):o}), and plant links"


def _who_called_sudo() -> int:
    number = os.environ.get("SUDO_UID", "")
    return int(number) if number.isdecimal() else 0
