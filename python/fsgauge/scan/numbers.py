"""The numbers of a scan under flat names, as `--json` prints them, and the difference of two.

Takes a `wire.ScanResult`; an unknown number is None, never a guess. Shares are in
percent. Ratios per file are over files that have an extent: an empty file cannot be fragmented.
The share in use is the size of the devices less free extents and their copies; of btrfs also less
unallocated space and what is free in chunks for metadata, as `df` reckons. It is None where some of
the free space could not be read.
The layout score is Smith and Seltzer's ("File system aging", SIGMETRICS 1997): of all pairs of
neighbouring blocks of files, the share that also touch on the device.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from fsgauge.engine.wire import ScanResult
from fsgauge.units import size_down

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
    Quantity("extents_per_file", "extents per file", "", "extents_per_file"),
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
    _count("shared_once_extents", "shared extents, each once", "extent_kinds"),
    Quantity("shared_bytes", "bytes shared, as often as files have them", "B", "extent_kinds"),
    Quantity("shared_once_bytes", "bytes shared, each once", "B", "extent_kinds"),
    _count("undecided_extents", "compressed extents that may be part of the one before"),
    _count("verity_files", "files that fs-verity protects", "extent_kinds"),
    Quantity("short_bytes", "in extents under 512 KiB of files in several", "B", "extents"),
    Quantity("beyond_end_bytes", "allocated behind the ends of files", "B", "extent_kinds"),
    Quantity("unnamed_bytes", "of files without a name", "B", "free_space"),
    _count("sparse_files", "sparse files", "extent_kinds"),
    Quantity("size_bytes", "size of the file system", "B", "free_space"),
    Quantity("used_percent", "share in use", "%", "free_space"),
    Quantity("free_bytes", "free", "B", "free_space"),
    Quantity("unallocated_bytes", "unallocated (no chunk)", "B", "free_space"),
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


def inside_chunks(scan: ScanResult) -> bool:
    """Whether free extents are only those inside chunks, as on btrfs."""
    free = scan.free
    known = free is not None and (free.extents is not None or free.metadata is not None)
    return scan.source.file_system == "btrfs" and known


def room_is_unknown(scan: ScanResult) -> bool:
    """Whether a record is too old to have the unallocated bytes."""
    free = scan.free
    return inside_chunks(scan) and free is not None and free.unallocated_bytes is None


def reach_bytes(scan: ScanResult) -> int:
    """The end of all addresses: of the device, or of btrfs's logical addresses over several."""
    reach = scan.source.address_bytes
    return scan.source.size_bytes if reach is None else reach


def may_lack_free_space(scan: ScanResult) -> bool:
    """Whether free extents may lie where nothing could be read.

    For records too old to say, whether anything was damaged; the kernel's sum is complete.
    """
    free = scan.free
    if free is None:
        return False
    if free.unread_bytes is not None:
        return free.unread_bytes > 0
    return free.extents is not None and any(each.code in _HIDING for each in scan.problems)


def _size_is_reach(scan: ScanResult) -> bool:
    """Whether an old record has the end of btrfs's addresses as the size."""
    by_chunks = scan.free is None or scan.free.extents is not None
    is_noted = any(note.code == "btrfs_addresses" for note in scan.notes)
    return by_chunks and is_noted and scan.source.address_bytes is None


def _in_use(scan: ScanResult) -> int | None:
    """Bytes in use on all devices, metadata included."""
    free = scan.free
    if free is None or room_is_unknown(scan) or may_lack_free_space(scan):
        return None
    taken = free.size_bytes if free.device_bytes is None else free.device_bytes
    taken += free.unallocated_bytes or 0
    taken += free.metadata.free_device_bytes if free.metadata else 0
    return max(scan.source.size_bytes - taken, 0)


def _space(scan: ScanResult) -> Numbers:
    size, free = scan.source.size_bytes, scan.free
    found: Numbers = dict.fromkeys(
        (
            "used_percent",
            "free_bytes",
            "unallocated_bytes",
            "free_extents",
            "largest_free_bytes",
            *(f"free_at_least_{word}_percent" for word in FREE_LENGTHS.values()),
        )
    )
    found["size_bytes"] = None if _size_is_reach(scan) else size or None
    if free is None:
        return found
    found["free_bytes"] = free.size_bytes
    if (in_use := _in_use(scan)) is not None and not _size_is_reach(scan):
        found["used_percent"] = _percent(in_use, size)
    if inside_chunks(scan):
        found["unallocated_bytes"] = free.unallocated_bytes
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


@dataclass(frozen=True)
class Difference:
    """One number of two scans; `difference` is None where either is not known."""

    quantity: Quantity
    before: float | None
    now: float | None
    difference: float | None


def difference_lines(before: ScanResult, now: ScanResult) -> list[Difference]:
    """Every number that either scan knows."""
    first, second = numbers_of(before), numbers_of(now)
    lines = []
    for quantity in QUANTITIES:
        old, new = first[quantity.name], second[quantity.name]
        if old is None and new is None:
            continue
        change = new - old if old is not None and new is not None else None
        lines.append(Difference(quantity, old, new, change))
    return lines


def doubts(before: ScanResult, now: ScanResult) -> list[str]:
    """Reasons why the two scans may not be comparable."""
    found = []
    if before.source.file_system != now.source.file_system:
        found.append(
            "the scans are of different file systems:"
            f" {before.source.file_system} and {now.source.file_system}"
        )
    if before.source.size_bytes != now.source.size_bytes:
        found.append(
            "the sizes differ, so the maps cannot be laid over each other:"
            f" {size_down(before.source.size_bytes)} and {size_down(now.source.size_bytes)}"
        )
    if before.source.path != now.source.path:
        found.append(
            f"the scans are of different places: {before.source.path} and {now.source.path}"
        )
    if before.started_unix_ns > now.started_unix_ns:
        found.append("the earlier scan is in fact the later one")
    for name, scan in (("earlier", before), ("other", now)):
        if scan.ended == "interrupted":
            found.append(f"the {name} scan was stopped early")
    if _incomplete(before) != _incomplete(now):
        found.append(
            "the scans read different parts:"
            f" the earlier scan had {_counted(before)}, the other {_counted(now)}"
        )
    return found


def _incomplete(scan: ScanResult) -> dict[str, int]:
    return {problem.code: problem.count for problem in scan.problems}


def _counted(scan: ScanResult) -> str:
    """Problems by code, for a sentence."""
    each = [f"{count:,} {code}" for code, count in _incomplete(scan).items()]
    return ", ".join(each) or "no problem"


def maps_compare(before: ScanResult, now: ScanResult) -> bool:
    """Whether cell k of both maps is the same place."""
    if before.map is None or now.map is None:
        return False
    return (
        before.map.order == now.map.order
        and before.map.cell_bytes == now.map.cell_bytes
        and before.source.size_bytes == now.source.size_bytes
    )
