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
    of_cells = [(cell, WritersFactors.of(cell)) for cell in cells]
    varying = [word for word in _WORDS if len({word(factors) for _, factors in of_cells}) > 1]
    found: dict[str, dict[int, Cell]] = {}
    for cell, factors in of_cells:
        name = ", ".join(word(factors) for word in varying)
        found.setdefault(name, {})[factors.writers] = cell
    return [Group(name, dict(sorted(by_writers.items()))) for name, by_writers in found.items()]


_WORDS: tuple[Callable[[WritersFactors], str], ...] = (
    lambda factors: factors.ranges,
    lambda factors: factors.access,
    lambda factors: factors.allocation,
    lambda factors: format_size(factors.block_size_bytes),
    lambda factors: "random" if factors.pattern.startswith("rand") else "sequential",
    lambda factors: f"depth {factors.queue_depth}",
    lambda factors: factors.interface,
)
