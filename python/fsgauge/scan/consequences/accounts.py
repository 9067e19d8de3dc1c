"""Where `df` and a scan differ, and space that no file has."""

from __future__ import annotations

import math
from fractions import Fraction

from fsgauge.engine.wire import ScanResult
from fsgauge.errors import escaped
from fsgauge.scan.consequences.rule import (
    Consequence,
    copied,
    device_of,
    has_note,
    is_bounded,
    is_ext,
    is_read_only,
    more_devices,
    place_of,
    share_of_size,
)
from fsgauge.scan.numbers import numbers_of
from fsgauge.units import count, size_down

LEAST_POINTS = 1.0
"""`df` and the scan differ by so many points of a hundred, or it is not said."""
LEAST_UNUSED_PERCENT = 5.0
"""Parts of clusters or of the device that nothing uses are worth a word from this share on."""
_BOUNDED = "a quota of the folder (project) bounds what it shows"
NOT_SEEN = "that only root can look into (in a container: root of its host)"
LEAST_PERCENT = 1.0
"""Space without a file is worth a word from this share of the file system on."""


def df(scan: ScanResult) -> Consequence | None:
    counted, used = scan.room.counted, numbers_of(scan)["used_percent"]
    if counted is None or used is None or not counted.size_bytes:
        return None
    taken = counted.size_bytes - counted.free_bytes
    both = taken + counted.available_bytes
    by_df = Fraction(100 * taken, both) if both else Fraction(100)
    if abs(by_df - used) < LEAST_POINTS:
        return None
    reasons = _ext(scan) if is_ext(scan) else _others(scan)
    why = "; ".join(reasons) or "others write meanwhile"
    return Consequence(
        "fine",
        # As df(1) shows it, rounded up.
        f"df says {math.ceil(by_df)} % of {size_down(counted.size_bytes)} is in use: {why}",
    )


def _ext(scan: ScanResult) -> list[str]:
    counted, kept = scan.room.counted, scan.room.reserved_bytes or 0
    assert counted is not None  # noqa: S101 - df asked
    own = scan.source.size_bytes - counted.size_bytes
    found = []
    if is_bounded(scan):
        found.append(_BOUNDED)
    elif own > 0:
        log = "" if scan.source.file_system == "ext2" else " and the log"
        found.append(f"it leaves out {size_down(own)} of tables{log}, which are in use")
    if kept:
        found.append(f"it counts {size_down(kept)} kept for root and ext4 itself as not available")
    return found


def _others(scan: ScanResult) -> list[str]:
    counted, free = scan.room.counted, scan.free
    assert counted is not None and free is not None  # noqa: S101 - df asked
    size = scan.source.size_bytes
    found = []
    if scan.source.file_system == "btrfs":
        if is_read_only(scan):
            what = "what is free in chunks not" if counted.available_bytes else "nothing"
            return [f"its device is read-only, so that it calls {what} available"]
        if has_note(scan, "seed_device"):
            found.append("what is free on a seed device, which no one can have, is in use here")
        if free.metadata and free.metadata.free_bytes:
            found.append(
                f"{size_down(free.metadata.free_device_bytes)} free in chunks for metadata and"
                " their copies, which data cannot have, are free here and not available there"
            )
        if unpaired := scan.room.unpaired_bytes:
            found.append(
                f"{size_down(unpaired)} in no chunk, on too few devices for its RAID, are free here"
                " and not available there"
            )
        kept = scan.room.metadata_reserve_bytes
        if kept:
            found.append(f"it takes a reserve of {size_down(kept)} for in use")
        return found
    if is_bounded(scan):
        found.append(_BOUNDED)
    if counted.size_bytes < size:
        found.append(f"it leaves out {size_down(size - counted.size_bytes)}, such as the log")
    if (kept := counted.free_bytes - counted.available_bytes) > 0:
        found.append(
            f"it counts {size_down(kept)} that ordinary users cannot have as not available"
        )
    if counted.free_bytes < free.size_bytes:
        kept = free.size_bytes - counted.free_bytes
        found.append(
            f"{scan.source.file_system} keeps {size_down(kept)} of the free space for itself, which"
            " df counts as in use"
        )
    return found


