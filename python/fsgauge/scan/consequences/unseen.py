"""Space in use that belongs to no file which the scan reached."""

from __future__ import annotations

from os.path import normpath

from fsgauge.engine.wire import FreeSpace, ScanResult
from fsgauge.scan.consequences.accounts import NOT_SEEN
from fsgauge.scan.consequences.rule import (
    Consequence,
    device_of,
    has_note,
    place_of,
    share_of_size,
)
from fsgauge.units import size_down

LEAST_PERCENT = 5.0
"""Below this it may as well be tables of the file system."""
_TABLES_AN_INODE = 4096
"""Room for an inode, its name and what lists its pieces; for a folder, its block."""


def unseen(scan: ScanResult) -> Consequence | None:
    """Snapshots, what lies under a mount, extents kept for a part of them."""
    lost = _lost_bytes(scan)
    if share_of_size(scan, lost) < LEAST_PERCENT:
        return None
    quoted_at = place_of(scan)
    what = (
        f"{size_down(lost)} ({share_of_size(scan, lost):.0f} %) are in use, and no file that was"
        " found here has them: "
    )
    if scan.source.file_system == "btrfs":
        return Consequence(
            "attention",
            f"{what}they belong to snapshots and subvolumes outside this tree, or to extents that"
            " were overwritten in part and are kept whole",
            f"btrfs subvolume list {quoted_at}, then btrfs subvolume delete for those that are not"
            f" needed; btrfs subvolume sync {quoted_at} waits until their room is free; without"
            f" any: btrfs filesystem defragment -r -t 32M {quoted_at}",
            "what was kept in a snapshot is gone; defragment writes the files again, and apart"
            " from their snapshots",
        )
    quoted_device = device_of(scan)
    if scan.source.file_system == "nilfs2":
        return Consequence(
            "attention",
            f"{what}they belong to checkpoints, and to segments that no cleaner has come to",
            f"lscp {quoted_device} (rmcp removes one, chcp cp makes one of a snapshot);"
            f" nilfs-clean {quoted_device}",
            "an old state is gone with its checkpoint",
        )
    if not has_note(scan, "other_mounts"):
        deleted = scan.room.deleted
        if deleted is not None and not deleted.all_processes:
            return Consequence(
                "attention",
                f"{what}most likely deleted files that are open, of processes {NOT_SEEN}",
                f"sudo fsgauge scan {quoted_at}   (of a container: on its host)",
            )
        return Consequence(
            "attention",
            f"{what}deleted files that the kernel still holds (a loop device, a swap file, an NFS"
            " server), or a counter that is wrong",
            "losetup -a | grep deleted, then losetup -d; swapon --show; or unmount it, and fsgauge"
            f" scan {quoted_device}",
        )
    return Consequence(
        "attention",
        f"{what}most likely they lie under a folder that another file system is mounted over",
        f"mount --bind {quoted_at} /mnt && fsgauge scan /mnt   (shows what lies under the mounts)",
        "nothing: umount /mnt takes the second view away",
    )


def _lost_bytes(scan: ScanResult) -> int:
    """What is in use less what files have; 0 where either is not known whole."""
    source, counted, free, counts = scan.source, scan.room.counted, scan.free, scan.counts
    is_whole = source.mount_point is not None and normpath(source.path) == source.mount_point
    if has_note(scan, "seed_device"):
        return 0  # what is free on a seed is no file's either
    if not is_whole or counted is None or free is None or not _all_was_walked(scan):
        return 0
    if source.file_system == "xfs" and free.extents is None:
        return 0  # statfs(2) counts as in use what XFS keeps
    inodes = scan.room.inodes
    made = inodes.total - inodes.free if inodes and inodes.total else counts.files
    # By stat(2) also what whole clusters and large folders take.
    files = max(counts.extent_bytes, scan.room.taken_bytes or 0)
    if counts.shared_once_bytes is not None:
        files -= max(counts.shared_bytes - counts.shared_once_bytes, 0)
    files += scan.room.deleted.size_bytes if scan.room.deleted else 0
    tables = _TABLES_AN_INODE * max(made, counts.files + counts.folders)
    if source.file_system == "btrfs":
        taken_bytes = _data_bytes_of_btrfs(source.size_bytes, free)
    else:
        taken_bytes = counted.size_bytes - max(counted.free_bytes, free.size_bytes)
    return max(taken_bytes - files - tables, 0)


def _all_was_walked(scan: ScanResult) -> bool:
    """Whether nothing was refused; lost+found, which is root's and nearly always empty, may be."""
    lost = f"{(scan.source.mount_point or '').rstrip('/')}/lost+found:"
    return all(
        problem.code == "not_permitted"
        and problem.count == 1
        and problem.examples[0].startswith(lost)
        for problem in scan.problems
    )


def _data_bytes_of_btrfs(size_bytes: int, free: FreeSpace) -> int:
    """What is in use in chunks for data, one copy of it; 0 where the chunks are not known."""
    metadata = free.metadata
    if metadata is None or free.unallocated_bytes is None or not free.size_bytes:
        return 0
    copies = (free.device_bytes or free.size_bytes) / free.size_bytes
    own_copies = metadata.free_device_bytes / metadata.free_bytes if metadata.free_bytes else 2.0
    outside = free.unallocated_bytes + own_copies * metadata.size_bytes
    return int((size_bytes - outside) / copies) - free.size_bytes
