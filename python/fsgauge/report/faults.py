"""The table of the runs that were struck on purpose."""

from __future__ import annotations

from fsgauge.report.table_parts import Rows, Table, TableCell
from fsgauge.stats.results import Results
from fsgauge.stats.struck import what_else
from fsgauge.units import format_duration, format_rate


def fault_tables(results: Results) -> list[Table]:
    """A line for each run that was struck; none where nothing was."""
    if not results.struck:
        return []
    return [
        Rows(results.struck).table(
            "faults",
            "What each fault did",
            "Rates before, during and after the fault, warm-up aside; moments count from the"
            " beginning of the load. Nothing is compared with these runs.",
            [
                ("system", "", lambda each: each.system),
                ("cell", "", lambda each: each.cell_name),
                ("fault", "", lambda each: each.fault),
                ("began", "", lambda each: _moment(each.began_ns)),
                ("ended", "", lambda each: _moment(each.ended_ns)),
                ("before", "iops", lambda each: _rate(each.before)),
                ("during", "iops", lambda each: _rate(each.during)),
                ("after", "iops", lambda each: _rate(each.after)),
                ("what became of it", "", lambda each: "; ".join(what_else(each))),
            ],
        )
    ]


def _moment(moment_ns: int | None) -> str:
    return "did not begin" if moment_ns is None else format_duration(max(0, moment_ns))


def _rate(rate: float | None) -> TableCell:
    return TableCell("" if rate is None else format_rate(rate))
