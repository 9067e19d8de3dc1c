"""What each operation asks of disks and nodes: all counters, and a small table of counts.

Counts hold where rates are those of an emulated processor or of a disk's limit, so they stand
before the rates.
"""

from __future__ import annotations

from fsgauge.report.table_parts import NOTHING, Rows, Table, TableCell, estimate_cell
from fsgauge.stats.results import Results, TrafficNumber
from fsgauge.units import format_size

_MOST_PARTS = 6
_DISKS, _FLUSH, _BYTES = "disk_requests", "flush", "bytes"
_LEAST_SHARE = 0.005
"""Of a counter, what a part has at least to be named."""


def traffic_tables(results: Results) -> list[Table]:
    """One table; [] where nothing was counted."""
    counted = [each for each in results.traffic if each.per_operation.value > 0]
    return Rows(counted).tables(
        "traffic",
        "Traffic for each operation",
        "What the counters of a system's layers counted between the beginning and the end of a run,"
        " warm-up included, over the operations of the load. These are counts, so they hold where"
        " rates are those of an emulated processor. A counter that counted nothing is left out.",
        [
            ("cell", "", lambda each: results.cell(each.cell).name),
            ("system", "", lambda each: each.system),
            ("counted", "", lambda each: f"{each.title}, {each.unit}"),
            ("for each operation", "traffic", _per_operation),
            ("of it", "", lambda each: _parts(each)),
        ],
    )


def _per_operation(each: TrafficNumber) -> TableCell:
    return estimate_cell(each.per_operation, lambda value: _text(value, each.unit))


def _text(value: float, unit: str) -> str:
    if unit == "bytes" and value >= 1:
        return format_size(round(value))
    return count_text(value, 3)


_WHOLE_FROM = 99.5


def count_text(value: float, digits: int = 2) -> str:
    """A count for each operation; "0" where there was none, whole from a hundred on."""
    if not value:
        return "0"
    return f"{value:.{digits}g}" if value < _WHOLE_FROM else f"{value:.0f}"


def _parts(each: TrafficNumber) -> str:
    """The largest ones: "READ 0.98, GETATTR 0.02"."""
    least = _LEAST_SHARE * sum(each.parts.values())
    ranked = sorted(each.parts.items(), key=lambda part: -part[1])
    named = [(name, value) for name, value in ranked if value > least][:_MOST_PARTS]
    return ", ".join(f"{name} {_text(value, each.unit)}" for name, value in named)


def counts_tables(results: Results) -> list[Table]:
    """A line a primary cell, a column a system; [] where disks were not counted."""
    numbers: dict[tuple[str, str], list[TrafficNumber]] = {}
    for each in results.traffic:
        numbers.setdefault((each.cell, each.system), []).append(each)
    return Rows(map(results.cell, results.primary_cells)).by_system(
        "counts",
        "",
        "Large: requests to all disks for each call of the load, flushes not among them. Small:"
        " flushes, and what the layers between counted. Means over blocks; counts depend neither"
        " on the speed of a machine nor on limits of a disk.",
        ("", lambda cell: cell.name),
        results.systems,
        lambda cell, system: _of(numbers.get((cell.id, system), [])),
    )


def _of(numbers: list[TrafficNumber]) -> TableCell:
    disks = next((each for each in numbers if each.name == _DISKS), None)
    if disks is None:
        return NOTHING
    flushes = disks.parts.get(_FLUSH, 0.0)
    parts = [f"flush {count_text(flushes)}"]
    parts += [
        f"{each.title} {count_text(each.per_operation.value)}"
        for each in numbers
        if each is not disks and each.unit != _BYTES and each.per_operation.value > 0
    ]
    return TableCell(count_text(max(0.0, disks.per_operation.value - flushes)), ", ".join(parts))
