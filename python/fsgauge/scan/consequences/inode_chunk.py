"""An XFS that has space, and none where new inodes have to be."""

from __future__ import annotations

from fsgauge.engine.wire import FreeSpace, InodeChunk, ScanResult
from fsgauge.scan.consequences.rule import (
    FULL_PERCENT,
    Consequence,
    is_bounded,
    place_of,
    share_of_size,
)
from fsgauge.units import size_down

_NEARLY_NONE = 64
"""Inodes: the kernel's counter of XFS is only about right."""


def inode_chunk(scan: ScanResult) -> Consequence | None:
    """No piece for new inodes, or, mounted with inode32, no room below where they lie."""
    found, free = scan.room.inode_chunk, scan.free
    if found is None or found.places is None or free is None or free.extents is None:
        return None
    if free.size_bytes < 64 * found.least_bytes:
        return None
    is_below = found.below_bytes is not None and found.below_bytes < scan.source.size_bytes
    if found.places and not (is_below and _is_full_below(scan, found.below_bytes or 0)):
        return None
    new = (
        f"{found.free_inodes:,} files more, then none"
        if found.free_inodes >= _NEARLY_NONE
        else "No new file can be made"
    )
    why, do, cost = _below(scan, found) if is_below else _in_pieces(scan, found, free)
    percent = f"{share_of_size(scan, free.size_bytes):.0f} %"
    return Consequence(
        "stop" if found.free_inodes < _NEARLY_NONE else "attention",
        f"{new}: {why}, although {size_down(free.size_bytes)} ({percent}) are free",
        do,
        cost,
    )


def _in_pieces(scan: ScanResult, found: InodeChunk, free: FreeSpace) -> tuple[str, str, str]:
    return (
        f"XFS needs a free piece of {size_down(found.least_bytes)} at a multiple of"
        f" {size_down(found.align_bytes)} for new inodes, and none of {free.extents:,} free pieces"
        " holds one",
        f"delete or move away files that lie between free pieces, or xfs_growfs {place_of(scan)} on"
        " a larger device: a new group is one piece. xfs_fsr joins files, not free space",
        "mkfs.xfs -i sparse=1 (the default since xfsprogs 4.16) makes do with smaller pieces; the"
        " files have to be copied to it",
    )


def _below(scan: ScanResult, found: InodeChunk) -> tuple[str, str, str]:
    return (
        "mounted with inode32, XFS has inodes in its first"
        f" {size_down(found.below_bytes or 0)} alone, where no free piece holds new ones",
        f"mount -o remount,inode64 {place_of(scan)}",
        "programs of 32 bits may fail on files whose inodes have larger numbers",
    )


def _is_full_below(scan: ScanResult, below_bytes: int) -> bool:
    """Whether the groups there have no more than what XFS keeps in each for itself; what that is,
    statfs(2) does not tell of a folder with a quota."""
    counted, free = scan.room.counted, scan.free
    if counted is None or free is None or not scan.groups or is_bounded(scan):
        return False
    kept_each = (free.size_bytes - counted.free_bytes) // len(scan.groups)
    below = [group for group in scan.groups if group.offset_bytes < below_bytes]
    room = sum(max(group.free_bytes - kept_each, 0) for group in below)
    return 100 * room < FULL_PERCENT * sum(group.size_bytes for group in below)
