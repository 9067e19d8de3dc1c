"""New files that are refused although there is room: folders that take no more names or are far
larger than theirs, inodes that are used up, an XFS without a place for them."""

from __future__ import annotations

from fsgauge.engine.wire import FreeSpace, InodeChunk, ScanResult
from fsgauge.errors import escaped
from fsgauge.scan.consequences.no_space import FEW_PERCENT
from fsgauge.scan.consequences.rule import (
    FULL_PERCENT,
    Consequence,
    available_bytes,
    device_of,
    is_bounded,
    is_ext,
    place_of,
    share_of_size,
    usable_bytes,
    word_of,
)
from fsgauge.units import count, size_down


def folder_index(scan: ScanResult) -> Consequence | None:
    if not scan.room.full_folders:
        return None
    first, more = scan.room.full_folders[0], len(scan.room.full_folders) - 1
    place, others = escaped(first.name), f"; {count(more, 'more folder')} like it" if more else ""
    what = (
        f"the index of {place} has all its levels and a full root, and {first.full_index_blocks:,}"
        f" of its {first.index_blocks:,} blocks are full too (it takes"
        f" {size_down(first.size_bytes)}){others}"
    )
    is_refused = first.full_index_blocks > 0
    begin = (
        "New names are refused in a folder, although there is room: No space left on device"
        if is_refused
        else "New names will soon be refused in a folder, although there is room"
    )
    return Consequence(
        "stop" if is_refused else "attention",
        f"{begin} for each that belongs to a full block: {what}"
        if is_refused
        else f"{begin}: {what}",
        f"split the folder; or, unmounted, tune2fs -O large_dir {device_of(scan)} (a level more);"
        f" where many names were deleted, e2fsck -fD {device_of(scan)} rebuilds the index",
        "large_dir is read by Linux 4.13 and later alone; e2fsck -D writes every folder again",
    )


def emptied(scan: ScanResult) -> Consequence | None:
    if not scan.room.emptied_folders:
        return None
    first, more = scan.room.emptied_folders[0], len(scan.room.emptied_folders) - 1
    others = f"; {count(more, 'more folder')} like it" if more else ""
    quoted_name, quoted_new = word_of(first.name), word_of(f"{first.name}.new")
    return Consequence(
        "attention",
        f"Listing a folder reads far more than its names: {escaped(first.name)} takes"
        f" {size_down(first.size_bytes)} and has {count(first.entries, 'name')}, since"
        f" {scan.source.file_system} gives no block of a folder back when names are deleted"
        f"{others}",
        f"mkdir {quoted_new} && find {quoted_name} -mindepth 1 -maxdepth 1 -exec"
        f" mv -t {quoted_new} {{}} + && rmdir {quoted_name} && mv {quoted_new} {quoted_name}; or,"
        f" unmounted, e2fsck -fD {device_of(scan)}",
        "programs that have the folder open have to open it again; e2fsck -D writes every folder",
    )


_LARGEST_XFS_INODE = 2048
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


def inodes(scan: ScanResult) -> Consequence | None:
    found = scan.room.inodes
    if found is None or not found.total or 100 * found.free / found.total >= FEW_PERCENT:
        return None
    if found.free and found.free >= 1000:
        return None
    if scan.source.file_system == "xfs" and found.free * _LARGEST_XFS_INODE >= available_bytes(
        scan
    ):
        return None  # room bounds them, not their share of it
    room = size_down(usable_bytes(scan))
    made = (
        f"all {found.total:,} inodes are in use"
        if not found.free
        else (f"of {found.total:,} inodes {found.free:,} are left")
    )
    new = "No new file can be made" if not found.free else f"{found.free:,} files more, then none"
    if scan.source.file_system == "xfs":
        do = f"xfs_growfs -m 50 {place_of(scan)}"
        cost = "inodes may then take half of the space; it cannot be taken back from them"
    elif is_ext(scan):
        do = "delete files, or put many small ones into one (tar); to have more inodes: resize2fs"
        do += " (each new group brings some), or mkfs.ext4 -N or -T news"
        cost = "a larger device, or for mkfs copying all files: nothing else adds any"
    else:
        do, cost = "delete files: how many inodes there are was fixed when it was made", ""
    return Consequence(
        "stop" if not found.free else "attention",
        f"{new}: {made}, although {room} are free",
        do,
        cost,
    )
