"""CPU time per I/O: load threads (filled) and the whole machine (hollow), by primary cell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fsgauge.report import words
from fsgauge.report.charts import panels
from fsgauge.report.draw import Drawing, chart_of, draw
from fsgauge.stats.results import Results

if TYPE_CHECKING:
    import altair as alt

PANELS_LIMIT = 9
KINDS = {"cpu": "load threads", "machine_cpu": "whole machine"}
Panel = tuple[str, list[dict[str, Any]]]


def processor_time(results: Results) -> Drawing | None:
    """The drawing; None when no run could tell its CPU time."""
    shown: list[Panel] = []
    for cell_id in results.primary_cells[:PANELS_LIMIT]:
        rows = panels.styled(results, _rows(results, cell_id))
        if rows:
            shown.append((results.cell(cell_id).name, rows))
    if not shown:
        return None
    label = "CPU time per operation, of the load threads and of the whole machine."
    rows = [row for _, panel in shown for row in panel]
    return draw("cpu", label, *panels.both(shown, _panel), rows)


def _rows(results: Results, cell_id: str) -> list[dict[str, Any]]:
    return [
        {
            "cell": cell_id,
            "system": entry.system,
            "kind": KINDS[entry.metric],
            "us": entry.value / 1e3,
            "low": (entry.low if entry.low is not None else entry.value) / 1e3,
            "high": (entry.high if entry.high is not None else entry.value) / 1e3,
            "fill": 1.0 if entry.metric == "cpu" else 0.0,
            "tip": f"{entry.system}, {KINDS[entry.metric]}: {words.estimate(entry, 'ns')} per I/O",
        }
        for system in results.systems
        for entry in results.measurements
        if (entry.cell, entry.system) == (cell_id, system) and entry.metric in KINDS
    ]


def _panel(panel: Panel, width: int) -> alt.TopLevelMixin:
    import altair as alt

    name, rows = panel
    systems = list(dict.fromkeys(row["system"] for row in rows))
    scale = alt.Scale(zero=True, nice=True)
    axis = alt.Axis(title="µs of CPU time per operation (lower is better)", tickCount=5)
    base = chart_of(rows).encode(
        y=alt.Y("system:N", sort=systems, title=None, axis=alt.Axis(ticks=False, domain=False)),
        color=panels.colour(),
    )
    return alt.layer(
        base.mark_rule(strokeWidth=2).encode(x=alt.X("low:Q", scale=scale, axis=axis), x2="high:Q"),
        base.mark_point(size=50, opacity=1, strokeWidth=1.5).encode(
            x=alt.X("us:Q", scale=scale, axis=axis),
            shape=panels.shape(),
            fill=alt.Fill("colour:N", scale=None),
            fillOpacity=alt.FillOpacity("fill:Q", scale=None),
            description="tip:N",
        ),
    ).properties(width=width, height=24 * len(systems) + 8, title=panels.heading(name))
