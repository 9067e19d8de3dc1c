"""What lies below a device, and whose flushes its counters are."""

from __future__ import annotations

from pathlib import Path

from fsgauge.machine.device.block_device import BlockDevice, read_counters
from tests.unit.machine.device.fake_devices import made_of, partition, whole_disk


def flushes(device: BlockDevice) -> int | None:
    counters = read_counters(device)
    assert counters is not None and counters.write_requests == 4
    return counters.flush_requests


def test_flushes_of_a_partition_are_those_of_its_disk(tmp_path: Path) -> None:
    """The kernel counts them for the disk alone: 0 flushes was said of every commit there."""
    disk = whole_disk(tmp_path, "nvme0n1", 0, flushes=7)
    part = partition(disk, 1)
    assert part.disks() == [disk] and disk.disks() == [disk]
    assert flushes(part) == flushes(disk) == 7


def test_flushes_of_a_volume_are_those_of_the_disks_below(tmp_path: Path) -> None:
    """dm counts a flush as a write, and 0 flushes was said of every commit on LVM."""
    first, second = (whole_disk(tmp_path, f"sd{x}", n, flushes=5) for n, x in enumerate("ab"))
    raid = made_of(tmp_path, "md0", partition(first, 11), partition(second, 12))
    volume = made_of(tmp_path, "dm-0", raid, partition(first, 13))
    assert volume.disks() == [first, second]
    assert flushes(volume) == 10


def test_flushes_that_no_queue_counts_are_unknown(tmp_path: Path) -> None:
    pmem = whole_disk(tmp_path, "pmem0", 0, has_queue=False)
    assert flushes(pmem) is None
    assert flushes(made_of(tmp_path, "dm-0", pmem)) is None
