"""The emptiest region of a file system in use: adjoining groups, read from a scan and no more.

A publication measured in such a region of a file system in production, and told the allocator of
ldiskfs to begin there (mb_last_group). Nothing is set here: `tunable_line` is what a person would
write on a server with ldiskfs. ext4 of Linux has no such file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from fsgauge.engine.wire import Group, ScanResult
from fsgauge.errors import InputError
from fsgauge.units import format_size

_WITH_GROUP_NUMBERS = ("ext2", "ext3", "ext4", "ldiskfs")


@dataclass(frozen=True)
class EmptyRegion:
    """Groups `first_group` to `last_group`, side by side; numbers count from 0, as mb_groups does.

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
            next="scan the device or an image, as root",
        )
    if scan.ended == "interrupted":
        raise InputError(
            "no region can be named: the scan was stopped early",
            next="let it end, or scan a smaller tree of the file system",
        )
    groups = list(scan.groups)
    found = [_region(groups, first, last) for first, last in _windows(groups, size_bytes)]
    if not found:
        longest = max(size for _, size in _runs(groups))
        raise InputError(
            f"no groups side by side have {format_size(size_bytes)}",
            cause=f"the longest run of groups of {scan.source.path} has {format_size(longest)}",
            next=f"--empty-region {longest}B, or less",
        )
    return max(found, key=lambda region: (region.free_percent, -region.first_group))


def region_lines(scan: ScanResult, region: EmptyRegion) -> list[str]:
    """The region, and what ldiskfs would have to be told, in words."""
    found = [
        f"empty region groups {region.first_group:,} to {region.last_group:,},"
        f" {format_size(region.size_bytes)} at {format_size(region.offset_bytes)}:"
        f" {region.free_percent:.3g} % free, largest piece {format_size(region.largest_free_bytes)}"
    ]
    if scan.source.file_system in _WITH_GROUP_NUMBERS:
        found.append(f"{'':<12} on ldiskfs: {tunable_line(scan, region)}")
        found.append(f"{'':<12} nothing was set; ext4 of Linux has no mb_last_group")
    return found


def tunable_line(scan: ScanResult, region: EmptyRegion) -> str:
    """The command that tells ldiskfs to search from the region's first group on; DEVICE stands for
    that of a scan of what is not mounted."""
    device = scan.source.device.rpartition("/")[2] if scan.source.mount_point else "DEVICE"
    return f"echo {region.first_group} > /proc/fs/ldiskfs/{device}/mb_last_group"


def _windows(groups: Sequence[Group], size_bytes: int) -> list[tuple[int, int]]:
    """From each group on, the fewest adjoining ones that have the size: first and last."""
    ends = [0, *accumulate(group.size_bytes for group in groups)]
    borders = _borders(groups)
    found, last = [], 0
    for first in range(len(groups)):
        last = max(last, first)
        while last + 1 < len(groups) and ends[last + 1] - ends[first] < size_bytes:
            last += 1
        is_one_run = borders[last] == borders[first]
        if is_one_run and ends[last + 1] - ends[first] >= size_bytes:
            found.append((first, last))
    return found


def _borders(groups: Sequence[Group]) -> list[int]:
    """For each group the number of its run: a gap between two groups begins another."""
    gaps = (
        before.offset_bytes + before.size_bytes != after.offset_bytes
        for before, after in pairwise(groups)
    )
    return [0, *accumulate(map(int, gaps))]


def _runs(groups: Sequence[Group]) -> list[tuple[int, int]]:
    """Every run of adjoining groups, with its size."""
    sizes: dict[int, int] = {}
    for run, group in zip(_borders(groups), groups, strict=True):
        sizes[run] = sizes.get(run, 0) + group.size_bytes
    return list(sizes.items())


def _region(groups: Sequence[Group], first: int, last: int) -> EmptyRegion:
    chosen = groups[first : last + 1]
    return EmptyRegion(
        first_group=first,
        last_group=last,
        offset_bytes=chosen[0].offset_bytes,
        size_bytes=sum(group.size_bytes for group in chosen),
        free_bytes=sum(group.free_bytes for group in chosen),
        largest_free_bytes=max(group.largest_free_bytes for group in chosen),
    )