def deleted(scan: ScanResult) -> Consequence | None:
    found = scan.room.deleted
    if found is None:
        unnamed = scan.counts.unnamed_bytes
        if share_of_size(scan, unnamed) < LEAST_PERCENT:
            return None
        return Consequence(
            "attention",
            f"{size_down(unnamed)} ({share_of_size(scan, unnamed):.0f} %) belong to"
            f" {count(scan.counts.unnamed_files, 'file')} without a name: deleted while open when"
            " the system stopped",
            "mount it once, or let fsck repair it",
            "nothing: both give the space back",
        )
    if share_of_size(scan, found.size_bytes) < LEAST_PERCENT:
        return None
    first = found.largest[0] if found.largest else None
    which = do = ""
    if first is not None:
        process = f"{escaped(first.process)} ({first.process_id})"
        which = (
            f"; the largest is {escaped(first.path)}, {size_down(first.size_bytes)}, of {process}"
        )
        do = f"restart {process}, or let it open its files again: the space comes back when the"
        do += " last process closes them"
    seen = "" if found.all_processes else f"; more may be held by processes {NOT_SEEN}"
    return Consequence(
        "attention",
        f"{size_down(found.size_bytes)} ({share_of_size(scan, found.size_bytes):.0f} %) are"
        f" taken by {count(found.files, 'deleted file')} still open, which du does not see"
        f"{which}{seen}",
        do,
        "what the process serves stops for as long" if do else "",
    )


def beyond_end(scan: ScanResult) -> Consequence | None:
    beyond = scan.counts.beyond_end_bytes
    if share_of_size(scan, beyond) < LEAST_PERCENT:
        return None
    files, point = scan.counts.beyond_end_files, place_of(scan)
    why = "a program asked for it (fallocate with FALLOC_FL_KEEP_SIZE)"
    # What is kept of an extent of btrfs keeps all of it.
    back = copied("FILE") if scan.source.file_system == "btrfs" else "truncate --size=+0 FILE"
    do = f"{back} gives it back; find {point} -xdev -type f -printf '%b %s %p\\n' | awk '512 * $1 >"
    do += " $2 + 65536' lists such files"
    cost = "the file may have more pieces later"
    if scan.source.file_system == "xfs":
        why = "XFS allocates ahead of files that grow, and takes it back some minutes after the"
        why += " last close, or a program asked for it (fallocate), which stays"
        do = f"xfs_spaceman -c 'prealloc -s' {point}; mount -o allocsize=64k bounds it; for what a"
        do += f" program asked for, {back}"
        cost = "files that grow then have more pieces"
    return Consequence(
        "attention",
        f"{size_down(beyond)} ({share_of_size(scan, beyond):.0f} %) lie behind the ends of"
        f" {count(files, 'file')}, where nothing is read: {why}",
        do,
        cost,
    )


def set_aside(scan: ScanResult) -> Consequence | None:
    """What XFS has ready for writes to shared blocks: by stat(2) files have it, in no extent."""
    taken, counts = scan.room.taken_bytes, scan.counts
    is_xfs = scan.source.file_system == "xfs" and counts.shared_extents > 0
    if not is_xfs or taken is None or counts.delayed_extents:
        return None
    aside = taken - counts.extent_bytes
    if share_of_size(scan, aside) < LEAST_UNUSED_PERCENT:
        return None
    point = place_of(scan)
    return Consequence(
        "attention",
        f"{size_down(aside)} ({share_of_size(scan, aside):.0f} %) are set aside for files that"
        " share blocks and are written to (copy on write), and come back some minutes after the"
        " last close",
        f"sync -f {point} && xfs_spaceman -c 'prealloc -s' {point};"
        " xfs_io -c 'cowextsize 4096' FILE sets less aside",
        "files that are written to in small pieces have as many of them then",
    )


def kept(scan: ScanResult) -> Consequence | None:
    """What XFS keeps for its trees from the beginning: an empty one is not empty to df."""
    counted, free = scan.room.counted, scan.free
    if scan.source.file_system != "xfs" or free is None or scan.counts.delayed_extents:
        return None
    bytes_kept = scan.room.reserved_bytes or 0  # of an image
    if counted is not None and free.extents is not None and not is_bounded(scan):
        bytes_kept = free.size_bytes - counted.free_bytes
    if share_of_size(scan, bytes_kept) < LEAST_UNUSED_PERCENT:
        return None
    return Consequence(
        "fine",
        f"XFS keeps {size_down(bytes_kept)} ({share_of_size(scan, bytes_kept):.0f} %) of what is"
        " free for its own trees (of reverse mapping, of shared blocks, of inodes): df counts it as"
        " in use, of an empty file system too",
        f"xfs_info {place_of(scan)} shows whether it has rmapbt and reflink: mkfs.xfs -m"
        " rmapbt=0,reflink=0 keeps nearly nothing",
        "all files have to be copied; without rmapbt a damaged XFS is repaired unmounted alone,"
        " without reflink cp --reflink copies every byte",
    )


