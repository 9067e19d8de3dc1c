"""Cells that differ in their number of writers alone, and a short name for what else varies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

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
        found.setdefault(name, {})[cell.jobs] = cell
    return [Group(name, dict(sorted(by_writers.items()))) for name, by_writers in found.items()]


def _ranges(cell: Cell) -> str:
    return (cell.ranges or "").replace("_", " ")


def _access(cell: Cell) -> str:
    return "direct" if cell.direct or cell.direct is None else "buffered"


def _allocation(cell: Cell) -> str:
    return cell.allocation or "overwrite"


def _size(cell: Cell) -> str:
    return format_size(cell.block_size_bytes)


def _order(cell: Cell) -> str:
    return "random" if cell.pattern.startswith("rand") else "sequential"


_WORDS: tuple[Callable[[Cell], str], ...] = (
    _ranges,
    _access,
    _allocation,
    _size,
    _order,
    lambda cell: f"depth {cell.queue_depth}",
    lambda cell: cell.interface,
)
