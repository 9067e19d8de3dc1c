"""What the scan did not see: what could not be read, and space in use that no file has which it
reached."""

from __future__ import annotations

from os.path import normpath

from fsgauge.engine.wire import FreeSpace, ScanResult
from fsgauge.errors import escaped
from fsgauge.scan.consequences.accounts import NOT_SEEN
from fsgauge.scan.consequences.rule import (
    Consequence,
    copied,
    device_of,
    has_note,
    is_ext,
    place_of,
    share_of_size,
)
from fsgauge.units import count, size_down

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
        return _unseen_of_btrfs(scan, what)
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


def _unseen_of_btrfs(scan: ScanResult, what: str) -> Consequence:
    quoted_at = place_of(scan)
    whole = "extents that were overwritten in part and are kept whole"
    again = (
        f"btrfs filesystem defragment -r -t 32M {quoted_at}; of files that it leaves as they are,"
    )
    again += f" being one piece: {copied('FILE')}"
    if not scan.source.mount_point:  # all subvolumes were read
        deleted = ", or to deleted subvolumes" if has_note(scan, "scan.deleted_subvolumes") else ""
        return Consequence(
            "attention",
            f"{what}they belong to {whole}{deleted}",
            f"mount it; {again}",
            "the files are written again, and apart from their snapshots",
        )
    return Consequence(
        "attention",
        f"{what}they belong to snapshots and subvolumes outside this tree, or to {whole}",
        f"btrfs subvolume list {quoted_at}, then btrfs subvolume delete for those that are not"
        f" needed; btrfs subvolume sync {quoted_at} waits until their room is free; without any:"
        f" {again}",
        "what was kept in a snapshot is gone; files are written again, and apart from their"
        " snapshots",
    )


def _lost_bytes(scan: ScanResult) -> int:
    """What is in use less what files have; 0 where either is not known whole."""
    source, counted, free, counts = scan.source, scan.room.counted, scan.free, scan.counts
    is_image = source.mount_point is None and source.file_system == "btrfs"
    is_whole = is_image or normpath(source.path) == source.mount_point
    if has_note(scan, "seed_device"):
        return 0  # what is free on a seed is no file's either
    if not is_whole or free is None or not _all_was_walked(scan):
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
        taken_bytes = _data_bytes_of_btrfs(scan, free)
    elif counted is not None:
        taken_bytes = counted.size_bytes - max(counted.free_bytes, free.size_bytes)
    else:
        return 0
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


def _data_bytes_of_btrfs(scan: ScanResult, free: FreeSpace) -> int:
    """What is in use in chunks for data, one copy of it; 0 where the chunks are not known."""
    metadata, counted, size_bytes = free.metadata, scan.room.counted, scan.source.size_bytes
    if metadata is None or free.unallocated_bytes is None:
        return 0
    own_copies = metadata.free_device_bytes / metadata.free_bytes if metadata.free_bytes else 2.0
    if free.size_bytes:
        copies = (free.device_bytes or free.size_bytes) / free.size_bytes
        outside = free.unallocated_bytes + own_copies * metadata.size_bytes
        return int((size_bytes - outside) / copies) - free.size_bytes
    if counted is None or not counted.size_bytes:
        return 0
    # Full: statfs(2) has all by the copies of data, and the reserve as in use.
    copies = size_bytes / counted.size_bytes
    own = own_copies * (metadata.size_bytes - metadata.free_bytes) / copies
    kept = scan.room.metadata_reserve_bytes or 0
    return int(counted.size_bytes - counted.free_bytes - own) - kept


_CODES = ("read_error", "truncated", "damaged")
"""Behind which there may be files; the cause first that explains the others."""
_NOT_WRITTEN = "scan.not_written"
"""The note on a file system without a log."""


def is_unread(scan: ScanResult) -> bool:
    """Whether files may be missing from the counts."""
    return any(problem.code in _CODES for problem in scan.problems) or _is_in_use(scan)


def _is_in_use(scan: ScanResult) -> bool:
    """Whether the last changes stand in its log alone, or nowhere."""
    return has_note(scan, "scan.not_clean") or has_note(scan, _NOT_WRITTEN)


