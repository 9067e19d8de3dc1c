"""The tables of traffic: what went between nodes and to disks for each operation."""

from __future__ import annotations

from fsgauge.report.table_parts import Rows, Table, TableCell, interval_text
from fsgauge.stats.results import Results, TrafficNumber
from fsgauge.units import format_size

_FOLDED_ROWS = 150
_MOST_PARTS = 6
_LEAST_SHARE = 0.005
"""Of a counter, what a part has at least to be named."""


def traffic_tables(results: Results) -> list[Table]:
    """One table; [] where nothing was counted."""
    counted = [each for each in results.traffic if each.per_operation.value > 0]
    if not counted:
        return []
    table = Rows(counted).table(
        "traffic",
        "Traffic for each operation",
        "What the counters of a system's layers counted between the beginning and the end of a run,"
        " warm-up included, over the operations of the load. These are counts, so they hold where"
        " rates are those of an emulated processor. A counter that counted nothing is left out.",
        [
            ("cell", "", lambda each: results.cell(each.cell).name),
            ("system", "", lambda each: each.system),
            ("counted", "", lambda each: f"{each.title}, {each.unit}"),
            ("for each operation", "traffic", _cell),
            ("of it", "", lambda each: _parts(each)),
        ],
        folded_from=_FOLDED_ROWS,
    )
    return [table]


def _cell(each: TrafficNumber) -> TableCell:
    number = each.per_operation
    return TableCell(
        _text(number.value, each.unit),
        interval_text(number, lambda value: _text(value, each.unit)),
    )


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
