"""The cells of `aging`: rates while all is clean, then at each level of free space, ascending."""

from __future__ import annotations

from typing import Literal

from fsgauge.kinds.aging.keys import AgingWorkload
from fsgauge.record import Cell


def cells_of(workload: AgingWorkload) -> list[Cell]:
    """All cells in the order of a turn, whatever the order of the study's list."""
    places: list[int | None] = [None, *sorted(workload.levels)]
    return [_cell(workload, level, test) for level in places for test in ("write", "read")]


def default_primary(workload: AgingWorkload) -> list[str]:
    """The level with the least free space, where the damage is greatest."""
    least = min(workload.levels)
    return [cell.id for cell in cells_of(workload) if cell.free_percent == least]


def _cell(workload: AgingWorkload, level: int | None, test: Literal["write", "read"]) -> Cell:
    clean = level is None
    return Cell(
        id=f"clean-{test}" if clean else f"free-{level:02d}-{test}",
        name=f"{test}, clean" if clean else f"{test}, {level} % free",
        pattern=test,
        read_percent=0 if test == "write" else 100,
        block_size_bytes=workload.record_size,
        queue_depth=workload.queue_depth,
        jobs=workload.streams,
        interface="io_uring",
        wear="clean" if clean else "aged",
        free_percent=level,
    )
