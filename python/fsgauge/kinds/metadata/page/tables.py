"""The table of metadata: operations a second of each cell on each system, and latencies."""

from __future__ import annotations

from fsgauge.kinds.metadata.factors import MetadataFactors
from fsgauge.record.records import Cell
from fsgauge.report.table_parts import NOTHING, SCREEN_ROWS, Rows, Table, TableCell, interval_text
from fsgauge.report.words import value
from fsgauge.stats.results import Measurement, Results

_OPERATIONS = {"record write": "write", "record read": "read", "read": "open"}
"""Whose latency is that of the operation; of whole files that are read, the way to them."""


def rates_table(results: Results) -> list[Table]:
    """A line a cell, a column a system."""
    found = results.measured

    def rate_of(cell: Cell, system: str) -> TableCell:
        factors = MetadataFactors.of(cell)
        rate = found.get((cell.id, system, factors.metric))
        if rate is None:
            return NOTHING
        name = _OPERATIONS.get(factors.operation, factors.operation)
        tails = [found.get((cell.id, system, f"{name}.{part}")) for part in ("p50", "p99")]
        below = [interval_text(rate, _rate), _latencies(tails, name, factors.operation)]
        return TableCell(_rate(rate.value), "; ".join(filter(None, below)))

    return Rows(results.cells).by_system(
        "operations",
        "By operation and system",
        "Operations a second of all clients together: files made, asked for, read or removed, names"
        " changed, whole folders listed, records. Geometric means over blocks with 95 % intervals;"
        " below them p50 and p99 of one call. A † marks a system that gives up durability.",
        ("operation", lambda cell: cell.name),
        results.systems,
        rate_of,
        page="files",
        folded_from=SCREEN_ROWS,
    )


def _rate(per_second: float) -> str:
    """ "41.2 k/s"."""
    return value(per_second, "IOPS").replace(" IOPS", "/s").replace("IOPS", "/s")


def _latencies(tails: list[Measurement | None], name: str, operation: str) -> str:
    known = [(part, each) for part, each in zip(("p50", "p99"), tails, strict=True) if each]
    of_call = "" if name == operation or operation.startswith("record") else f" of {name}"
    return ", ".join(f"{part}{of_call} {value(each.value, 'ns')}" for part, each in known)
