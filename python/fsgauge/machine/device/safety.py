"""Whether a device can be used: it exists, is large enough, and nothing uses it or writes it
another way.

Raises InputError for what is no usable device, RefusedError for one that holds something or is
in use. Nothing is written here. Consent is in consent.py. The kernel's own users (an exported
LUN, a file system) are in no process; nor is a file that was registered with io_uring and
closed.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fsgauge.errors import InputError, RefusedError, quoted
from fsgauge.machine.device.block_device import BlockDevice, device_at
from fsgauge.machine.device.device_tree import below, contents_of
from fsgauge.machine.device.loop_devices import (
    FileIdentity,
    LoopBacking,
    all_backings,
    backing_of,
    identity_at,
    identity_of_device,
    leads_to,
)
from fsgauge.machine.facts.mounts import mounts_everywhere, swaps
from fsgauge.machine.facts.pseudo_files import fields_of, lines_of
from fsgauge.machine.process.processes import Process, descriptor_links, processes
from fsgauge.plain_files.opening import closing
from fsgauge.units import format_size

_DISK = Path("/dev/disk/by-id")
_ELSEWHERE = "name an empty device, or use a file: --storage loop:8GiB"
_INSTANT_SECONDS = 0.2


def find_device(name: str) -> BlockDevice:
    path = name if name.startswith("/") else str(_DISK / name)
    device = device_at(path)
    if device is not None:
        return device
    if not Path(path).exists():
        raise InputError(
            f"there is no device {name}",
            cause="it does not exist, was removed, or has a different name since a reboot",
            next="lsblk -o NAME,SIZE,SERIAL,MODEL; ls /dev/disk/by-id",
        )
    if not Path(path).is_block_device():
        raise InputError(
            f"{name} is not a block device",
            next=f"to compare folders, without --storage: --system {quoted(name)}"
            " --system /another/folder"
            if Path(path).is_dir()
            else _ELSEWHERE,
        )
    raise InputError(
        f"{name} is not described in /sys, so it cannot be examined",
        cause="it was unplugged, or this is a container without the host's /sys",
        next=_ELSEWHERE,
    )


def require_unused(device: BlockDevice) -> None:
    """RefusedError that lists what is on the device and what uses it."""
    found = contents_of(device)
    if found:
        raise RefusedError(
            f"{device.path} holds data, so it is left alone",
            details=tuple(found),
            cause="a signature, partition, mount, swap or another device was found on it, or on a"
            " device below it",
            next=_ELSEWHERE,
        )
    others = _ways_that_last(device)
    if others:
        raise RefusedError(
            f"{device.path} is in use, so it is left alone",
            details=tuple(others),
            cause="a process has it open for writing, or its bytes are in use elsewhere; later"
            " writes would be silently lost",
            next="end that use, or " + _ELSEWHERE,
        )


def require_writable(device: BlockDevice, smallest_bytes: int) -> None:
    """InputError for a device that is read-only, empty of capacity or too small."""
    if device.read_only:
        raise InputError(
            f"{device.path} is read-only",
            cause="it was set so (blockdev --setro), has a switch, or failed and protects itself",
            next=f"blockdev --getro {device.path}; dmesg | tail",
        )
    if device.size_bytes < smallest_bytes:
        raise InputError(
            f"{device.path} has {format_size(device.size_bytes)}, and the systems need"
            f" at least {format_size(smallest_bytes)}",
            next=_ELSEWHERE,
        )


@contextmanager
def sole_use(device: BlockDevice) -> Iterator[None]:
    """Hold the device's advisory lock, which other fsgauge runs and udev respect."""
    with closing(os.open(device.disk.path, os.O_RDONLY | os.O_CLOEXEC)) as descriptor:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise RefusedError(
                f"another program holds the lock of {device.disk.path}",
                cause="another fsgauge run uses it, or it is being partitioned",
                next=f"fuser -v {device.disk.path}",
            ) from error
        yield


def _ways_that_last(device: BlockDevice) -> list[str]:
    """Who searches for a free loop device opens each for an instant."""
    if not other_ways(device):
        return []
    time.sleep(_INSTANT_SECONDS)
    return other_ways(device)


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
    file = backing.path or f"the file of {backing.loop}"
    for other in all_backings():
        if other.loop != backing.loop and other.shares_bytes_with(backing):
            yield f"{other.loop}  shows {file} too{_mounted(other.loop)}"
    if backing.identity.is_device:
        return
    for mount in {mount.mount_point: mount for _, mount in mounts_everywhere()}.values():
        if mount.source.startswith("/") and leads_to(mount.source, backing.identity):
            yield f"{file}  mounted at {mount.mount_point}"
    for swap in sorted(swaps()):
        if leads_to(swap, backing.identity):
            yield f"{file}  in use as swap"


def _mounted(loop: str) -> str:
    points = sorted({m.mount_point for _, m in mounts_everywhere() if m.source == loop})
    return f" (mounted at {', '.join(points)})" if points else ""


_PROC = Path("/proc")
_PATH_ONLY = 0o10000000
"""O_PATH: such a descriptor can neither read nor write."""


def writers_of(wanted: set[FileIdentity]) -> dict[FileIdentity, list[Process]]:
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
    flags = int(fields_of(link.parents[1] / "fdinfo" / link.name).get("flags", "0"), 8)
    return flags & os.O_ACCMODE != os.O_RDONLY and not flags & _PATH_ONLY


def _mapped_for_writing(pid: int) -> Iterator[FileIdentity]:
    """A shared mapping outlives its descriptor."""
    for line in lines_of(_PROC / str(pid) / "maps"):
        where, mode, *rest = line.split(maxsplit=5)
        if mode[1] == "w" and mode[3] == "s" and rest[-1].startswith("/"):
            begin, _, end = where.partition("-")
            try:
                yield identity_at(f"{_PROC}/{pid}/map_files/{int(begin, 16):x}-{int(end, 16):x}")
            except OSError:
                continue
