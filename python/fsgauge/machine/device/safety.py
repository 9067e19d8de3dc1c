"""Whether a device can be used: it exists, is large enough, and nothing uses it.

Raises InputError for what is no usable device, RefusedError for one that holds something or is in
use. Nothing is written here. Consent is in consent.py.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fsgauge.errors import InputError, RefusedError, quoted
from fsgauge.machine.device.block_device import BlockDevice, device_at
from fsgauge.machine.device.device_tree import contents_of
from fsgauge.machine.device.other_writers import other_ways
from fsgauge.units import format_size

_DISK = Path("/dev/disk/by-id")
_ELSEWHERE = "name an empty device, or use a file: --storage loop:8GiB"


def find_device(name: str) -> BlockDevice:
    """The device at a path or with a name of /dev/disk/by-id."""
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
    others = other_ways(device)
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
    descriptor = os.open(device.disk.path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(descriptor)
        raise RefusedError(
            f"another program holds the lock of {device.disk.path}",
            cause="another fsgauge run uses it, or it is being partitioned",
            next=f"fuser -v {device.disk.path}",
        ) from error
    try:
        yield
    finally:
        os.close(descriptor)
