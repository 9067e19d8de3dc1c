"""Two scans side by side: each number before, now, and its difference; and how far they compare."""

from __future__ import annotations

from dataclasses import dataclass

from fsgauge.scan.numbers import QUANTITIES, Quantity, numbers_of
from fsgauge.units import format_size
from fsgauge.wire import ScanResult


@dataclass(frozen=True)
class Line:
    """One number of two scans; `difference` is None where either is not known."""

    quantity: Quantity
    before: float | None
    now: float | None
    difference: float | None


def difference_lines(before: ScanResult, now: ScanResult) -> list[Line]:
    """Every number that either scan knows."""
    first, second = numbers_of(before), numbers_of(now)
    lines = []
    for quantity in QUANTITIES:
        old, new = first[quantity.name], second[quantity.name]
        if old is None and new is None:
            continue
        change = new - old if old is not None and new is not None else None
        lines.append(Line(quantity, old, new, change))
    return lines


def doubts(before: ScanResult, now: ScanResult) -> list[str]:
    """What makes the difference one of something else than time."""
    found = []
    if before.source.file_system != now.source.file_system:
        found.append(
            "the scans are of different file systems:"
            f" {before.source.file_system} and {now.source.file_system}"
        )
    if before.source.size_bytes != now.source.size_bytes:
        found.append(
            "the sizes differ, so the maps cannot be laid over each other:"
            f" {format_size(before.source.size_bytes)} and {format_size(now.source.size_bytes)}"
        )
    if before.source.path != now.source.path:
        found.append(
            f"the scans are of different places: {before.source.path} and {now.source.path}"
        )
    if before.started_unix_ns > now.started_unix_ns:
        found.append("the scan to compare with is the later one of the two")
    for name, scan in (("earlier", before), ("other", now)):
        if scan.ended == "interrupted":
            found.append(f"the {name} scan was stopped before its end")
    if _incomplete(before) != _incomplete(now):
        found.append(
            "not the same could be read:"
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
