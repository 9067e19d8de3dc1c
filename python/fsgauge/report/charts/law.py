"""Rates against how many worked at once: blocks, means, the scalability law with its band, ideal.
The number is linear, so that the ideal is a straight line. Writers have such panels, and hosts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fsgauge.report import vega
from fsgauge.report.charts import axes, marks, panels
from fsgauge.report.charts.axes import Along
from fsgauge.report.draw import chart_of
from fsgauge.report.labels import shortened
from fsgauge.report.theme import BAND, INK, MUTED
from fsgauge.stats.scaling.law import UslFit
from fsgauge.units import figure

_HEIGHT = 190
_FEWEST_SHARE = 0.075
"""Of the axis, between two numbers that both have room."""


def no_law(fits: Sequence[UslFit]) -> str:
    """Why no system has a law; "" where one was tried, or no number is varied."""
    return "" if not fits or any(fit.was_tried for fit in fits) else fits[0].reason


@dataclass(frozen=True)
class LawPanel:
    """One system's rates, in `unit`. `rows` have x, iops (the rate), iops_low, iops_high,
    blocks, and how a system looks.

    `counts` are the measured numbers, `of` what they count, `edge` where the axis ends. `ideal` is
    the rate of one; no line without it. `device` are rates of another system to compare with.
    """

    rows: list[dict[str, Any]]
    fit: UslFit
    counts: Sequence[int]
    of: str
    edge: float
    title: str
    subtitle: str
    ideal: float | None = None
    device: Sequence[dict[str, float]] = ()
    unit: str = "IOPS"


def law_panel(shown: LawPanel, width: int) -> vega.Chart:
    measured_top = axes.rates_top(shown.rows, "iops")
    top = max([measured_top, *(axes.AIR * value for _, value, _, _ in shown.fit.curve)])
    x, along = _linear_x(shown), axes.rates((0.0, top), axes.rate_title(shown.unit))
    y = along.channel("iops")
    layers: list[Any] = []
    if shown.device:
        device = chart_of(shown.device).mark(
            "line", color=MUTED, strokeWidth=1.2, opacity=0.7, clip=True
        )
        layers.append(device.encode(x=x, y=y))
    if shown.fit.state == "fits":
        layers += _curve(shown, x, along)
    if shown.ideal is not None:
        ends = [{"x": at, "iops": shown.ideal * at} for at in (min(shown.counts), shown.edge)]
        ideal = chart_of(ends).mark(
            "line", color=MUTED, strokeWidth=1.2, strokeDash=[1, 3], clip=True
        )
        layers.append(ideal.encode(x=x, y=y))
    if shown.fit.state == "fits":
        layers += _peak(shown, x)
    fields = ("iops", "iops_low", "iops_high")
    layers += marks.measured(shown.rows, fields, along, 44, at="x", width=1.6, faint=0.35, x=x)
    title = panels.subtitled(shortened(shown.title, int(width / 7.4)), [shown.subtitle])
    return vega.layer(*layers).properties(width=width, height=_HEIGHT, title=title)


def _curve(shown: LawPanel, x: vega.Channel, along: Along) -> list[vega.Chart]:
    """Band and curve, dashed where no measurement stands behind it."""
    y = along.channel("iops")
    colour = shown.rows[0]["colour"]
    drawn = [
        {"x": at, "iops": value, "low": low, "high": high}
        for at, value, low, high in shown.fit.curve
    ]
    measured = [row["x"] for row in shown.rows]
    inside = [row for row in drawn if min(measured) <= row["x"] <= max(measured)]
    beyond = [row for row in drawn if row["x"] >= max(measured)]
    return [
        chart_of(drawn)
        .mark("area", color=colour, opacity=0.16, clip=True)
        .encode(x=x, y=along.channel("low"), y2=vega.field("high:Q")),
        chart_of(inside).mark("line", color=colour, strokeWidth=1.8).encode(x=x, y=y),
        chart_of(beyond)
        .mark("line", color=colour, strokeWidth=1.8, strokeDash=[5, 4])
        .encode(x=x, y=y),
    ]


def _peak(shown: LawPanel, x: vega.Channel) -> list[vega.Chart]:
    """A dashed line where the law has its peak, its interval behind, its number beside it on the
    side that has room."""
    peak = shown.fit.peak_at
    if peak is None:
        return []
    late = peak.value > 0.7 * shown.edge
    at = chart_of([{"x": peak.value, "text": f"peak {figure(peak.value, 2)}"}])
    side: dict[str, Any] = {"align": "right", "dx": -5} if late else {"align": "left", "dx": 5}
    drawn = [
        at.mark("rule", color=INK, strokeDash=[4, 3], clip=True).encode(x=x),
        at.mark("text", fontSize=11, color=INK, **side).encode(
            x=x, y=vega.value(8), text=vega.field("text:N")
        ),
    ]
    if peak.low is not None and peak.high is not None:
        band = chart_of([{"x": peak.low, "to": min(peak.high, shown.edge)}])
        shade = band.mark("rect", color=BAND, opacity=0.35, clip=True)
        drawn.insert(0, shade.encode(x=x, x2=vega.field("to:Q")))
    return drawn


def _linear_x(shown: LawPanel) -> vega.Channel:
    """The number, linear up to the edge."""
    low, high = min(shown.counts), max([*shown.counts, shown.edge])
    air = 0.05 * ((high - low) or 1)
    axis = {"title": shown.of, "values": _ticks(shown.counts), "grid": False, "format": "d"}
    return vega.field("x:Q", scale={"domain": [low - air, high + air], "nice": False}, axis=axis)


def _ticks(counts: Sequence[int]) -> list[int]:
    """The measured numbers whose labels have room; the smallest is one of them."""
    span = (max(counts) - min(counts)) or 1
    kept = [min(counts)]
    for count in sorted(counts)[1:]:
        if (count - kept[-1]) / span >= _FEWEST_SHARE:
            kept.append(count)
    return kept
