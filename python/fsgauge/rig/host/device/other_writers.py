"""Other ways to the bytes of a device: a process that has it open for writing, and for a loop
device also its backing file, behind a second loop device, mounted, as swap or in a program's hands.

Takes a device, gives one line for each way; silence means that none can be seen.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from fsgauge.rig.host.device.block_device import BlockDevice
from fsgauge.rig.host.device.device_tree import below
from fsgauge.rig.host.device.file_identity import FileIdentity, identity_at, identity_of_device
from fsgauge.rig.host.device.loop_backing import LoopBacking, all_backings, backing_of
from fsgauge.rig.host.device.writers import writers_of
from fsgauge.rig.host.machine.mounts import mounts_everywhere

_SWAPS = Path("/proc/swaps")


def other_ways(device: BlockDevice) -> list[str]:
    """One line for each."""
    stack = [device, *below(device)]
    files = [backing for each in stack if (backing := backing_of(each.path)) is not None]
    lines = [line for backing in files for line in _of_file(backing)]
    named = {identity_of_device(each.numbers): each.path for each in (device.disk, *stack)}
    named |= {
        file.identity: file.path or f"the file of {file.loop}"
        for file in files
        if not file.identity.is_device
    }
    for identity, processes in writers_of(set(named)).items():
        lines += [f"{named[identity]}  open for writing in {process}" for process in processes]
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
        if mount.source.startswith("/") and _is(mount.source, backing.identity):
            yield f"{file}  mounted at {mount.mount_point}"
    for swap in _swap_files():
        if _is(swap, backing.identity):
            yield f"{file}  in use as swap"


def _mounted(loop: str) -> str:
    points = sorted({m.mount_point for _, m in mounts_everywhere() if m.source == loop})
    return f" (mounted at {', '.join(points)})" if points else ""


def _is(path: str, identity: FileIdentity) -> bool:
    try:
        return identity_at(path) == identity
    except OSError:
        return False


def _swap_files() -> list[str]:
    try:
        lines = _SWAPS.read_text().splitlines()[1:]
    except OSError:
        return []
    return [line.split()[0].replace("\\040", " ") for line in lines if line.split()]
