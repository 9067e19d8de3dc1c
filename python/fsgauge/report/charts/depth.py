"""Ratio to the baseline against queue depth: does the cost fall as the load rises? One panel a
pattern and block size, one line a system; behind each depth its cell's band of noise."""

from __future__ import annotations

from typing import Any

from fsgauge.record.factors import factors_of
from fsgauge.report import vega, words
from fsgauge.report.charts import axes, marks, panels
from fsgauge.report.charts.forest import noise_band
from fsgauge.report.draw import Drawing, draw
from fsgauge.stats.results import Comparison, Results
from fsgauge.units import format_size


def depth_curves(results: Results) -> Drawing | None:
    if len({factors_of(cell).depth for cell in results.cells}) < 2:
        return None
    order = {cell.id: index for index, cell in enumerate(results.cells)}
    entries = [
        entry
        for entry in results.comparisons
        if entry.metric == results.primary_metrics[entry.cell]
    ]
    entries.sort(key=lambda entry: order[entry.cell])
    found = panels.by(
        panels.drawn(results, [_row(results, entry) for entry in entries]), lambda row: row["panel"]
    )
    shown = [item for item in found.items() if len({row["depth"] for row in item[1]}) > 1]
    if not shown:
        return None
    rows = [row for _, each in shown for row in each]
    limits = axes.ratio_domain(
        [*(row["ratio"] for row in rows), *marks.edges_of(rows, "low", "high")]
    )

    def panel(item: tuple[str, list[dict[str, Any]]], width: int) -> vega.Chart:
        return _panel(item[0], item[1], width, limits)

    label = f"Ratio to {results.baseline} against queue depth, one panel a pattern and size."
    note = panels.left_out(results)
    return draw("depth", label, *panels.both(shown, panel, 4), rows, note=note)


def _row(results: Results, entry: Comparison) -> dict[str, Any]:
    cell = results.cell(entry.cell)
    factors = factors_of(cell)
    return {
        "cell": entry.cell,
        "panel": f"{factors.panel}, {format_size(factors.operation_bytes)}",
        "system": entry.system,
        "depth": factors.depth,
        "ratio": entry.ratio,
        **marks.ends(entry),
        "noise": noise_band(results, entry.metric, entry.cell),
        "verdict": entry.verdict,
        "tip": f"{entry.system}, {cell.name}: {words.ratio(entry.ratio)} of {results.baseline}"
        f" ({words.interval_of(entry)}), {words.verdict(entry)}",
    }


def _panel(
    name: str, rows: list[dict[str, Any]], width: int, limits: tuple[float, float]
) -> vega.Chart:
    depths = sorted({row["depth"] for row in rows})
    x = vega.field(
        "depth:O", sort=depths, title="queue depth", axis={"labelAngle": 0, "grid": False}
    )
    along = axes.ratios("y", limits, 6, title="ratio", clamp=True)
    shift = vega.field("system:N", sort=list(dict.fromkeys(row["system"] for row in rows)))
    across: dict[str, Any] = {"x": x, "xOffset": shift}
    noise = {row["depth"]: row["noise"] for row in rows if row["noise"] is not None}
    spans = [{"depth": at, "from": low, "to": high} for at, (low, high) in noise.items()]
    return vega.layer(
        *marks.bands(spans, along, 0.55, x=x),
        marks.level(1, along),
        marks.joining(rows, {"y": along.channel("ratio"), **across}, strokeWidth=1, opacity=0.6),
        *marks.measured(rows, ("ratio", "low", "high"), along, 42, width=1.5, **across),
    ).properties(width=width, height=170, title=panels.heading(name, width))
