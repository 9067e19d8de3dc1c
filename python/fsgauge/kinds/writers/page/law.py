"""Each system by its scalability law: blocks, means, curve with band, ideal, device and peak.

One panel a system and group, each on its own scale; the number of writers is linear, so that the
ideal is a straight line.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from fsgauge.kinds.writers.analysis.model import Scaling, ScalingLine
from fsgauge.kinds.writers.page.points import AIR, RATE, points_of, top_of_rates, y_of
from fsgauge.report.charts import panels
from fsgauge.report.charts.whiskers import Along, whiskers
from fsgauge.report.draw import Drawing, chart_of, draw
from fsgauge.report.labels import shortened
from fsgauge.report.theme import BAND, INK, MUTED
from fsgauge.stats.results import Results

if TYPE_CHECKING:
    import altair as alt


def law_chart(results: Results) -> Drawing | None:
    """Each system with its scalability law; None when no system has enough writer counts."""
    scaling = Scaling.of(results)
    if scaling is None:
        return None
    systems = panels.drawn_systems(results)
    shown = [line for line in scaling.lines if was_tried(line) and line.system in systems]
    shown = [line for line in shown if any(point.iops for point in line.points)]
    if not shown:
        return None
    rows = [row for line in shown for row in points_of(results, scaling, line)]
    label = "The Universal Scalability Law, fitted to each system's rates."

    def panel(line: ScalingLine, width: int) -> alt.TopLevelMixin:
        own = [row for row in rows if (row["system"], row["group"]) == (line.system, line.group)]
        return _law(scaling, line, own, width)

    return draw("law", label, *panels.both(shown, panel, 3), rows, note=panels.left_out(results))


def _law(
    scaling: Scaling, line: ScalingLine, rows: list[dict[str, Any]], width: int
) -> alt.TopLevelMixin:
    """One system: blocks, means, the law with its band, ideal, device and peak."""
    import altair as alt

    own = [{**row, "x": row["writers"]} for row in rows]
    counts = scaling.writer_counts
    edge = max([*counts, *(each[0] for other in scaling.lines for each in other.fit.curve)])
    device = _device_means(scaling, line.group)
    top = max([top_of_rates(own), *(AIR * value for _, value, _, _ in line.fit.curve)])
    layers: list[Any] = []
    if line.system != scaling.device and device:
        layers += _device_line(counts, device, edge, top)
    if line.fit.state == "fits":
        layers += _curve(line, own[0]["colour"], counts, edge, top)
        layers += _peak(line, counts, edge)
    x, y = _linear_x(counts, edge), y_of(RATE, "iops", [0, top])
    layers.append(panels.dots(own, "x", "iops", x, y, opacity=0.35))
    along = Along("y", (0.0, top), lambda field: y_of(RATE, field, [0, top]), log=False)
    layers += [
        *whiskers(own, ("iops", "iops_low", "iops_high"), along, width=1.6, x=x),
        panels.points(chart_of(own), 44, x=x, y=y),
    ]
    label = own[0]["label"]
    name = shortened(f"{label}, {line.group}" if line.group else label, int(width / 7.4))
    title = alt.TitleParams(
        name,
        subtitle=[law_words(line)],
        anchor="start",
        fontSize=12,
        subtitleFontSize=11,
        subtitleColor=MUTED,
        offset=6,
    )
    return alt.layer(*layers).properties(width=width, height=190, title=title)


def was_tried(line: ScalingLine) -> bool:
    """Whether there was enough to test the law on."""
    return not line.fit.state.startswith("too few")


def law_words(line: ScalingLine) -> str:
    """The law in a few words: "contention 0.04, coherency 0.002; peak at 14"."""
    fit = line.fit
    if fit.state != "fits" or fit.contention is None or fit.coherency is None:
        return fit.state
    text = f"contention {fit.contention.value:.2g}, coherency {fit.coherency.value:.2g}"
    if fit.peak_writers is None:
        return f"{text}; no peak within range"
    return f"{text}; peak at {fit.peak_writers.value:.3g}"


def _device_means(scaling: Scaling, group: str) -> list[dict[str, float]]:
    return [
        {"x": point.writers, "iops": point.iops.value}
        for line in scaling.lines
        if (line.system, line.group) == (scaling.device, group)
        for point in line.points
        if point.iops is not None
    ]


def _device_line(
    counts: Sequence[int], device: list[dict[str, float]], edge: float, top: float
) -> list[alt.Chart]:
    x, y = _linear_x(counts, edge), y_of(RATE, "iops", [0, top])
    return [
        chart_of(device)
        .mark_line(color=MUTED, strokeWidth=1.2, opacity=0.7, clip=True)
        .encode(x=x, y=y)
    ]


def _curve(
    line: ScalingLine, colour: str, counts: Sequence[int], edge: float, top: float
) -> list[alt.Chart]:
    """Band, curve (dashed where no measurement stands behind it) and the ideal."""
    x, y = _linear_x(counts, edge), y_of(RATE, "iops", [0, top])
    drawn = [
        {"x": at, "iops": value, "low": low, "high": high}
        for at, value, low, high in line.fit.curve
    ]
    measured = [point.writers for point in line.points if point.iops is not None]
    inside = [row for row in drawn if min(measured) <= row["x"] <= max(measured)]
    beyond = [row for row in drawn if row["x"] >= max(measured)]
    marks = [
        chart_of(drawn)
        .mark_area(color=colour, opacity=0.16, clip=True)
        .encode(x=x, y=y_of(RATE, "low", [0, top]), y2="high:Q"),
        chart_of(inside).mark_line(color=colour, strokeWidth=1.8).encode(x=x, y=y),
        chart_of(beyond)
        .mark_line(color=colour, strokeWidth=1.8, strokeDash=[5, 4])
        .encode(x=x, y=y),
    ]
    if line.fit.rate is not None:
        rate = line.fit.rate.value
        ideal = chart_of([{"x": at, "iops": rate * at} for at in (min(counts), edge)])
        marks.append(
            ideal.mark_line(color=MUTED, strokeWidth=1.2, strokeDash=[1, 3], clip=True).encode(
                x=x, y=y
            )
        )
    return marks


def _peak(line: ScalingLine, counts: Sequence[int], edge: float) -> list[alt.Chart]:
    """A dashed line where the law has its peak, its interval behind."""
    import altair as alt

    peak = line.fit.peak_writers
    if peak is None:
        return []
    x = _linear_x(counts, edge)
    marks = [
        chart_of([{"x": peak.value}])
        .mark_rule(color=INK, strokeDash=[4, 3], clip=True)
        .encode(x=x),
        _peak_text(peak.value, x, late=peak.value > 0.7 * edge),
    ]
    if peak.low is not None and peak.high is not None:
        band = chart_of([{"x": peak.low, "to": min(peak.high, edge)}])
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


def _linear_x(counts: Sequence[int], edge: float) -> alt.X:
    """The number of writers, linear up to `edge`: there the ideal is a straight line."""
    import altair as alt

    low, high = min(counts), max([*counts, edge])
    air = 0.05 * ((high - low) or 1)
    axis = alt.Axis(title="writers", values=_ticks(counts), grid=False, format="d")
    return alt.X("x:Q", scale=alt.Scale(domain=[low - air, high + air], nice=False), axis=axis)


def _ticks(counts: Sequence[int]) -> list[int]:
    """The measured numbers whose labels have room; the smallest is one of them."""
    span = (max(counts) - min(counts)) or 1
    kept = [min(counts)]
    for count in sorted(counts)[1:]:
        if (count - kept[-1]) / span >= 0.075:
            kept.append(count)
    return kept
