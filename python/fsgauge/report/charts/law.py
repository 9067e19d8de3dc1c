"""Rates against how many worked at once: blocks, means, the scalability law with its band, ideal.

The number is linear, so that the ideal is a straight line. Writers have such panels, and hosts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fsgauge.report.charts import panels
from fsgauge.report.charts.whiskers import Along, whiskers
from fsgauge.report.draw import chart_of
from fsgauge.report.labels import shortened
from fsgauge.report.theme import BAND, INK, MUTED
from fsgauge.stats.scaling.law import UslFit

if TYPE_CHECKING:
    import altair as alt

AIR = 1.15
"""How far the axis of rates goes beyond the highest one."""
_HEIGHT = 190
_FEWEST_SHARE = 0.075
"""Of the axis, between two numbers that both have room."""


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


def law_panel(shown: LawPanel, width: int) -> alt.TopLevelMixin:
    """The drawing of one panel."""
    import altair as alt

    top = max([top_of(shown.rows), *(AIR * value for _, value, _, _ in shown.fit.curve)])
    x, y = _linear_x(shown), rate_axis("iops", top, shown.unit)
    layers: list[Any] = []
    if shown.device:
        layers.append(
            chart_of(list(shown.device))
            .mark_line(color=MUTED, strokeWidth=1.2, opacity=0.7, clip=True)
            .encode(x=x, y=y)
        )
    if shown.fit.state == "fits":
        layers += _curve(shown, top)
    if shown.ideal is not None:
        layers.append(_ideal(shown, shown.ideal, top))
    if shown.fit.state == "fits":
        layers += _peak(shown)
    layers.append(panels.dots(shown.rows, "x", "iops", x, y, opacity=0.35))
    along = Along("y", (0.0, top), lambda field: rate_axis(field, top, shown.unit), log=False)
    layers += [
        *whiskers(shown.rows, ("iops", "iops_low", "iops_high"), along, width=1.6, x=x),
        panels.points(chart_of(shown.rows), 44, x=x, y=y),
    ]
    title = alt.TitleParams(
        shortened(shown.title, int(width / 7.4)),
        subtitle=[shown.subtitle],
        anchor="start",
        fontSize=12,
        subtitleFontSize=11,
        subtitleColor=MUTED,
        offset=6,
    )
    return alt.layer(*layers).properties(width=width, height=_HEIGHT, title=title)


def top_of(rows: Sequence[Mapping[str, Any]]) -> float:
    """The upper end of an axis of rates: above every mean and every block's dot."""
    top: float = AIR * max(max([row["iops"], *row["blocks"]]) for row in rows)
    return top


def rate_axis(field: str, top: float, unit: str) -> alt.Y:
    """A rate, from 0 to `top`."""
    return linear_y(field, [0, top], rate_title(unit))


def rate_title(unit: str) -> str:
    """The title of an axis of rates."""
    return f"{unit} (higher is better)"


def linear_y(
    field: str, domain: list[float], title: str, *, form: str = "~s", ticks: int = 5
) -> alt.Y:
    """A field on a linear axis over this domain; `form` is how d3 writes its numbers, and 0 is
    always "0"."""
    import altair as alt

    axis = alt.Axis(
        title=title,
        labelExpr=f"datum.value == 0 ? '0' : format(datum.value, '{form}')",
        tickCount=ticks,
        titlePadding=8,
    )
    return alt.Y(f"{field}:Q", scale=alt.Scale(domain=domain, nice=False), axis=axis)


def _curve(shown: LawPanel, top: float) -> list[alt.Chart]:
    """Band and curve, dashed where no measurement stands behind it."""
    x, y = _linear_x(shown), rate_axis("iops", top, shown.unit)
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
        .mark_area(color=colour, opacity=0.16, clip=True)
        .encode(x=x, y=rate_axis("low", top, shown.unit), y2="high:Q"),
        chart_of(inside).mark_line(color=colour, strokeWidth=1.8).encode(x=x, y=y),
        chart_of(beyond)
        .mark_line(color=colour, strokeWidth=1.8, strokeDash=[5, 4])
        .encode(x=x, y=y),
    ]


def _ideal(shown: LawPanel, rate: float, top: float) -> alt.Chart:
    ends = [{"x": at, "iops": rate * at} for at in (min(shown.counts), shown.edge)]
    mark: alt.Chart = (
        chart_of(ends)
        .mark_line(color=MUTED, strokeWidth=1.2, strokeDash=[1, 3], clip=True)
        .encode(x=_linear_x(shown), y=rate_axis("iops", top, shown.unit))
    )
    return mark


def _peak(shown: LawPanel) -> list[alt.Chart]:
    """A dashed line where the law has its peak, its interval behind."""
    import altair as alt

    peak = shown.fit.peak_at
    if peak is None:
        return []
    x = _linear_x(shown)
    marks = [
        chart_of([{"x": peak.value}])
        .mark_rule(color=INK, strokeDash=[4, 3], clip=True)
        .encode(x=x),
        _peak_text(peak.value, x, late=peak.value > 0.7 * shown.edge),
    ]
    if peak.low is not None and peak.high is not None:
        band = chart_of([{"x": peak.low, "to": min(peak.high, shown.edge)}])
        marks.insert(
            0,
            band.mark_rect(color=BAND, opacity=0.35, clip=True).encode(x=x, x2=alt.X2("to:Q")),
        )
    return marks


def _peak_text(peak: float, x: alt.X, *, late: bool) -> alt.Chart:
    """The peak's number beside its line, on the side that has room."""
    import altair as alt

    mark: alt.Chart = (
        chart_of([{"x": peak, "text": f"peak {peak:.2g}"}])
        .mark_text(align="right" if late else "left", dx=-5 if late else 5, fontSize=11, color=INK)
        .encode(x=x, y=alt.value(8), text="text:N")
    )
    return mark


def _linear_x(shown: LawPanel) -> alt.X:
    """The number, linear up to the edge."""
    import altair as alt

    low, high = min(shown.counts), max([*shown.counts, shown.edge])
    air = 0.05 * ((high - low) or 1)
    axis = alt.Axis(title=shown.of, values=_ticks(shown.counts), grid=False, format="d")
    return alt.X("x:Q", scale=alt.Scale(domain=[low - air, high + air], nice=False), axis=axis)


def _ticks(counts: Sequence[int]) -> list[int]:
    """The measured numbers whose labels have room; the smallest is one of them."""
    span = (max(counts) - min(counts)) or 1
    kept = [min(counts)]
    for count in sorted(counts)[1:]:
        if (count - kept[-1]) / span >= _FEWEST_SHARE:
            kept.append(count)
    return kept
