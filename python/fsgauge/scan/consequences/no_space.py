"""No space although there is: what a file system needs beside free bytes, and has no more of."""

from __future__ import annotations

from fsgauge.engine.wire import FullQuota, ScanResult
from fsgauge.errors import escaped
from fsgauge.scan.consequences.rule import (
    FULL_PERCENT,
    LEAST_UNALLOCATED,
    Consequence,
    available_bytes,
    device_of,
    is_bounded,
    is_ext,
    is_mixed,
    is_read_only,
    more_devices,
    place_of,
    share_of_size,
    usable_bytes,
    word_of,
)
from fsgauge.units import size_down

FEW_PERCENT = 1.0
"""Less of anything than this is nearly none."""
NEARLY_PERCENT = 5.0
"""With less of it left, it is nearly full: from there on XFS allocates less ahead, and mke2fs keeps
as much so that files are not written in pieces."""
_CHUNK_PERCENT = 80
_CHUNK_SPARE = 2 << 20
"""btrfs makes a new chunk when so much of those of a kind is used, less the second."""
_XFS_BLOCKS_OF_A_FILE = 47
_XFS_SMALL_BLOCKS_OF_A_FILE = 108
"""XFS sets so many blocks aside for a new file, and the second of less than 4 KiB each."""
_MIXED_BYTES_OF_A_FILE = 5 << 18
"""btrfs with mixed chunks refuses new files from 1 MiB above its reserve on, and a little."""
LEAST_SPARE = 4 << 20
"""btrfs: with less than this beside its reserve, statfs(2) calls nothing available."""


def metadata(scan: ScanResult) -> Consequence | None:
    free = scan.free
    if free is None or free.metadata is None or free.unallocated_bytes is None:
        return None
    counted, outside = scan.room.counted, size_down(free.unallocated_bytes)
    is_refused = (
        counted is not None
        and not counted.available_bytes
        and not is_read_only(scan)
        and share_of_size(scan, free.size_bytes) >= FEW_PERCENT
    )
    full = f"all of the device is given to chunks ({outside} is not)"
    if free.unallocated_bytes >= LEAST_UNALLOCATED:
        if not is_refused:
            return None
        full = f"no chunk is made of the {outside} in none (on too few devices, or in small pieces)"
    kept = scan.room.metadata_reserve_bytes or 0
    # What is free in the chunks of SYSTEM is for the table of chunks alone.
    whole = free.metadata.size_bytes - free.metadata.system_bytes
    own_free = free.metadata.free_bytes - free.metadata.system_free_bytes
    spare = max(own_free - kept, 0)
    balance = f"btrfs balance start -{{}}usage=10 {place_of(scan)}   (then 25, then 50)"
    cost = (
        "it rewrites what is in chunks so little used; where it finds no room for that, a"
        " device has to be added for as long (btrfs device add)"
    )
    is_short = whole > 0 and spare < max(LEAST_SPARE, whole * FEW_PERCENT / 100)
    left = (
        f"(of {size_down(whole)} {size_down(own_free)} are free, {size_down(kept)} of it kept for"
        f" deleting) and {full}, although {size_down(free.size_bytes)} are free in chunks for data"
    )
    if (is_refused and whole > 0) or (is_short and free.size_bytes >= LEAST_UNALLOCATED):
        return Consequence(
            "stop",
            f"Nothing can be changed, or soon nothing: the chunks for metadata are full {left}",
            balance.format("d"),
            cost,
        )
    used = scan.source.size_bytes - (free.device_bytes or free.size_bytes)
    is_none = 100 * free.size_bytes < FEW_PERCENT * used
    is_little = 100 * free.size_bytes < NEARLY_PERCENT * scan.source.size_bytes
    # With less than a chunk free, none is emptied into the others.
    if (is_none or is_little) and spare > _metadata_chunk_bytes(scan):
        return Consequence(
            "stop" if is_none else "attention",
            f"There is {'no' if is_none else 'little'} room for data: {size_down(free.size_bytes)}"
            f" is free in its chunks and {full}, although {size_down(spare)} are free in chunks for"
            " metadata",
            balance.format("m"),
            cost,
        )
    wants_more = 100 * (whole - own_free + _CHUNK_SPARE) >= _CHUNK_PERCENT * whole
    if whole > 0 and wants_more and free.size_bytes >= LEAST_UNALLOCATED:
        return Consequence(
            "attention",
            f"The chunks for metadata are nearly full {left}; once they are full, nothing can be"
            " changed",
            balance.format("d"),
            cost,
        )
    return None


