"""Rates over time of every run of the primary cells; the warm-up, which does not count, shaded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fsgauge.record import RunRecord
from fsgauge.report.charts import panels
from fsgauge.report.draw import Drawing, chart_of, draw
from fsgauge.report.theme import BAND
from fsgauge.series import Intervals
from fsgauge.stats.results import Results

if TYPE_CHECKING:
    import altair as alt

PANELS_LIMIT = 6
POINTS_LIMIT = 6000
Panel = tuple[str, list[dict[str, Any]], float]


def time_series(results: Results, runs: Sequence[RunRecord]) -> Drawing | None:
    """The drawing of the first primary cells; None without series."""
    shown: list[Panel] = []
    cells = results.primary_cells[:PANELS_LIMIT]
    for cell_id in cells:
        of_cell = [run for run in runs if run.cell.id == cell_id and run.result is not None]
        points = sum(len(run.result.intervals) for run in of_cell if run.result)
        step = -(-points * len(cells) // POINTS_LIMIT)
        rows = panels.styled(results, _rows(of_cell, max(1, step)))
        if rows:
            warm_up_s = max(run.result.warm_up_ns for run in of_cell if run.result) / 1e9
            shown.append((results.cell(cell_id).name, rows, warm_up_s))
    if not shown:
        return None
    label = "Operations per second over time, every run; the warm-up is shaded."
    rows = [row for _, panel, _ in shown for row in panel]
    return draw("series", label, *panels.both(shown, _panel), rows)


def _rows(runs: Sequence[RunRecord], step: int) -> list[dict[str, Any]]:
    """One point an interval, or one for `step` intervals where there are very many."""
    rows = []
    for run in runs:
        intervals = Intervals.of(run.result.intervals if run.result is not None else [])
        if not len(intervals):
            continue
        firsts = np.arange(0, len(intervals), step)
        lasts = np.append(firsts[1:], len(intervals)) - 1
        start_ns, elapsed_ns = intervals.column("start_ns"), intervals.column("elapsed_ns")
        done = intervals.column("read_operations") + intervals.column("write_operations")
        seconds = (start_ns[firsts] + start_ns[lasts] + elapsed_ns[lasts]) / 2e9
        spans_ns = np.maximum(np.add.reduceat(elapsed_ns, firsts), 1)
        rates = np.add.reduceat(done, firsts) * 1e9 / spans_ns
        name = f"block {run.block + 1}, turn {run.turn + 1}"
        rows += [
            {"cell": run.cell.id, "system": run.system, "run": name, "seconds": at, "rate": rate}
            for at, rate in zip(seconds.tolist(), rates.tolist(), strict=True)
        ]
    return rows


def _panel(panel: Panel, width: int) -> alt.TopLevelMixin:
    import altair as alt

    name, rows, warm_up_s = panel
    x = alt.X("seconds:Q", axis=alt.Axis(title="seconds", grid=False, tickCount=6))
    y = alt.Y(
        "rate:Q",
        scale=alt.Scale(zero=True),
        axis=alt.Axis(title="operations per second", format="~s", tickCount=4),
    )
    layers = [
        chart_of(rows)
        .mark_line(strokeWidth=1, opacity=0.55)
        .encode(x=x, y=y, color=panels.colour(), detail=["system:N", "run:N"])
    ]
    if warm_up_s > 0:
        shade = chart_of([{"seconds": 0, "to": warm_up_s}])
        layers.insert(0, shade.mark_rect(color=BAND, opacity=0.4).encode(x=x, x2="to:Q"))
    return alt.layer(*layers).properties(width=width, height=150, title=panels.heading(name))
