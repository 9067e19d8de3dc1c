"""The small table of counts: what each system asks of disks and nodes for one operation.

Counts hold where rates are those of an emulated processor or of a disk's limit, so they stand
before the rates. All counters with their intervals and parts are in report/traffic.py.
"""

from __future__ import annotations

from collections.abc import Callable

from fsgauge.record.records import Cell
from fsgauge.report.table_parts import NOTHING, Rows, Table, TableCell
from fsgauge.report.traffic import count_text
from fsgauge.stats.results import Results, TrafficNumber

_DISKS, _FLUSH, _BYTES = "disk_requests", "flush", "bytes"
_FOLDED_ROWS = 24


def counts_tables(results: Results) -> list[Table]:
    """A line a primary cell, a column a system; [] where disks were not counted."""
    numbers: dict[tuple[str, str], list[TrafficNumber]] = {}
    for each in results.traffic:
        numbers.setdefault((each.cell, each.system), []).append(each)
    cells = [
        cell
        for cell in map(results.cell, results.primary_cells)
        if any(_of(numbers.get((cell.id, system), [])) != NOTHING for system in results.systems)
    ]
    if not cells:
        return []

    def column(system: str) -> tuple[str, str, Callable[[Cell], TableCell | str]]:
        return (system, "", lambda cell: _of(numbers.get((cell.id, system), [])))

    table = Rows(cells).table(
        "counts",
        "",
        "Large: requests to all disks for each call of the load, flushes not among them. Small:"
        " flushes, and what the layers between counted. Means over blocks; counts depend neither"
        " on the speed of a machine nor on limits of a disk.",
        [("", "", lambda cell: cell.name), *map(column, results.systems)],
        folded_from=_FOLDED_ROWS,
    )
    return [table]


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
