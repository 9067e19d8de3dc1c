"""Latency percentiles: one panel a primary cell and operation, one line a system.

All runs of a system are one histogram, added up; a line stops where fewer than ten samples lie
beyond.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fsgauge.record.records import RunRecord
from fsgauge.report import vega, words
from fsgauge.report.charts import axes, marks, panels
from fsgauge.report.draw import Drawing, chart_of, draw
from fsgauge.report.labels import MANY
from fsgauge.report.load_curve import page_of
from fsgauge.stats.histogram import merge, percentile_curve
from fsgauge.stats.metrics import CALLS, COMPANIONS, OPERATIONS, latencies
from fsgauge.stats.results import Results
from fsgauge.stats.samples import is_complete

NAMED_PERCENTILES = ("50", "90", "99", "99.9", "99.99", "99.999")
Panel = tuple[str, str, list[dict[str, Any]]]
"""Its name, its cell and its rows."""


def latency_percentiles(results: Results, runs: Sequence[RunRecord]) -> Drawing | None:
    kind = results.latency_words
    shown: list[Panel] = []
    systems = panels.drawn_systems(results)
    for cell_id in results.primary_cells:
        of_cell = [run for run in runs if run.cell.id == cell_id and is_complete(run)]
        for operation in OPERATIONS:
            rows = _rows(systems, of_cell, operation)
            if rows:
                what = "latency" if operation in CALLS else kind
                called = COMPANIONS.get(operation, operation)
                cell = results.cell(cell_id).name
                shown.append((f"{called} {what}", cell, panels.styled(results, rows)))
    shown = shown[: page_of(results).latency_panels]
    if not shown:
        return None
    label = f"Percentiles of {kind} by operation, log scales."
    rows = [row for *_, panel in shown for row in panel]
    return draw("latency", label, *panels.both(shown, _panel), rows, note=panels.left_out(results))


def _rows(
    systems: Sequence[str], runs: Sequence[RunRecord], operation: str
) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for system in systems:
        found = [latencies(run.result) for run in runs if run.system == system and run.result]
        merged = merge(each[operation] for each in found if operation in each)
        if merged is None:
            continue
        rows += [
            {
                "system": system,
                "operation": operation,
                "cell": runs[0].cell.id,
                "percentile": 100 * quantile,
                "beyond": 1 / (1 - quantile),
                "latency_us": latency_ns / 1e3,
                "tip": f"{system}: {100 * quantile:.6g} % of {plural_of(operation)} within"
                f" {words.value(latency_ns, 'ns')} ({merged.operations:,} operations)",
            }
            for quantile, latency_ns in percentile_curve(merged)
        ]
    return rows


def _marked(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The points that have marks: all, or every sixth where there are many systems."""
    if len({row["system"] for row in rows}) <= MANY:
        return rows
    return [row for place, row in enumerate(rows) if place % 6 == 0]


def plural_of(operation: str) -> str:
    """ "reads", "syncs", "log writes", "fsync calls"."""
    if operation in ("read", "write", *CALLS):
        return f"{COMPANIONS.get(operation, operation)}s"
    return f"{operation} calls"


def _panel(panel: Panel, width: int) -> vega.Chart:
    name, cell, rows = panel
    furthest = max(row["beyond"] for row in rows)
    ticks = {round(1 / (1 - float(text) / 100), 3): text for text in NAMED_PERCENTILES}
    ticks = {at: text for at, text in ticks.items() if at <= furthest * 1.05}
    names = " : ".join(f"datum.value < {at * 1.01} ? '{text}'" for at, text in ticks.items())
    x = vega.field(
        "beyond:Q",
        scale={"type": "log", "nice": False},
        axis={
            "title": "percentile",
            "values": list(ticks),
            "labelExpr": f"{names} : ''" if names else "''",
        },
    )
    y = vega.field(
        "latency_us:Q",
        scale={"type": "log", "nice": False, "padding": 8},
        axis={"title": "lower is better", "labelExpr": axes.DURATION, "tickCount": 5},
    )
    base = chart_of(rows).encode(x=x, y=y, color=panels.colour())
    marked = chart_of(_marked(rows)).encode(x=x, y=y)
    return vega.layer(
        base.mark("line", strokeWidth=1.5).encode(
            detail=vega.field("system:N"), strokeDash=panels.dash()
        ),
        marks.points(marked, 14),
    ).properties(width=width, height=210, title=panels.heading(name, width, cell))
