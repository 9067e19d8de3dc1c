"""Cells that differ in their number of writers alone, and a short name for what else varies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fsgauge.kinds.writers.factors import WritersFactors
from fsgauge.record import Cell
from fsgauge.units import format_size


@dataclass(frozen=True)
class Group:
    """`cells` by number of writers, ascending; `name` is "" where nothing else varies."""

    name: str
    cells: dict[int, Cell]


def groups_of(cells: Sequence[Cell]) -> list[Group]:
    """The groups in the study's order."""
    varying = [word for word in _WORDS if len({word(cell) for cell in cells}) > 1]
    found: dict[str, dict[int, Cell]] = {}
    for cell in cells:
        name = ", ".join(word(cell) for word in varying)
        found.setdefault(name, {})[WritersFactors.of(cell).writers] = cell
    return [Group(name, dict(sorted(by_writers.items()))) for name, by_writers in found.items()]


def _ranges(cell: Cell) -> str:
    return (WritersFactors.of(cell).ranges or "").replace("_", " ")


def _access(cell: Cell) -> str:
    factors = WritersFactors.of(cell)
    return "direct" if factors.DIRECT or factors.DIRECT is None else "buffered"


def _allocation(cell: Cell) -> str:
    return WritersFactors.of(cell).allocation or "overwrite"


def _size(cell: Cell) -> str:
    return format_size(WritersFactors.of(cell).block_size_bytes)


def _order(cell: Cell) -> str:
    return "random" if WritersFactors.of(cell).pattern.startswith("rand") else "sequential"


_WORDS: tuple[Callable[[Cell], str], ...] = (
    _ranges,
    _access,
    _allocation,
    _size,
    _order,
    lambda cell: f"depth {WritersFactors.of(cell).queue_depth}",
    lambda cell: WritersFactors.of(cell).interface,
)
