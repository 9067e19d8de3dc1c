"""How long it takes to make writes durable: a table of its calls, a line a cell and system.

The load's own syncs, log writers that work alongside it, and writes that are durable when they
return (O_DSYNC). Numbers and verdicts are those of the tables of single metrics.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fsgauge.engine.wire import DsyncSync, LoadJob
from fsgauge.record.records import Cell as RecordCell
from fsgauge.record.records import RunRecord
from fsgauge.report import table_parts
from fsgauge.stats.metrics import COMPANIONS, SYNC
from fsgauge.stats.results import Measurement, Results

FOLDED_ROWS = 25
LEADING = ("p99", "mean")
"""What the ratio is of: the first that is compared."""
_CALLED = {
    SYNC: "sync",
    "log": f"{COMPANIONS['log']}, synced",
    "write": "write, durable when it returns",
}
Timed = tuple[str, RecordCell, str]
"""An operation of a system in a cell."""


def sync_tables(results: Results, runs: Sequence[RunRecord]) -> list[table_parts.Table]:
    """The table; [] for a study that times no such call."""
    measured = results.measured

    def cell(
        part: str, text: Callable[[Measurement | None], table_parts.TableCell]
    ) -> table_parts.Cell[Timed]:
        return lambda each: text(measured.get((each[1].id, each[2], f"{each[0]}.{part}")))

    def ratio(each: Timed) -> table_parts.TableCell | str:
        operation, cell, system = each
        if system == results.baseline:
            return "baseline"
        found = (results.comparison(cell.id, system, f"{operation}.{part}") for part in LEADING)
        return table_parts.judged_cell(next((each for each in found if each is not None), None))

    return table_parts.Rows(
        (operation, cell, system)
        for operation in _operations(runs)
        for cell in results.cells
        for system in results.systems
        if (cell.id, system, f"{operation}.mean") in measured
    ).tables(
        "sync",
        "How long writes take to be durable",
        "From the call to its return. The ratio is that of the p99, or of the mean where a run of"
        " any system has too few calls for it; less is better. A percentile of a system with such"
        " runs is that of all its calls together.",
        [
            ("call", "", lambda each: _CALLED[each[0]]),
            ("cell", "", lambda each: each[1].name),
            ("system", "", lambda each: each[2]),
            ("mean", "mean", cell("mean", lambda number: table_parts.value_cell(number, "ns"))),
            ("p50", "p50", cell("p50", table_parts.quantile_cell)),
            ("p99", "p99", cell("p99", table_parts.quantile_cell)),
            ("p99.9", "p999", cell("p999", table_parts.quantile_cell)),
            (f"ratio to {results.baseline}", "ratio", ratio),
        ],
        folded_from=FOLDED_ROWS,
        drop_empty=True,
    )


def _operations(runs: Sequence[RunRecord]) -> list[str]:
    """What is durable when it returns: O_DSYNC makes that of writes."""
    jobs = [run.job for run in runs if isinstance(run.job, LoadJob)]
    writes = [job for job in jobs if job.read_percent < 100]
    durable = bool(writes) and all(isinstance(job.sync, DsyncSync) for job in writes)
    return [*(["write"] if durable else []), SYNC, "log"]