LEAST_GROUPS = 400
_LARGE_GROUP = 64 << 30
"""So many groups are worth a word, unless they are so large."""


def groups(scan: ScanResult) -> Consequence | None:
    """An XFS that was made small and grew: groups stay as large as they were made."""
    many, size = scan.group_count, scan.source.size_bytes
    if scan.source.file_system != "xfs" or many < LEAST_GROUPS or size >= many * _LARGE_GROUP:
        return None
    return Consequence(
        "attention",
        f"XFS has {many:,} groups of {size_down(size / many)}, as of a file system that was made"
        " small and grew: no piece of a file is longer than a group, each keeps blocks of its own,"
        " and mounting and allocating look at many",
        "make it again with mkfs.xfs at its full size, and copy the files to it: xfs_growfs adds"
        " groups of the old size",
        "a second device for as long",
    )


def clusters(scan: ScanResult) -> Consequence | None:
    """What files leave of the blocks in which they end, and of clusters of ext4 (bigalloc)."""
    cluster, taken = scan.room.cluster_bytes, scan.room.taken_bytes
    block, unused = scan.source.block_size_bytes, scan.counts.tail_bytes
    has_clusters = cluster is not None and taken is not None and cluster > block
    if has_clusters:
        assert cluster is not None and taken is not None  # noqa: S101 - has_clusters
        block, unused = cluster, unused + taken - scan.counts.extent_bytes
    if share_of_size(scan, unused) < LEAST_UNUSED_PERCENT:
        return None
    units = "clusters" if has_clusters else "blocks"
    other = ", or on a file system that has small ones in its trees (btrfs)"
    if has_clusters or scan.source.file_system == "btrfs":
        other = ", or on a file system without -O bigalloc" if has_clusters else ""
    return Consequence(
        "attention",
        f"{size_down(unused)} ({share_of_size(scan, unused):.0f} %) are the unused ends of"
        f" {units}: each file takes whole ones of {size_down(block)}",
        f"put many small files into one (tar){other}",
        "of small clusters, large files have longer lists"
        if has_clusters
        else "a file within another one is changed by writing that again",
    )


def device(scan: ScanResult) -> Consequence | None:
    """Space of the device that lies after the end of its file system, as when a volume grew; a
    device that is missing, or too large for the others."""
    source, whole, point = scan.source, scan.room.device_bytes, place_of(scan)
    if has_note(scan, "missing_device"):
        return Consequence(
            "attention",
            "A device of this btrfs is missing: new data goes to the others alone, and the next"
            " that fails may take files with it",
            f"btrfs filesystem show {point} tells which numbers are there; btrfs replace start"
            f" NUMBER NEW {point}, or btrfs device add NEW {point} && btrfs device remove missing"
            f" {point}",
            "what it had is written again from the copies",
        )
    unpaired = scan.room.unpaired_bytes or 0
    if share_of_size(scan, unpaired) >= LEAST_UNUSED_PERCENT:
        return Consequence(
            "attention",
            f"{size_down(unpaired)} ({share_of_size(scan, unpaired):.0f} %) of the devices no file"
            " can have: RAID writes to several devices at once, and the others are too small",
            *more_devices(scan),
        )
    behind = 0 if whole is None else whole - source.size_bytes
    if share_of_size(scan, behind) < LEAST_UNUSED_PERCENT:
        return None
    do, cost = {
        "xfs": (f"xfs_growfs {place_of(scan)}", "an XFS cannot be made smaller again"),
        "btrfs": (
            f"btrfs filesystem resize max {place_of(scan)}",
            "nothing: it is done while it is mounted, and can be taken back",
        ),
    }.get(
        source.file_system,
        (
            f"{'' if source.mount_point else f'e2fsck -f {device_of(scan)} && '}"
            f"resize2fs {device_of(scan)}",
            "to be made smaller again it has to be unmounted",
        ),
    )
    return Consequence(
        "attention",
        f"{size_down(behind)} of the device are unused: its file system ends at"
        f" {size_down(source.size_bytes)}; the device grew, or holds something else there",
        do,
        cost,
    )
