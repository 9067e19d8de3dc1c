"""The cells of a sweep: every pattern at every block size, queue depth and number of jobs."""

from __future__ import annotations

from itertools import product
from typing import Literal

from fsgauge.kinds.overhead.factors import OverheadFactors, Pattern
from fsgauge.kinds.overhead.keys import MIXED, OverheadWorkload
from fsgauge.record import Cell
from fsgauge.units import exact_size


def cells_of(workload: OverheadWorkload) -> list[Cell]:
    """All cells, in the order of the study's lists."""
    sweep = product(workload.patterns, workload.block_sizes, workload.queue_depths, workload.jobs)
    return [_cell(workload, *point) for point in sweep]


def default_primary(workload: OverheadWorkload) -> list[str]:
    """Ids of the cells that the answer is about unless the study says: the smallest blocks."""
    depths = {min(workload.queue_depths), max(workload.queue_depths)}
    return [
        cell.id
        for cell in cells_of(workload)
        if (factors := OverheadFactors.of(cell)).block_size_bytes == min(workload.block_sizes)
        and factors.queue_depth in depths
        and factors.jobs == workload.jobs[0]
    ]


def _cell(
    workload: OverheadWorkload, pattern: Pattern, block_size_bytes: int, depth: int, jobs: int
) -> Cell:
    size = exact_size(block_size_bytes)
    factors = OverheadFactors(
        pattern=pattern,
        block_size_bytes=block_size_bytes,
        queue_depth=depth,
        jobs=jobs,
        read_percent=_read_percent(pattern, workload.read_percent),
        interface=_interface(workload.interface, depth),
    )
    return factors.cell(
        id=f"{pattern}-{size.replace(' ', '')}-depth{depth}" + (f"-jobs{jobs}" if jobs > 1 else ""),
        name=f"{pattern} {size}, depth {depth}" + (f", {jobs} jobs" if jobs > 1 else ""),
    )


def _read_percent(pattern: Pattern, mixed_percent: int) -> int:
    if pattern in MIXED:
        return mixed_percent
    return 0 if pattern.endswith("write") else 100


def _interface(
    asked: Literal["auto", "io_uring", "psync"], queue_depth: int
) -> Literal["io_uring", "psync"]:
    """One operation at a time is synchronous access; more needs a queue."""
    if asked != "auto":
        return asked
    return "psync" if queue_depth == 1 else "io_uring"
