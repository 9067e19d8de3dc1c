"""Ratio to the baseline against queue depth: does the cost fall as the load rises?

One panel a pattern and block size, one line a system; behind each depth its cell's band of noise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fsgauge.record.factors import factors_of
from fsgauge.report import words
from fsgauge.report.charts import panels
from fsgauge.report.charts.panels import ratio_domain, ratio_ticks
from fsgauge.report.charts.whiskers import Along, edges_of, whiskers
from fsgauge.report.draw import Drawing, chart_of, draw
from fsgauge.report.theme import BAND, INK
from fsgauge.stats.results import Comparison, Results
from fsgauge.units import format_size

if TYPE_CHECKING:
    import altair as alt


def depth_curves(results: Results) -> Drawing | None:
    """The drawing; None with one queue depth or nothing to compare."""
    if len({factors_of(cell).depth for cell in results.cells}) < 2:
        return None
    systems = panels.drawn_systems(results)
    order = {cell.id: index for index, cell in enumerate(results.cells)}
    entries = [
        entry
        for entry in results.comparisons
        if entry.metric == results.primary_metrics[entry.cell] and entry.system in systems
    ]
    entries.sort(key=lambda entry: order[entry.cell])
    rows = panels.styled(results, [_row(results, entry) for entry in entries])
    if not rows:
        return None
    found: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        found.setdefault(row["panel"], []).append(row)
    found = {name: each for name, each in found.items() if len({r["depth"] for r in each}) > 1}
    if not found:
        return None
    rows = [row for each in found.values() for row in each]
    limits = ratio_domain([*(row["ratio"] for row in rows), *edges_of(rows, "low", "high")])

    def panel(item: tuple[str, list[dict[str, Any]]], width: int) -> alt.TopLevelMixin:
        return _panel(item[0], item[1], width, limits)

    shown = list(found.items())
    note = panels.left_out(results)
    label = f"Ratio to {results.baseline} against queue depth, one panel a pattern and size."
    return draw("depth", label, *panels.both(shown, panel, 4), rows, note=note)


def _row(results: Results, entry: Comparison) -> dict[str, Any]:
    cell = results.cell(entry.cell)
    factors = factors_of(cell)
    known = words.is_known(entry.low, entry.high, entry.n)
    floor = results.noise_of(entry.metric)
    band = floor.band_of(entry.cell) if floor else None
    return {
        "cell": entry.cell,
        "panel": f"{factors.panel}, {format_size(factors.operation_bytes)}",
        "system": entry.system,
        "depth": factors.depth,
        "ratio": entry.ratio,
        "low": entry.low if known else None,
        "high": entry.high if known else None,
        "noise": (band.low, band.high) if band else None,
        "verdict": entry.verdict,
        "tip": f"{entry.system}, {cell.name}: {words.ratio(entry.ratio)} of {results.baseline}"
        f" ({words.interval(entry.low, entry.high, entry.n)}), {words.verdict(entry)}",
    }


def _panel(
    name: str,
    rows: list[dict[str, Any]],
    width: int,
    limits: tuple[float, float],
) -> alt.TopLevelMixin:
    import altair as alt

    depths = sorted({row["depth"] for row in rows})
    x = alt.X("depth:O", sort=depths, title="queue depth", axis=alt.Axis(labelAngle=0, grid=False))
    scale = alt.Scale(type="log", domain=list(limits), nice=False, clamp=True)
    axis = alt.Axis(title="ratio", format="~g", values=ratio_ticks(*limits, most=6))

    def y(field: str) -> alt.Y:
        return alt.Y(f"{field}:Q", scale=scale, axis=axis)

    base = chart_of(rows).encode(x=x, color=panels.colour())
    along = Along("y", limits, y)
    shift = alt.XOffset("system:N", sort=list(dict.fromkeys(row["system"] for row in rows)))
    layers = [
        chart_of([{"ratio": 1}]).mark_rule(color=INK).encode(y=y("ratio")),
        base.mark_line(strokeWidth=1, opacity=0.6).encode(
            y=y("ratio"), detail="system:N", xOffset=shift, strokeDash=panels.dash()
        ),
        *whiskers(rows, ("ratio", "low", "high"), along, width=1.5, x=x, xOffset=shift),
        panels.points(base, 42, y=y("ratio"), xOffset=shift),
    ]
    bands = {row["depth"]: row["noise"] for row in rows if row["noise"] is not None}
    if bands:
        shown = [{"depth": depth, "ratio": low, "to": high} for depth, (low, high) in bands.items()]
        rect = chart_of(shown).mark_rect(color=BAND, opacity=0.55)
        layers.insert(0, rect.encode(x=x, y=y("ratio"), y2="to:Q"))
    return alt.layer(*layers).properties(width=width, height=170, title=panels.heading(name, width))
