"""Many cells in a few lines: what is done, and the values that it is done at."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from fsgauge.record.factors import Factor, factors_of
from fsgauge.record.records import Cell, FactorValue
from fsgauge.units import exact_size

NAMED = 8
"""So many cells are named one by one."""
_LISTED = 6
"""So many numbers of a factor are listed; of more, the ends."""

Values = dict[str, tuple[FactorValue, ...]]


def cells_in_words(cells: Sequence[Cell]) -> list[str]:
    """A line of their ids; of many, their number, and a line for each group of what is done that
    has the same values of all else."""
    if len(cells) <= NAMED:
        return [", ".join(cell.id for cell in cells)]
    groups: list[tuple[list[FactorValue], Values]] = []
    for done, own in _by_pattern(cells).items():
        values = _values(own)
        same = next((each for each in groups if each[1] == values), None)
        if same is None:
            groups.append(([done], values))
        else:
            same[0].append(done)
    declared = factors_of(cells[0]).DECLARED
    return [
        f"{len(cells)} cells (--order names them)",
        *(_line(done, values, declared) for done, values in groups),
    ]


def _by_pattern(cells: Sequence[Cell]) -> dict[FactorValue, list[Cell]]:
    found: dict[FactorValue, list[Cell]] = {}
    for cell in cells:
        in_role = factors_of(cell).in_role("pattern")
        found.setdefault(cell.factors[in_role[0]] if in_role else "", []).append(cell)
    return found


def _values(cells: Iterable[Cell]) -> Values:
    """Of each factor but what is done; those that are yes or no are in the cells' names."""
    found: dict[str, set[FactorValue]] = {}
    for cell in cells:
        in_role = factors_of(cell).in_role("pattern")
        for name, value in cell.factors.items():
            if not isinstance(value, bool) and (in_role is None or name != in_role[0]):
                found.setdefault(name, set()).add(value)
    return {name: tuple(sorted(values, key=_in_order)) for name, values in found.items()}


def _in_order(value: FactorValue) -> tuple[float, str]:
    """Numbers by size, words by their letters."""
    return (0, value) if isinstance(value, str) else (value, "")


def _line(done: Sequence[FactorValue], values: Values, declared: Mapping[str, Factor]) -> str:
    """ "write, read: record size 64 KiB to 16 MiB (9); file size 2 GiB"."""
    factors = "; ".join(
        f"{declared[name].label} {_listed(name, each)}" for name, each in values.items()
    )
    named = ", ".join(str(each) for each in done if each)
    return ": ".join(each for each in (named, factors) if each)


def _listed(name: str, values: Sequence[FactorValue]) -> str:
    if len(values) > _LISTED and not isinstance(values[0], str):
        return f"{_one(name, values[0])} to {_one(name, values[-1])} ({len(values)})"
    return ", ".join(_one(name, each) for each in values)


def _one(name: str, value: FactorValue) -> str:
    if name.endswith("_bytes") and isinstance(value, int):
        return exact_size(value)
    return f"{value} %" if name.endswith("_percent") else str(value)
