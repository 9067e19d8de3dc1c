"""Processes that can write a file or device now: they opened or mapped it for writing.

The kernel's own users (an exported LUN, a file system) are in no process; nor is a file that was
handed to io_uring and closed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from fsgauge.rig.host.device.file_identity import FileIdentity, identity_at
from fsgauge.rig.host.process.processes import Process, processes

_PROC = Path("/proc")
_PATH_ONLY = 0o10000000
"""O_PATH: such a descriptor can neither read nor write."""


def writers_of(wanted: set[FileIdentity]) -> dict[FileIdentity, list[Process]]:
    """For each of `wanted`, the other processes that can write it; in one pass."""
    found: dict[FileIdentity, list[Process]] = {}
    for process in processes():
        if process.pid == os.getpid():
            continue
        theirs = {*_open_for_writing(process.pid), *_mapped_for_writing(process.pid)}
        for identity in wanted & theirs:
            found.setdefault(identity, []).append(process)
    return found


def _open_for_writing(pid: int) -> Iterator[FileIdentity]:
    try:
        links = list((_PROC / str(pid) / "fd").iterdir())
    except OSError:  # another user's process, or one that just ended
        return
    for link in links:
        try:
            if link.readlink().is_absolute() and _can_write(pid, link.name):
                yield identity_at(str(link))
        except OSError:
            continue


def _can_write(pid: int, descriptor: str) -> bool:
    lines = (_PROC / str(pid) / "fdinfo" / descriptor).read_text().splitlines()
    flags = next((int(line.split()[1], 8) for line in lines if line.startswith("flags:")), 0)
    return flags & os.O_ACCMODE != os.O_RDONLY and not flags & _PATH_ONLY


def _mapped_for_writing(pid: int) -> Iterator[FileIdentity]:
    """A shared mapping outlives its descriptor."""
    try:
        lines = (_PROC / str(pid) / "maps").read_text(errors="replace").splitlines()
    except OSError:
        return
    for line in lines:
        where, mode, *rest = line.split(maxsplit=5)
        if mode[1] == "w" and mode[3] == "s" and rest[-1].startswith("/"):
            begin, _, end = where.partition("-")
            try:
                yield identity_at(f"{_PROC}/{pid}/map_files/{int(begin, 16):x}-{int(end, 16):x}")
            except OSError:
                continue
