"""The emptiest region of a file system in use: adjoining groups, read from a scan and no more.

A publication measured in such a region of a file system in production, and told the allocator of
ldiskfs to begin there (mb_last_group). Nothing is set here: `tunable_line` is what a person would
write on a server with ldiskfs. ext4 of Linux has no such file.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fsgauge.engine.wire import Group, ScanResult
from fsgauge.engine.wire.base import Packed
from fsgauge.errors import InputError
from fsgauge.units import size_down

if TYPE_CHECKING:
    import numpy as np

_COLUMNS = ("offset_bytes", "size_bytes", "free_bytes", "largest_free_bytes")
_WITH_GROUP_NUMBERS = ("ext2", "ext3", "ext4", "ldiskfs")


@dataclass(frozen=True)
class EmptyRegion:
    """Groups `first_group` to `last_group`, side by side; numbers count from 0, as mb_groups does.
    Of more groups than a result lists they are those of whole entries.

    `free_bytes` of `size_bytes` are free, in pieces of at most `largest_free_bytes`.
    """

    first_group: int
    last_group: int
    offset_bytes: int
    size_bytes: int
    free_bytes: int
    largest_free_bytes: int

    @property
    def free_percent(self) -> float:
        """Share of the region that is free."""
        return 100 * self.free_bytes / self.size_bytes


def empty_region(scan: ScanResult, size_bytes: int) -> EmptyRegion:
    """The adjoining groups of at least `size_bytes` with the largest free share.

    Of equally empty ones it is the first. Raises InputError where no groups are known, or none of
    that size lie side by side.
    """
    if not scan.groups:
        why = scan.source.space_reason or f"{scan.source.file_system} shows none"
        raise InputError(
            f"no region can be named: the free space of groups of {scan.source.path} is not known",
            cause=why,
            next="scan the device or an image, as root; in a container, on its host",
        )
    if scan.ended == "interrupted":
        raise InputError(
            "no region can be named: the scan was stopped early",
            next="let it end, or scan a smaller tree of the file system",
        )
    import numpy as np

    offsets, sizes, free, largest = (_column(scan.groups, name) for name in _COLUMNS)
    ends, free_ends = (np.concatenate(([0], np.cumsum(each))) for each in (sizes, free))
    run = np.concatenate(([0], np.cumsum(offsets[1:] != offsets[:-1] + sizes[:-1])))
    # From each group on, the fewest groups that have the size; the last of them.
    last = np.searchsorted(ends, ends[:-1] + min(size_bytes, 1 << 62)) - 1
    inside = last < len(sizes)
    first = np.flatnonzero(inside & (run[np.where(inside, last, 0)] == run))
    if not len(first):
        longest = int(max(np.add.reduceat(sizes, np.flatnonzero(np.diff(run, prepend=-1)))))
        raise InputError(
            f"no groups side by side have {size_down(size_bytes)}",
            cause=f"the longest run of groups of {scan.source.path} has {size_down(longest)}",
            next=f"--empty-region {longest}B, or less",
        )
    last = last[first]
    free_bytes, region_bytes = (each[last + 1] - each[first] for each in (free_ends, ends))
    best = int(np.argmax(free_bytes / region_bytes))
    begin, end = int(first[best]), int(last[best])
    each = groups_each(scan)
    return EmptyRegion(
        first_group=begin * each,
        last_group=min((end + 1) * each, scan.group_count or len(sizes)) - 1,
        offset_bytes=int(offsets[begin]),
        size_bytes=int(region_bytes[best]),
        free_bytes=int(free_bytes[best]),
        largest_free_bytes=int(largest[begin : end + 1].max()),
    )


def groups_each(scan: ScanResult) -> int:
    """How many groups of the file system each listed one stands for."""
    return max(1, math.ceil(scan.group_count / (len(scan.groups) or 1)))


def _column(groups: Sequence[Group], name: str) -> np.ndarray[Any, np.dtype[np.int64]]:
    """One number of every group: eight bytes each."""
    import numpy as np

    if isinstance(groups, Packed):
        return np.array(groups.column(name), dtype=np.int64)
    return np.fromiter((getattr(group, name) for group in groups), np.int64, len(groups))


def region_lines(scan: ScanResult, region: EmptyRegion) -> list[str]:
    """The region, and what ldiskfs would have to be told, in words."""
    found = [
        f"empty region groups {region.first_group:,} to {region.last_group:,},"
        f" {size_down(region.size_bytes)} at {size_down(region.offset_bytes)}:"
        f" {region.free_percent:.3g} % free, largest piece {size_down(region.largest_free_bytes)}"
    ]
    if (each := groups_each(scan)) > 1:
        found.append(
            f"{'':<12} of {scan.group_count:,} groups, {each} at a time: the region begins and ends"
            " where such a lot does"
        )
    if scan.source.file_system in _WITH_GROUP_NUMBERS:
        found.append(f"{'':<12} on ldiskfs: {tunable_line(scan, region)}")
        found.append(f"{'':<12} nothing was set; ext4 of Linux has no mb_last_group")
    return found


def tunable_line(scan: ScanResult, region: EmptyRegion) -> str:
    """The command that tells ldiskfs to search from the region's first group on; DEVICE stands for
    that of a scan of what is not mounted."""
    device = scan.source.device.rpartition("/")[2] if scan.source.mount_point else "DEVICE"
    return f"echo {region.first_group} > /proc/fs/ldiskfs/{device}/mb_last_group"
