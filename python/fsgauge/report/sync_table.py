"""How long it takes to make writes durable: a table of its calls, a line a cell and system.

The load's own syncs, log writers that work alongside it, and writes that are durable when they
return (O_DSYNC). Numbers and verdicts are those of the tables of single metrics.
"""

from __future__ import annotations

from collections.abc import Sequence

from fsgauge.engine.wire import DsyncSync, LoadJob
from fsgauge.record.records import Cell, RunRecord
from fsgauge.report.table_parts import (
    NOTHING,
    Column,
    Table,
    TableCell,
    judged_cell,
    quantile_cell,
    value_cell,
    without_empty_columns,
)
from fsgauge.stats.metrics import COMPANIONS, SYNC
from fsgauge.stats.results import Comparison, Measurement, Results

FOLDED_ROWS = 25
_CALLED = {
    SYNC: "sync",
    "log": f"{COMPANIONS['log']}, synced",
    "write": "write, durable when it returns",
}
_COLUMNS = (("mean", "mean"), ("p50", "p50"), ("p99", "p99"), ("p99.9", "p999"))


def sync_tables(results: Results, runs: Sequence[RunRecord]) -> list[Table]:
    """The table; [] for a study that times no such call."""
    measured = {(m.cell, m.system, m.metric): m for m in results.measurements}
    compared = {(e.cell, e.system, e.metric): e for e in results.comparisons}
    rows = [
        _row(results, cell, system, operation, measured, compared)
        for operation in _operations(runs)
        for cell in results.cells
        for system in results.systems
        if (cell.id, system, f"{operation}.mean") in measured
    ]
    columns = [Column("call"), Column("cell"), Column("system")]
    columns += [Column(label, part) for label, part in _COLUMNS]
    columns.append(Column(f"ratio to {results.baseline}", "ratio"))
    table = Table(
        "sync",
        "How long writes take to be durable",
        "From the call to its return. The ratio is that of the p99, or of the mean where a run has"
        " too few calls for it; less is better.",
        columns,
        rows,
        folded=len(rows) >= FOLDED_ROWS,
    )
    return [without_empty_columns(table)] if rows else []


def _operations(runs: Sequence[RunRecord]) -> list[str]:
    """What is durable when it returns: O_DSYNC makes that of writes."""
    jobs = [run.job for run in runs if isinstance(run.job, LoadJob)]
    writes = [job for job in jobs if job.read_percent < 100]
    durable = bool(writes) and all(isinstance(job.sync, DsyncSync) for job in writes)
    return [*(["write"] if durable else []), SYNC, "log"]


def _row(
    results: Results,
    cell: Cell,
    system: str,
    operation: str,
    measured: dict[tuple[str, str, str], Measurement],
    compared: dict[tuple[str, str, str], Comparison],
) -> list[TableCell]:
    numbers = {part: measured.get((cell.id, system, f"{operation}.{part}")) for _, part in _COLUMNS}
    lead = "p99" if numbers["p99"] is not None else "mean"
    ratio = compared.get((cell.id, system, f"{operation}.{lead}"))
    first = value_cell(numbers["mean"], "ns")
    return [
        TableCell(_CALLED[operation]),
        TableCell(cell.name),
        TableCell(system),
        first,
        *(quantile_cell(numbers[part]) for _, part in _COLUMNS[1:]),
        TableCell("baseline")
        if system == results.baseline
        else (judged_cell(ratio) if ratio is not None else NOTHING),
    ]
