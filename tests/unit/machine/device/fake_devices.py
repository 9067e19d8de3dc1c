"""Block devices as /sys lays them out."""

from __future__ import annotations

from pathlib import Path

from fsgauge.machine.device.block_device import BlockDevice


def whole_disk(
    above: Path,
    name: str,
    minor: int,
    *,
    flushes: int = 0,
    has_queue: bool = True,
    cache: str = "write back",
    fua: str = "1",
) -> BlockDevice:
    folder = above / name
    (folder / "queue").mkdir(parents=True)
    (folder / "queue/write_cache").write_text(cache)
    (folder / "queue/fua").write_text(fua)
    if has_queue:
        (folder / "mq").mkdir()
    return _described(folder, f"259:{minor}", flushes)


def partition(disk: BlockDevice, minor: int) -> BlockDevice:
    """Its own counter of flushes stays at 0."""
    folder = disk.folder / f"{disk.name}p{minor}"
    folder.mkdir()
    (folder / "partition").write_text(str(minor))
    return _described(folder, f"259:{minor}", 0)


def made_of(above: Path, name: str, *lower: BlockDevice) -> BlockDevice:
    """As dm and md are: bios go through, and no request queue counts flushes."""
    device = whole_disk(above, name, 900, has_queue=False)
    (device.folder / "slaves").mkdir()
    for each in lower:
        (device.folder / "slaves" / each.name).symlink_to(each.folder)
    return device


def _described(folder: Path, numbers: str, flushes: int) -> BlockDevice:
    (folder / "dev").write_text(numbers)
    (folder / "stat").write_text(" ".join(map(str, [*range(15), flushes, 0])))
    return BlockDevice(folder.name, numbers, folder)
