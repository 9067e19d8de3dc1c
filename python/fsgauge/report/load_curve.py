"""The page of a load curve: latency over rate with the limit, and a line a system of what it
serves below it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from fsgauge.record.factors import factors_of
from fsgauge.record.quantiles import quantile_words
from fsgauge.report import vega, words
from fsgauge.report.charts import axes, marks, panels
from fsgauge.report.charts.axes import Along
from fsgauge.report.draw import Drawing, chart_of, draw
from fsgauge.report.kind_page import KindPage
from fsgauge.report.table_parts import Rows, Table, TableCell, judged_cell, value_cell
from fsgauge.report.theme import INK
from fsgauge.stats.curve.answer import bound_words
from fsgauge.stats.curve.blocks import limit_words
from fsgauge.stats.curve.model import Capacity, CurvePoint, CurveResults
from fsgauge.stats.results import Comparison, Results
from fsgauge.units import format_duration, format_rate

NAME = "load-curve"
_HEIGHT = 230
_FURTHEST_BELOW = 5.0
"""Of the least latency."""
_FURTHEST_OVER = 10.0
"""Of the limit: a picture shows latencies up to so many of it."""


class CurvePage(KindPage):
    """The curve in the place of the ratios, and one table."""

    sections = ("load_curve.html.j2",)

    def pictures(self, results: Results) -> list[Drawing | None]:
        """Latency over rate."""
        return [load_curve(results)]

    def left_out(self, drawings: Mapping[str, Drawing], results: Results) -> set[str]:  # noqa: ARG002
        """Of single runs: those of a curve are at many rates."""
        return {"latency", "series"}

    def lead(self, drawings: Mapping[str, Drawing]) -> str:
        return "load_curve_lead.html.j2" if NAME in drawings else ""

    def values(self, results: Results) -> dict[str, Any]:
        found = CurveResults.of(results)
        limit = limit_words(found) if found else ""
        return {"capacity_tables": capacity_tables(results), "limit": limit}

    def summary_tables(self, results: Results) -> list[Table]:
        return capacity_tables(results)


PAGE = CurvePage()


def _load_words(results: Results, load: str, found: CurveResults) -> str:
    """Without the limit, which stands above the table and below the picture."""
    return results.cell(load).name.removesuffix(f", {limit_words(found)}")


class _Line(NamedTuple):
    capacity: Capacity
    load: str
    unit: str
    ratio: Comparison | None


def capacity_tables(results: Results) -> list[Table]:
    """What each system serves of each load: a number, or the bound that is known."""
    found = CurveResults.of(results)
    if found is None:
        return []
    lines = [
        _Line(
            each,
            _load_words(results, each.load, found),
            factors_of(results.cell(each.load)).rate_unit,
            results.comparison(each.load, each.system, "iops"),
        )
        for each in found.capacities
    ]
    several = len({line.load for line in lines}) > 1
    return Rows(lines).tables(
        "capacity",
        "What is served below the limit",
        "The rate of each block is read from its own curve. The knee is the rate at which rate over"
        " latency is highest: beyond it, more load costs more than it brings.",
        [
            ("system", "", lambda line: line.capacity.system),
            ("load", "", lambda line: line.load) if several else None,
            (f"rate with {limit_words(found)}", "capacity", _rate_cell),
            (f"of {results.baseline}", "ratio", lambda line: judged_cell(line.ratio)),
            ("knee", "capacity", _knee_cell),
            ("limited by", "capacity", lambda line: line.capacity.limited_words or None),
        ],
    )


def _knee_cell(line: _Line) -> TableCell | str:
    """Where nothing is served below the limit, no rate is one to plan for."""
    is_over = line.capacity.state in ("less than", "unsteady")
    return "" if is_over else value_cell(line.capacity.knee, line.unit)


def _rate_cell(line: _Line) -> TableCell | str:
    each = line.capacity
    if each.number is not None:
        return value_cell(each.number, line.unit)
    return bound_words(each, line.unit)


def load_curve(results: Results) -> Drawing | None:
    """A panel a load, a line a system; None where no run says anything."""
    found = CurveResults.of(results)
    if found is None:
        return None
    systems = panels.drawn_systems(results)
    units = {cell.id: factors_of(cell).rate_unit for cell in results.cells}
    rows = [
        _row(point, found, units[point.load]) for point in found.points if point.system in systems
    ]
    if not rows:
        return None
    rows = panels.styled(results, rows)
    met = [each for each in found.capacities if each.system in systems]
    crossings = panels.styled(results, [_crossing(each, found, units[each.load]) for each in met])
    loads = [load for load in found.operation if any(row["load"] == load for row in rows)]

    def panel(load: str, width: int) -> vega.Chart:
        own = [row for row in rows if row["load"] == load]
        met = [row for row in crossings if row["load"] == load and row["rate"]]
        return _panel(own, met, found, width).properties(
            title=panels.heading(_load_words(results, load, found), width)
        )

    label = f"{quantile_words(found.quantile)} of latency by the rate that is offered; the limit."
    tips = [each["tip"] for each in crossings if each["rate"]]
    build = panels.both(loads, panel, 2)
    return draw(NAME, label, *build, rows, more_tips=tips, note=panels.left_out(results))


def _row(point: CurvePoint, found: CurveResults, unit: str) -> dict[str, Any]:
    latency = point.latency
    top = _FURTHEST_OVER * found.limit_ns
    low, high = latency.edges
    return {
        "system": point.system,
        "load": point.load,
        "rate": point.rate,
        "latency_us": min(latency.value, top) / 1e3,
        "low": min(low, top) / 1e3,
        "high": min(high, top) / 1e3,
        "tip": f"{point.system} at {format_rate(point.rate, unit)}: {_latency_words(point, found)}"
        f" ({words.value_range(*latency.edges, 'ns')})",
    }


def _latency_words(point: CurvePoint, found: CurveResults) -> str:
    if point.latency.value >= _FURTHEST_OVER * found.limit_ns:
        return f"more than {format_duration(int(_FURTHEST_OVER * found.limit_ns))}"
    return words.value(point.latency.value, "ns")


def _crossing(each: Capacity, found: CurveResults, unit: str) -> dict[str, Any]:
    rate = each.number.value if each.number is not None else None
    low, high = each.number.edges if each.number is not None else (None, None)
    return {
        "system": each.system,
        "load": each.load,
        "rate": rate,
        "from": low,
        "to": high,
        "limit_us": found.limit_ns / 1e3,
        "tip": f"{each.system}: {format_rate(rate or 0.0, unit)} at the limit",
    }


def _lowest(rows: list[dict[str, Any]]) -> float:
    """Where the picture ends below: intervals of few blocks may reach to nothing."""
    least = float(min(row["latency_us"] for row in rows))
    return max(float(min(row["low"] for row in rows)), least / _FURTHEST_BELOW)


def _panel(
    rows: list[dict[str, Any]], met: list[dict[str, Any]], found: CurveResults, width: int
) -> vega.Chart:
    limit_us = found.limit_ns / 1e3
    lowest = _lowest(rows)
    limits = (lowest / 1.3, max(limit_us * 2, *(row["high"] for row in rows)) * 1.1)
    along = _latency_axis(limits)
    edge = axes.AIR * max(row["rate"] for row in rows)
    axis = {"title": "operations a second offered", "labelExpr": axes.amount(), "tickCount": 6}
    x = vega.field("rate:Q", scale={"domain": [0, edge], "nice": False}, axis=axis)
    band = chart_of(rows).mark("area", opacity=0.14, clip=True)
    layers = [
        band.encode(
            x=x, y=along.channel("low"), y2="high:Q", color=panels.colour(), detail="system:N"
        ),
        marks.level(limit_us, along, strokeDash=[5, 3]),
        marks.joining(rows, {"x": x, "y": along.channel("latency_us")}, strokeWidth=1.6, clip=True),
        marks.points(chart_of(rows), 18, clip=True, x=x, y=along.channel("latency_us")),
    ]
    if met:
        at = along.channel("limit_us")
        span = chart_of(met).mark("rule", strokeWidth=3, opacity=0.8, clip=True)
        across = vega.field("from:Q", scale=x["scale"], axis=axis)
        layers += [
            span.encode(x=across, x2="to:Q", y=at, color=panels.colour(), description="tip:N"),
            chart_of(met)
            .mark("point", filled=True, size=80, stroke=INK, strokeWidth=1, opacity=1)
            .encode(x=x, y=at, color=panels.colour(), shape=panels.shape(), description="tip:N"),
        ]
    return vega.layer(*layers).properties(width=width, height=_HEIGHT)


def _latency_axis(limits: tuple[float, float]) -> Along:
    low, high = limits
    high = max(high, low * math.e)
    return axes.along(
        "y",
        (low, high),
        clamp=True,
        title="lower is better",
        labelExpr=axes.DURATION,
        values=axes.round_values(low, high, 6),
    )