def _metadata_chunk_bytes(scan: ScanResult) -> int:
    """The largest that btrfs makes (init_alloc_chunk_ctl_policy_regular in fs/btrfs/volumes.c)."""
    size = scan.source.size_bytes
    return min(1 << 30 if size > 50 << 30 else 256 << 20, size // 10)


def full(scan: ScanResult) -> Consequence | None:
    kept, usable, available = (
        scan.room.reserved_bytes or 0,
        usable_bytes(scan),
        available_bytes(scan),
    )
    if scan.free is None or scan.free.unread_bytes:
        return None
    chunks = metadata(scan)
    if chunks is not None and chunks.level == "stop":
        return None
    if is_bounded(scan) and scan.room.full_quotas:
        return None
    bounds = scan.room.counted if is_bounded(scan) else None
    whole = bounds.size_bytes if bounds is not None else scan.source.size_bytes
    if 100 * available >= FULL_PERCENT * whole and available >= _least_bytes(scan):
        return None if chunks is not None else _nearly_full(scan, available, whole)
    if bounds is not None:
        return Consequence(
            "stop",
            f"This folder is full: {_no(available)} for new data, since its quota (project) of"
            f" {size_down(bounds.size_bytes)} is used up, although"
            f" {size_down(usable)} are free",
            f"{_shown_quotas(scan)}   (names it: the project of {word_of(scan.source.path)})",
            "others have less room; who has the quota can delete files as well",
        )
    # Where root took what is kept for it, it is full for everybody.
    is_kept = is_ext(scan) and kept > _own_of_ext4(scan)
    if is_kept and share_of_size(scan, usable) >= FULL_PERCENT:
        percent = f"{share_of_size(scan, kept):.1f} %"
        return Consequence(
            "stop",
            f"Ordinary users have {_no(available)}: what is free, {size_down(usable)}, is kept for"
            f" root and ext4 itself ({size_down(kept)}, {percent})",
            f"tune2fs -m 1 {device_of(scan)}   (keeps 1 %)",
            "services of root lose the room in which they go on when users filled the rest, and"
            " files written to the last per cents have more pieces",
        )
    outside = scan.free.unallocated_bytes or 0
    is_refused = scan.room.counted is not None and available < LEAST_UNALLOCATED <= outside
    if scan.source.file_system == "btrfs" and is_refused:
        return Consequence(
            "stop",
            f"It is full: {_no(available)} for new data. No chunk is made of the"
            f" {size_down(outside)} in none: they are on too few devices for its profile, or in"
            " small pieces",
            *more_devices(scan),
        )
    own = usable - available
    rest = f"; {size_down(own)} is left that the file system keeps for itself" if own > 0 else ""
    do = _delete_or_enlarge(scan)
    if scan.source.file_system == "btrfs":
        do += "; to delete takes a little room: empty a large file first (truncate --size=0)"
    return Consequence("stop", f"It is full: {_no(available)} for new data{rest}", do)


def host(scan: ScanResult) -> Consequence | None:
    """What is free here has no place where the file is that holds it."""
    file, free = scan.room.host_file, usable_bytes(scan)
    lacking = min(file.sparse_bytes, free) - file.available_bytes if file is not None else 0
    if file is None or lacking <= 0:
        return None
    sure, word = free - lacking, word_of(file.path)
    return Consequence(
        "stop" if share_of_size(scan, sure) < FULL_PERCENT else "attention",
        f"Of {size_down(free)} that are free {size_down(sure) if sure else 'nothing'} can be relied"
        f" on: it is in {escaped(file.path)}, of which {size_down(file.sparse_bytes)} are holes,"
        f" and {size_down(file.available_bytes)} are available there. Beyond that a loop device has"
        " I/O errors, for data that write(2) took already",
        f"df {word} shows where room has to be made; then fallocate --length $(stat --format %s"
        f" {word}) {word} takes it for all of the file",
        "others there have as much less",
    )


def _delete_or_enlarge(scan: ScanResult) -> str:
    """Where the room went, and the two ways to have some."""
    do = "delete files, or enlarge the device"
    if not scan.source.mount_point:
        return do
    du = f"du --one-file-system --human-readable {place_of(scan)} | sort --human-numeric-sort"
    return f"{du}   (then {do})"


def _nearly_full(scan: ScanResult, available: int, whole: int) -> Consequence | None:
    """What becomes worse before there is no room."""
    if 100 * available >= NEARLY_PERCENT * whole:
        return None
    what = "This folder is nearly full by its quota (project)"
    left = f"{size_down(available)} ({100 * available / whole:.1f} %)"
    follows = "new files are written in more pieces from here on"
    if scan.source.file_system == "xfs":
        follows = "XFS allocates less ahead from here on, so files that grow have more pieces"
    if scan.source.file_system == "btrfs":
        follows = "a balance, or to delete snapshots, needs room too"
    return Consequence(
        "attention",
        f"{what if is_bounded(scan) else 'It is nearly full'}: {left} are left to ordinary users;"
        f" {follows}",
        _delete_or_enlarge(scan),
    )


def _least_bytes(scan: ScanResult) -> int:
    """With less, a new file is refused, however small the file system is."""
    if scan.source.file_system == "xfs":
        block = scan.source.block_size_bytes
        return block * (_XFS_BLOCKS_OF_A_FILE if block >= 4096 else _XFS_SMALL_BLOCKS_OF_A_FILE)
    return _MIXED_BYTES_OF_A_FILE if is_mixed(scan) else 0


def _own_of_ext4(scan: ScanResult) -> int:
    """What ext4 keeps for itself beside root's share (ext4_set_resv_clusters).

    Where the size of a cluster is not known, the most that it may be.
    """
    source, cluster = scan.source, scan.room.cluster_bytes
    if source.file_system != "ext4":
        return 0
    most = source.size_bytes // 50
    return most if cluster is None else min(most, 4096 * cluster)


def quota(scan: ScanResult) -> Consequence | None:
    if not scan.room.full_quotas:
        return None
    said = ", ".join(map(_quota, scan.room.full_quotas[:3]))
    more = len(scan.room.full_quotas) - 3
    said += f", and {more} more" if more > 0 else ""
    return Consequence(
        "stop",
        f"Quotas are used up, although {size_down(usable_bytes(scan))} are free: {said}",
        _more_quota(scan, scan.room.full_quotas[0]),
        "others have less room; who has the quota can delete files as well",
    )


def _shown_quotas(scan: ScanResult) -> str:
    """Lists all of ext4 or XFS, with those that have a little left."""
    if scan.source.file_system == "xfs":
        return f"xfs_quota -x -c 'report -ugp -bi' {place_of(scan)}"
    return f"repquota -ugP {place_of(scan)}"


def _more_quota(scan: ScanResult, full: FullQuota) -> str:
    """Shows all, and doubles the first."""
    point, twice = place_of(scan), 2 * full.limit
    if scan.source.file_system == "btrfs":
        own = "-e " if full.of == "own bytes" else ""
        level = full.kind.removeprefix("qgroup ")
        limit = f"btrfs qgroup limit {own}{twice} {level}{full.id} {point}"
        return f"btrfs qgroup show -re {point}; {limit}"
    if scan.source.file_system == "xfs":
        what = f"{'i' if full.of == 'inodes' else 'b'}hard={twice}"
        limit = f"xfs_quota -x -c 'limit -{full.kind[0]} {what} {full.id}' {point}"
        return f"{_shown_quotas(scan)}; {limit}"
    return f"{_shown_quotas(scan)}; edquota -{full.kind[0].replace('p', 'P')} {full.id}"


def _quota(full: FullQuota) -> str:
    limit = f"{full.limit:,} files" if full.of == "inodes" else size_down(full.limit)
    gap = "" if full.kind.endswith("/") else " "
    return f"{full.kind}{gap}{full.id} has its {limit}"


def _no(available: int) -> str:
    return f"{size_down(available)}" if available else "no room"
