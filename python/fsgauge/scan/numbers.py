"""The numbers of a scan under flat names: what `--json` gives and every table shows.

Takes a `wire.ScanResult`; a number that cannot be known is None, never a guess. Shares are in
percent. Ratios a file are over files that have an extent: an empty file cannot be fragmented.
The share in use needs all free space: it is None where a part of it could not be read, and for
btrfs's free extents, as what no chunk has taken yet is in none of them.
The layout score is Smith and Seltzer's ("File system aging", SIGMETRICS 1997): of all pairs of
neighbouring blocks of files, the share that also touch on the device.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from fsgauge.wire import ScanResult

Unit = Literal["", "B", "%"]
Numbers = dict[str, float | None]
_HIDING = ("damaged", "truncated")
FREE_LENGTHS = {64 << 10: "64_kib", 1 << 20: "1_mib", 8 << 20: "8_mib", 128 << 20: "128_mib"}


@dataclass(frozen=True)
class Quantity:
    """One number of a scan; `page` is what `fsgauge explain` takes."""

    name: str
    label: str
    unit: Unit
    page: str


def _count(name: str, label: str, page: str = "extents") -> Quantity:
    return Quantity(name, label, "", page)


QUANTITIES: tuple[Quantity, ...] = (
    _count("files", "files"),
    _count("files_with_extents", "files with an extent"),
    _count("folders", "folders"),
    _count("extents", "extents"),
    Quantity("extents_per_file", "extents a file", "", "extents_per_file"),
    _count("fragmented_files", "fragmented files", "fragmented"),
    Quantity("fragmented_percent", "fragmented, share of files", "%", "fragmented"),
    Quantity("layout_score", "layout score", "", "layout_score"),
    Quantity("extent_bytes", "bytes in extents", "B", "extents"),
    Quantity("mean_extent_bytes", "mean extent", "B", "extents"),
    _count("raw_extents", "extents before merging"),
    _count("unwritten_extents", "unwritten extents", "extent_kinds"),
    _count("delayed_extents", "delayed extents", "extent_kinds"),
    _count("inline_extents", "inline extents", "extent_kinds"),
    _count("compressed_extents", "compressed extents", "extent_kinds"),
    _count("encrypted_extents", "encrypted extents", "extent_kinds"),
    _count("shared_extents", "shared extents", "extent_kinds"),
    _count("sparse_files", "sparse files", "extent_kinds"),
    Quantity("size_bytes", "size of the file system", "B", "free_space"),
    Quantity("used_percent", "share in use", "%", "free_space"),
    Quantity("free_bytes", "free", "B", "free_space"),
    Quantity("free_extents", "free extents", "", "free_space"),
    Quantity("largest_free_bytes", "largest free extent", "B", "free_space"),
    *(
        Quantity(
            f"free_at_least_{word}_percent",
            f"free in {word.replace('_', ' ').upper()[:-2]}iB or more",
            "%",
            "free_at_least",
        )
        for word in FREE_LENGTHS.values()
    ),
)
"""Every number, in the order in which it is shown."""


def numbers_of(scan: ScanResult) -> Numbers:
    """Every quantity by name."""
    counts = scan.counts
    with_extents = counts.files - counts.files_without_extents
    found: Numbers = {
        key: value for key, value in counts if key not in ("block_pairs", "contiguous_block_pairs")
    }
    found |= {
        "files_with_extents": with_extents,
        "extents_per_file": _over(counts.extents, with_extents),
        "fragmented_percent": _percent(counts.fragmented_files, with_extents),
        "layout_score": _over(counts.contiguous_block_pairs, counts.block_pairs),
        "mean_extent_bytes": _over(counts.extent_bytes, counts.extents),
        **_space(scan),
    }
    return {quantity.name: found[quantity.name] for quantity in QUANTITIES}


def room_outside_chunks(scan: ScanResult) -> bool:
    """Whether free extents are those inside of chunks only, so that they are not all the room."""
    free = scan.free
    return scan.source.file_system == "btrfs" and free is not None and free.extents is not None


def spans_devices(scan: ScanResult) -> bool:
    """Whether places are btrfs's own addresses over several devices: their end is no size."""
    by_chunks = scan.free is None or scan.free.extents is not None
    return by_chunks and any(note.code == "btrfs_addresses" for note in scan.notes)


def may_lack_free_space(scan: ScanResult) -> bool:
    """Whether damage may have hidden free extents; a sum that the kernel gave has none hidden."""
    free = scan.free
    if free is None or free.extents is None:
        return False
    return any(problem.code in _HIDING for problem in scan.problems)


def _space(scan: ScanResult) -> Numbers:
    size, free = scan.source.size_bytes, scan.free
    found: Numbers = dict.fromkeys(
        (
            "used_percent",
            "free_bytes",
            "free_extents",
            "largest_free_bytes",
            *(f"free_at_least_{word}_percent" for word in FREE_LENGTHS.values()),
        )
    )
    found["size_bytes"] = None if spans_devices(scan) else size or None
    if free is None:
        return found
    found["free_bytes"] = free.size_bytes
    if not room_outside_chunks(scan) and not may_lack_free_space(scan):
        found["used_percent"] = _percent(max(size - free.size_bytes, 0), size)
    found["free_extents"], found["largest_free_bytes"] = free.extents, free.largest_bytes
    for each in free.at_least if free.extents is not None else ():
        if each.at_least_bytes in FREE_LENGTHS:
            name = f"free_at_least_{FREE_LENGTHS[each.at_least_bytes]}_percent"
            found[name] = _percent(each.size_bytes, free.size_bytes)
    return found


def _over(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def _percent(part: float, whole: float) -> float | None:
    return 100 * part / whole if whole else None
