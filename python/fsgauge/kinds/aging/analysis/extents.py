"""Extents of the files that a scan lists, and of all that it counts.

The exact lengths are known where every extent is listed; the classes of powers of two always.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from fsgauge.kinds.aging.analysis.model import FreeAtLevel, Lengths
from fsgauge.kinds.aging.disk import Extents
from fsgauge.wire import LengthBin, ScanResult

MOST_EXACT = 6


def is_listed(scan: ScanResult) -> bool:
    """Whether every extent that was counted is listed."""
    return sum(len(file.list) for file in scan.top) == scan.counts.extents


def listed_share(scan: ScanResult) -> float:
    """The share of all bytes in extents that are listed."""
    listed = sum(extent.length_bytes for file in scan.top for extent in file.list)
    return listed / scan.counts.extent_bytes if scan.counts.extent_bytes else 0.0


def streams_of(scan: ScanResult) -> list[Extents]:
    """Each listed file as a stream of the disk model, in the order of the file."""
    found = []
    for file in sorted(scan.top, key=lambda file: file.name):
        extents = sorted(file.list, key=lambda extent: extent.logical_bytes)
        found.append(
            Extents([e.physical_bytes for e in extents], [e.length_bytes for e in extents])
        )
    return found


def share_of_exactly(scan: ScanResult, length_bytes: int) -> float | None:
    """The share of bytes in extents of exactly this length; None where they are not all listed."""
    if not is_listed(scan) or not scan.counts.extent_bytes:
        return None
    lengths = (extent.length_bytes for file in scan.top for extent in file.list)
    return sum(one for one in lengths if one == length_bytes) / scan.counts.extent_bytes


def lengths_of(scans: Sequence[ScanResult]) -> Lengths:
    """Lengths of all these scans together; there is at least one, with extents."""
    bytes_of: Counter[int] = Counter()
    if all(is_listed(scan) for scan in scans):
        for scan in scans:
            for file in scan.top:
                for extent in file.list:
                    bytes_of[extent.length_bytes] += extent.length_bytes
    size_bytes = sum(scan.counts.extent_bytes for scan in scans)
    extents = sum(scan.counts.extents for scan in scans)
    exact = [(length, found / size_bytes) for length, found in bytes_of.most_common(MOST_EXACT)]
    return Lengths(
        files=sum(s.counts.files - s.counts.files_without_extents for s in scans) / len(scans),
        extents=extents / len(scans),
        mean_extent_bytes=size_bytes / extents,
        exact=exact or None,
        at_least=at_least([one for scan in scans for one in scan.extent_lengths]),
    )


def free_of(scans: Sequence[ScanResult]) -> FreeAtLevel | None:
    """Free space, the mean over these scans; None where no scan knows it."""
    known = [scan.free for scan in scans if scan.free is not None]
    if not known:
        return None
    pieces = [free.extents for free in known if free.extents is not None]
    largest = [free.largest_bytes for free in known if free.largest_bytes is not None]
    return FreeAtLevel(
        size_bytes=sum(free.size_bytes for free in known) / len(known),
        extents=sum(pieces) / len(pieces) if pieces else None,
        largest_bytes=sum(largest) / len(largest) if largest else None,
        at_least=at_least([one for free in known for one in free.lengths]),
    )


def at_least(bins: Sequence[LengthBin]) -> list[tuple[int, float]]:
    """By class of lengths, ascending, the share of bytes in this class and all longer ones."""
    sizes: Counter[int] = Counter()
    for each in bins:
        sizes[each.at_least_bytes] += each.size_bytes
    total = sum(sizes.values())
    if not total:
        return []
    return [
        (length, sum(size for other, size in sizes.items() if other >= length) / total)
        for length in sorted(sizes)
    ]
