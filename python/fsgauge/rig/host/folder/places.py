"""Folders on other file systems that this user can write to and that have direct I/O."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from fsgauge.rig.host.machine.mounts import in_memory

_MOST = 3


def other_writable_places(folder: str, size_bytes: int) -> list[str]:
    """At most three folders, each on a file system of its own, none on that of `folder`.

    Each has room for twice `size_bytes`. Memory file systems do not count: they have no direct I/O,
    also where the kernel lets files be opened for it.
    """
    seen = {Path(folder).stat().st_dev} if Path(folder).exists() else set()
    places: list[str] = []
    for candidate in (Path.cwd(), Path.home(), Path("/tmp")):  # noqa: S108 - looked at, nothing is put there under a fixed name
        try:
            device = candidate.stat().st_dev
            if device in seen or not _fit(candidate, size_bytes):
                continue
        except OSError:
            continue
        seen.add(device)
        places.append(str(candidate))
    return places[:_MOST]


def _fit(folder: Path, size_bytes: int) -> bool:
    """Whether there is room, and a file can be made and opened for direct I/O."""
    if in_memory(folder):
        return False
    room = os.statvfs(folder)
    if room.f_bavail * room.f_frsize < 2 * size_bytes:
        return False
    with tempfile.NamedTemporaryFile(dir=folder, prefix="fsgauge-") as file:
        os.close(os.open(file.name, os.O_RDWR | os.O_DIRECT))
    return True
