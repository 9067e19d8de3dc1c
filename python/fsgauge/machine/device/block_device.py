"""One block device as /sys describes it, with its I/O counters; /sys may be missing or partial."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

from fsgauge.machine.facts.pseudo_files import text_of

_SYS = Path("/sys")
_SECTOR_BYTES = 512


@dataclass(frozen=True)
class BlockDevice:
    """`name` is the kernel's ("sdb1"), `numbers` is "major:minor", `folder` its place in /sys."""

    name: str
    numbers: str
    folder: Path

    @property
    def path(self) -> str:
        return f"/dev/{self.name.replace('!', '/')}"

    @property
    def size_bytes(self) -> int:
        return int(self.read("size") or 0) * _SECTOR_BYTES

    @property
    def read_only(self) -> bool:
        return self.read("ro") == "1"

    @property
    def disk(self) -> BlockDevice:
        """The whole disk of a partition; itself otherwise."""
        if (self.folder / "partition").exists():
            return _at(self.folder.parent)
        return self

    @property
    def has_queue(self) -> bool:
        """Whether it is given requests; what dm and md make passes its own on as they come."""
        return (self.disk.folder / "mq").is_dir()

    def disks(self) -> list[BlockDevice]:
        """The whole disks that it lies on, each once; itself where it is one."""
        lower = [disk for each in self.disk.slaves() for disk in each.disks()]
        return list(dict.fromkeys(lower)) or [self.disk]

    def partitions(self) -> list[BlockDevice]:
        below = sorted(self.folder.glob("*/partition"))
        return [_at(entry.parent) for entry in below]

    def holders(self) -> list[BlockDevice]:
        """Devices on top of it: device mapper, software RAID, bcache."""
        return self._linked("holders")

    def slaves(self) -> list[BlockDevice]:
        return self._linked("slaves")

    def read(self, attribute: str) -> str | None:
        return text_of(self.folder / attribute)

    def queue(self, attribute: str) -> str | None:
        return self.disk.read(f"queue/{attribute}")

    def _linked(self, kind: str) -> list[BlockDevice]:
        try:
            links = sorted((self.folder / kind).iterdir())
        except OSError:
            return []
        return [_at(link) for link in links]


def device_with_numbers(numbers: str) -> BlockDevice | None:
    """The device "major:minor", or None when /sys does not show it."""
    folder = _SYS / "dev/block" / numbers
    return _at(folder) if folder.exists() else None


def device_at(path: str) -> BlockDevice | None:
    """The block device whose node is at `path` (links followed), or None."""
    try:
        status = Path(path).stat()
    except OSError:
        return None
    if not stat.S_ISBLK(status.st_mode):
        return None
    return device_with_numbers(numbers_of(status.st_rdev))


def device_holding(path: str | Path) -> BlockDevice | None:
    """The block device below the file system that `path` is on, or None."""
    try:
        return device_with_numbers(numbers_of(Path(path).stat().st_dev))
    except OSError:
        return None


def numbers_of(number: int) -> str:
    """ "major:minor" of what stat(2) gives as one number."""
    return f"{os.major(number)}:{os.minor(number)}"


def _at(folder: Path) -> BlockDevice:
    real = folder.resolve()
    return BlockDevice(real.name, (real / "dev").read_text().strip(), real)


_READS, _READ_SECTORS, _WRITES, _WRITE_SECTORS = 0, 2, 4, 6
_DISCARDS, _DISCARD_SECTORS, _FLUSHES = 11, 13, 15
_FIELDS_WITHOUT_DISCARDS = 11


@dataclass(frozen=True)
class DeviceCounters:
    """Completed requests and their bytes; subtract two for what happened in between. Flushes are
    those of the whole disks below, None where these do not count them."""

    read_requests: int
    read_bytes: int
    write_requests: int
    write_bytes: int
    discard_requests: int
    discard_bytes: int
    flush_requests: int | None = None

    def __sub__(self, earlier: DeviceCounters) -> DeviceCounters:
        pairs = zip(astuple(self), astuple(earlier), strict=True)
        between: Iterator[Any] = (None if None in each else each[0] - each[1] for each in pairs)
        return DeviceCounters(*between)


def read_counters(device: BlockDevice) -> DeviceCounters | None:
    """The counters now, as of Documentation/block/stat.rst; None where the kernel has none."""
    values = _stat(device)
    if len(values) < _FIELDS_WITHOUT_DISCARDS:
        return None
    discards = len(values) > _DISCARD_SECTORS
    return DeviceCounters(
        read_requests=values[_READS],
        read_bytes=values[_READ_SECTORS] * _SECTOR_BYTES,
        write_requests=values[_WRITES],
        write_bytes=values[_WRITE_SECTORS] * _SECTOR_BYTES,
        discard_requests=values[_DISCARDS] if discards else 0,
        discard_bytes=values[_DISCARD_SECTORS] * _SECTOR_BYTES if discards else 0,
        flush_requests=_flushes_below(device),
    )


def _stat(device: BlockDevice) -> list[int]:
    return [int(word) for word in (device.read("stat") or "").split()]


def _flushes_below(device: BlockDevice) -> int | None:
    """A partition's are counted for its disk alone, and what dm and md make counts none."""
    counters = [_stat(disk) if disk.has_queue else [] for disk in device.disks()]
    if any(len(each) <= _FLUSHES for each in counters):
        return None
    return sum(each[_FLUSHES] for each in counters)
