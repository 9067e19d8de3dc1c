"""The cells of `aging`: rates while all is clean, then at each level of free space, ascending."""

from __future__ import annotations

from fsgauge.kinds.aging.factors import AgingFactors, Side
from fsgauge.kinds.aging.keys import AgingWorkload
from fsgauge.record.records import Cell


def cells_of(workload: AgingWorkload) -> list[Cell]:
    """All cells in the order of a turn, whatever the order of the study's list."""
    places: list[int | None] = [None, *sorted(workload.levels)]
    sides: tuple[Side, ...] = ("write", "read")
    return [_cell(workload, level, side) for level in places for side in sides]


def default_primary(workload: AgingWorkload) -> list[str]:
    """The level with the least free space, where the damage is greatest."""
    least = min(workload.levels)
    return [cell.id for cell in cells_of(workload) if AgingFactors.of(cell).free_percent == least]


def _cell(workload: AgingWorkload, level: int | None, side: Side) -> Cell:
    clean = level is None
    factors = AgingFactors(
        side=side,
        streams=workload.streams,
        record_size_bytes=workload.record_size,
        queue_depth=workload.queue_depth,
        wear="clean" if clean else "aged",
        free_percent=level,
    )
    return factors.cell(
        id=f"clean-{side}" if clean else f"free-{level:02d}-{side}",
        name=f"{side}, clean" if clean else f"{side}, {level} % free",
    )
