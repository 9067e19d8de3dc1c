"""Systems that have answered fsync without one flush of a disk, where others have flushed theirs.

The virtual machine below counts flushes, so this is what a system did and not what it promises. On
a disk with a cache of its own, what was never flushed is gone after a power failure.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from fsgauge.record.records import RunRecord
from fsgauge.stats.results import WeakSystem
from fsgauge.stats.samples import is_complete

OPTION = "no flush of its disk after fsync"
_COUNTER, _FLUSH = "disk_requests", "flush"


@dataclass
class _Counted:
    runs: int = 0
    flushes: int = 0
    by_cell: dict[str, int] = field(default_factory=dict)


def unflushed(
    systems: Sequence[str], runs: Sequence[RunRecord], is_synced: Callable[[RunRecord], bool | None]
) -> list[WeakSystem]:
    """Those of which no synced run flushed a disk, though another system did in the same cell."""
    counted = {system: _Counted() for system in systems}
    for run in runs:
        flushes = _flushes(run)
        if run.system in counted and flushes is not None and is_complete(run) and is_synced(run):
            of = counted[run.system]
            of.runs, of.flushes = of.runs + 1, of.flushes + flushes
            of.by_cell[run.cell.id] = of.by_cell.get(run.cell.id, 0) + flushes
    return [
        WeakSystem(
            system=system,
            option=OPTION,
            loses="a power failure may lose what the disk's cache still had",
            source=_source(own, counted[other], other),
            guards="crash",
        )
        for system, own in counted.items()
        if own.runs and not own.flushes
        for other in [_who_flushed(counted, own)]
        if other is not None
    ]


def _flushes(run: RunRecord) -> int | None:
    """Of all disks; None where they were not counted."""
    return next(
        (
            each.parts[_FLUSH]
            for each in run.traffic
            if each.name == _COUNTER and _FLUSH in each.parts
        ),
        None,
    )


def _who_flushed(counted: dict[str, _Counted], own: _Counted) -> str | None:
    """The first system that flushed in a cell which this one has too."""
    return next(
        (
            system
            for system, of in counted.items()
            if any(of.by_cell.get(cell, 0) for cell in own.by_cell)
        ),
        None,
    )


def _source(own: _Counted, other: _Counted, name: str) -> str:
    return (
        f"flushes counted below the virtual machines: none in {own.runs} synced runs,"
        f" {other.flushes} in {other.runs} of {name}"
    )
