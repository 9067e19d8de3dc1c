"""The runs that were struck on purpose: their table, and their rates over time, faults shaded."""

from __future__ import annotations

from collections.abc import Sequence

from fsgauge.record.records import RunRecord
from fsgauge.record.strikes import TITLES
from fsgauge.report.charts import panels
from fsgauge.report.charts.series import RatesPanel, points_of, rates_panel, rates_top
from fsgauge.report.draw import Drawing, draw
from fsgauge.report.table_parts import Rows, Table
from fsgauge.stats.results import Results
from fsgauge.stats.struck import what_else
from fsgauge.units import format_duration, format_rate

PANELS_LIMIT = 24
_POINTS = 400
"""Of a run, at most."""


def fault_tables(results: Results) -> list[Table]:
    return Rows(results.struck).tables(
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


def _moment(moment_ns: int | None) -> str:
    return "did not begin" if moment_ns is None else format_duration(max(0, moment_ns))


def _rate(rate: float | None) -> str:
    return "" if rate is None else format_rate(rate)


def struck_series(results: Results, runs: Sequence[RunRecord]) -> Drawing | None:
    found = [_panel_of(results, run) for run in runs]
    shown = [panel for panel in found if panel is not None]
    left = len(shown) - PANELS_LIMIT
    shown = shown[:PANELS_LIMIT]
    if not shown:
        return None
    return draw(
        "faults",
        "Operations per second over time of runs that were struck on purpose; faults are shaded.",
        *panels.both(shown, rates_panel),
        [row for panel in shown for row in panel.rows],
        [each["tip"] for panel in shown for each in panel.shades],
        note=f"{left} more runs have no picture." if left > 0 else "",
    )


def _panel_of(results: Results, run: RunRecord) -> RatesPanel | None:
    if run.result is None:
        return None
    step = max(1, -(-len(run.result.intervals) // _POINTS))
    rows = panels.styled(results, points_of(run, step))
    if not rows:
        return None
    last = max(row["seconds"] for row in rows)
    faults = [
        {
            "from": max(0.0, each.began_ns / 1e9),
            "to": min(last, (each.ended_ns or each.began_ns) / 1e9),
            "words": TITLES[each.strike.kind],
            "tip": each.strike.title,
        }
        for each in run.struck
        if each.began_ns is not None
    ]
    titles = ", ".join(each.strike.title for each in run.struck)
    below = f"{run.cell.name}: {titles}"
    return RatesPanel(rows[0]["label"], below, rows, faults, [], rates_top(rows))
