"""What a rule is, and what it says of a scan."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from fsgauge.engine.wire import ScanResult
from fsgauge.scan.numbers import numbers_of

_NO_TEXT = "\N{REPLACEMENT CHARACTER}"
"""The engine writes it for bytes of names that are not UTF-8."""
Level = Literal["stop", "attention", "fine"]
"""Something cannot be done now; it costs something; nothing has to be done."""


@dataclass(frozen=True)
class Consequence:
    """A sentence that answers, and what to do with what that costs; `do` is empty for nothing."""

    level: Level
    sentence: str
    do: str = ""
    cost: str = ""


@dataclass(frozen=True)
class Rule:
    """A question; from which number on it says something; where that is known from."""

    name: str
    question: str
    threshold: str
    source: str
    find: Callable[[ScanResult], Consequence | None]


def word_of(name: str) -> str:
    """A name as a word of a command; `*` stands for what is no text, or cannot be printed."""
    if name.isprintable() and _NO_TEXT not in name:
        return shlex.quote(name)
    parts = "".join(each if each.isprintable() else _NO_TEXT for each in name).split(_NO_TEXT)
    return "*".join(shlex.quote(part) if part else "" for part in parts)


def copied(word: str) -> str:
    """What writes a file again, into extents of its own; `word` names it."""
    return f"cp -a --reflink=never {word} COPY && mv COPY {word}"


def has_clusters(scan: ScanResult) -> bool:
    """Whether ext4 allocates more than a block (bigalloc)."""
    cluster = scan.room.cluster_bytes
    return cluster is not None and cluster > scan.source.block_size_bytes


def place_of(scan: ScanResult) -> str:
    """Where it is mounted as a word of a command; what has to be mounted for it says so."""
    return word_of(scan.source.mount_point) if scan.source.mount_point else "MOUNTED"


def device_of(scan: ScanResult) -> str:
    return word_of(scan.source.device)


def is_ext(scan: ScanResult) -> bool:
    return scan.source.file_system in ("ext2", "ext3", "ext4")


_QUOTA_SHARE = 0.75
"""A log is never a quarter of a file system: less than this is the quota of a folder."""


def is_bounded(scan: ScanResult) -> bool:
    """Whether statfs(2) shows the quota of a folder (project) in place of the file system."""
    counted = scan.room.counted
    if counted is None or scan.source.file_system not in ("ext4", "xfs"):
        return False
    is_all_available = counted.available_bytes == counted.free_bytes
    return is_all_available and counted.size_bytes < _QUOTA_SHARE * scan.source.size_bytes


def usable_bytes(scan: ScanResult) -> int:
    """Free bytes that files may take or chunks for them may come from; 0 where it is not known."""
    free = scan.free
    return 0 if free is None else free.size_bytes + (free.unallocated_bytes or 0)


LEAST_UNALLOCATED = 1 << 20
"""btrfs makes no chunk of less (BTRFS_STRIPE_LEN times stripes, in whole MiB)."""


def is_mixed(scan: ScanResult) -> bool:
    """Whether btrfs has data and metadata in the same chunks."""
    own = scan.free.metadata if scan.free else None
    is_btrfs = scan.source.file_system == "btrfs" and own is not None
    return is_btrfs and own is not None and own.size_bytes == own.system_bytes


def has_note(scan: ScanResult, code: str) -> bool:
    return any(note.code == code for note in scan.notes)


def is_read_only(scan: ScanResult) -> bool:
    """Whether nothing can be written to the devices of a btrfs, of which statfs(2) then calls
    nothing available: a seed, or what was set read-only."""
    return has_note(scan, "read_only_device")


_LEAST_RESERVE = 22 * 16 * 4096
"""btrfs keeps room to insert 22 items, with the nodes of mixed chunks (block-rsv.c)."""


def available_bytes(scan: ScanResult) -> int:
    """What ordinary users may still take; of what is not mounted, without what is kept."""
    counted = scan.room.counted
    if counted is not None and not is_mixed(scan) and not is_read_only(scan):
        return counted.available_bytes
    outside = scan.free.unallocated_bytes or 0 if scan.free else 0
    unusable = outside if outside < LEAST_UNALLOCATED else 0
    kept = scan.room.reserved_bytes or 0
    if is_mixed(scan):  # statfs(2) counts the reserve as available
        kept = scan.room.metadata_reserve_bytes or _LEAST_RESERVE
    return max(usable_bytes(scan) - unusable - kept, 0)


FULL_PERCENT = 0.1
"""With less of it left, it is full."""


def more_devices(scan: ScanResult) -> tuple[str, str]:
    """What gives the copies of btrfs room on as many devices as they need, and what it costs."""
    point = place_of(scan)
    return (
        f"btrfs device usage {point} shows which devices have room; btrfs device add NEW {point},"
        " or btrfs replace for a small one",
        "a profile for fewer devices (btrfs balance start -dconvert=single) would take the room"
        " too, and keep one copy",
    )


def share_of_size(scan: ScanResult, size_bytes: float) -> float:
    """Such bytes in percent of the file system."""
    whole = numbers_of(scan)["size_bytes"]
    return 100 * size_bytes / whole if whole else 0.0
