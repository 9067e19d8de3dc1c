"""What a block device has been asked for since it appeared, as its own counters say.

The kernel keeps them for each device and partition (Documentation/block/stat.rst): requests that
were completed, after merging, and sectors of 512 bytes.
"""

from __future__ import annotations

from dataclasses import dataclass

from fsgauge.rig.host.device.block_device import BlockDevice

_SECTOR_BYTES = 512
_READS, _READ_SECTORS, _WRITES, _WRITE_SECTORS = 0, 2, 4, 6
_DISCARDS, _DISCARD_SECTORS = 11, 13
_FIELDS_WITHOUT_DISCARDS = 11


@dataclass(frozen=True)
class DeviceCounters:
    """Completed requests and the bytes that they moved; a difference is what lay between."""

    read_requests: int
    read_bytes: int
    write_requests: int
    write_bytes: int
    discard_requests: int
    discard_bytes: int

    def __sub__(self, earlier: DeviceCounters) -> DeviceCounters:
        return DeviceCounters(
            self.read_requests - earlier.read_requests,
            self.read_bytes - earlier.read_bytes,
            self.write_requests - earlier.write_requests,
            self.write_bytes - earlier.write_bytes,
            self.discard_requests - earlier.discard_requests,
            self.discard_bytes - earlier.discard_bytes,
        )


def read_counters(device: BlockDevice) -> DeviceCounters | None:
    """The counters now; None where the kernel does not show them."""
    words = (device.read("stat") or "").split()
    if len(words) < _FIELDS_WITHOUT_DISCARDS:
        return None
    values = [int(word) for word in words]
    discards = len(values) > _DISCARD_SECTORS
    return DeviceCounters(
        read_requests=values[_READS],
        read_bytes=values[_READ_SECTORS] * _SECTOR_BYTES,
        write_requests=values[_WRITES],
        write_bytes=values[_WRITE_SECTORS] * _SECTOR_BYTES,
        discard_requests=values[_DISCARDS] if discards else 0,
        discard_bytes=values[_DISCARD_SECTORS] * _SECTOR_BYTES if discards else 0,
    )
