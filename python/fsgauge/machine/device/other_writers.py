"""Other ways to write a device: a process that has it open or mapped for writing, and for a loop
device also its backing file, behind a second loop device, mounted, as swap or open in a process.

The kernel's own users (an exported LUN, a file system) are in no process; nor is a file that was
registered with io_uring and closed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from fsgauge.machine.device.block_device import BlockDevice
from fsgauge.machine.device.device_tree import below
from fsgauge.machine.device.loop_devices import (
    FileIdentity,
    LoopBacking,
    all_backings,
    backing_of,
    identity_at,
    identity_of_device,
    leads_to,
)
from fsgauge.machine.facts.mounts import mounts_everywhere
from fsgauge.machine.process.processes import Process, descriptor_links, processes

_SWAPS = Path("/proc/swaps")


def other_ways(device: BlockDevice) -> list[str]:
    stack = [device, *below(device)]
    files = [backing for each in stack if (backing := backing_of(each.path)) is not None]
    lines = [line for backing in files for line in _of_file(backing)]
    named = {identity_of_device(each.numbers): each.path for each in (device.disk, *stack)}
    named |= {
        file.identity: file.path or f"the file of {file.loop}"
        for file in files
        if not file.identity.is_device
    }
    for identity, writers in writers_of(set(named)).items():
        lines += [f"{named[identity]}  open for writing in {writer}" for writer in writers]
    return lines


def _of_file(backing: LoopBacking) -> Iterator[str]:
    """How else the file behind a loop device is in use."""
    file = backing.path or f"the file of {backing.loop}"
    for other in all_backings():
        if other.loop != backing.loop and other.shares_bytes_with(backing):
            yield f"{other.loop}  shows {file} too{_mounted(other.loop)}"
    if backing.identity.is_device:
        return
    for mount in {mount.mount_point: mount for _, mount in mounts_everywhere()}.values():
        if mount.source.startswith("/") and leads_to(mount.source, backing.identity):
            yield f"{file}  mounted at {mount.mount_point}"
    for swap in _swap_files():
        if leads_to(swap, backing.identity):
            yield f"{file}  in use as swap"


def _mounted(loop: str) -> str:
    points = sorted({m.mount_point for _, m in mounts_everywhere() if m.source == loop})
    return f" (mounted at {', '.join(points)})" if points else ""


def _swap_files() -> list[str]:
    try:
        lines = _SWAPS.read_text().splitlines()[1:]
    except OSError:
        return []
    return [line.split()[0].replace("\\040", " ") for line in lines if line.split()]


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
    for link in descriptor_links(pid):
        try:
            if link.readlink().is_absolute() and _can_write(link):
                yield identity_at(str(link))
        except OSError:
            continue


def _can_write(link: Path) -> bool:
    lines = (link.parents[1] / "fdinfo" / link.name).read_text().splitlines()
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