def unread(scan: ScanResult) -> Consequence | None:
    """Damage, by its cause, or a log that was not replayed, or both; with what to do."""
    found = {problem.code: problem for problem in scan.problems}
    first = next((found[code] for code in _CODES if code in found), None)
    if first is None:
        return _not_replayed(scan) if _is_in_use(scan) else None
    place = f"; first {escaped(first.examples[0])}" if first.examples else ""
    why, do, cost = {
        "read_error": _READ_ERROR,
        "truncated": _TRUNCATED,
        "damaged": ("a structure is damaged", _check(scan), "it writes nothing; unmount it first"),
    }[first.code]
    sentence = (
        f"Part of it was not read, and all else said here is of the rest: {why}"
        f" ({count(first.count, 'place')}{place})"
    )
    if not _is_in_use(scan):
        return Consequence("attention", sentence, do, cost)
    lacks = f"{sentence}; besides, {_lacks(scan)}"
    if first.code != "damaged" or scan.source.mount_point:
        return Consequence("attention", lacks, do, cost)
    replay, cost, quoted_copy = _replay(scan)
    # e2fsck has checked it too; the others take what is not mounted.
    check = f" && umount /mnt && {_check(scan, quoted_copy)}"
    check = f"; fsgauge scan {quoted_copy}" if is_ext(scan) else check
    return Consequence(
        "attention", f"{lacks}: what is missing may stand there", f"{replay}{check}", cost
    )


_READ_ERROR = (
    "the device did not return the data, or is gone",
    "dmesg | tail; is the device still there, copy it first (ddrescue), and scan the copy",
    "each further read wears a device that fails",
)
_TRUNCATED = (
    "the image ends before the file system does, or became shorter meanwhile",
    "copy the image again, whole; fsck of this one would call its missing end damage",
    "",
)


def _lacks(scan: ScanResult) -> str:
    """What is not counted of a file system in use."""
    if has_note(scan, _NOT_WRITTEN):
        return "some changes were not written, and are not counted here"
    return "its log holds changes that are not counted here"


def _not_replayed(scan: ScanResult) -> Consequence:
    """A copy of a file system in use, as a snapshot of LVM or of a cloud is."""
    what = f"It was copied or stopped while in use, or is mounted: {_lacks(scan)}"
    if scan.source.mount_point:
        quoted_at = place_of(scan)
        return Consequence("attention", what, f"fsgauge scan {quoted_at}")
    replay, cost, quoted_copy = _replay(scan)
    again = f"; fsgauge scan {quoted_copy}" if is_ext(scan) else " && fsgauge scan /mnt"
    do = f"{replay}{again}"
    return Consequence("attention", what, do, cost)


def _replay(scan: ScanResult) -> tuple[str, str, str]:
    """The command that replays the log, of an image in a copy; its cost; the copy's name, or the
    device's."""
    device = device_of(scan)
    is_image = not scan.source.device.startswith("/dev/")
    first = f"cp --sparse=always {device} copy.img && " if is_image else ""
    quoted_copy = "copy.img" if is_image else device
    if is_ext(scan):
        replay = f"{first}e2fsck -fy {quoted_copy}"
    else:
        # A loop device that is read-only itself takes no replay.
        options = "loop" if is_image else "ro"
        options += ",nouuid" if scan.source.file_system == "xfs" else ""
        replay = f"{first}mount -o {options} {quoted_copy} /mnt"
    where = "the copy" if is_image else f"{device}: let it be a snapshot or a copy"
    cost = "e2fsck writes" if has_note(scan, _NOT_WRITTEN) else "the log is replayed, which writes"
    return replay, f"{cost} to {where}", quoted_copy


def _check(scan: ScanResult, quoted_device: str = "") -> str:
    quoted_device = quoted_device or device_of(scan)
    if is_ext(scan):
        return f"e2fsck -fn {quoted_device}"
    tool = {"xfs": "xfs_repair -n", "btrfs": "btrfs check --readonly"}
    return f"{tool.get(scan.source.file_system, 'fsck -n')} {quoted_device}"
