"""The cells of a study `aging` by what was free: which is clean, which level each other one is."""

from __future__ import annotations

from collections.abc import Iterator

from fsgauge.kinds.aging.analysis.model import Side
from fsgauge.kinds.aging.factors import AgingFactors
from fsgauge.record import Cell, Plan

SIDES: tuple[Side, ...] = ("write", "read")


def cells_of_side(plan: Plan, side: Side) -> dict[int | None, Cell]:
    """The cells of one side by percent free; the clean one, under None, comes first."""
    cells = ((cell, AgingFactors.of(cell)) for cell in plan.cells)
    found = {factors.free_percent: cell for cell, factors in cells if factors.side == side}
    order = sorted(found, key=lambda level: -1 if level is None else level)
    return {level: found[level] for level in order}


def levels_of(plan: Plan) -> list[int]:
    """Every level that is measured after ageing, ascending."""
    found = {AgingFactors.of(cell).free_percent for cell in plan.cells}
    return sorted(level for level in found if level is not None)


def written_cells(plan: Plan) -> Iterator[Cell]:
    """The cells after which files are scanned, clean first."""
    yield from cells_of_side(plan, "write").values()
