"""Rate against the number of writers: all systems together, and each by its scalability law.

`writers_chart`: one column a group; rate, share of the ideal and p99 latency over the same x.
`law_chart`: one panel a system and group, with blocks, the fitted law, its band, ideal and peak.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fsgauge.report import words
from fsgauge.report.charts import panels
from fsgauge.report.charts.rows import chart_of
from fsgauge.report.draw import Drawing, draw
from fsgauge.report.theme import BAND, INK, MUTED, system_colours, system_shapes
from fsgauge.stats.results import Results
from fsgauge.stats.scaling.model import Estimate, LimitPoint, Scaling, ScalingLine, ScalingPoint
from fsgauge.units import format_bandwidth

if TYPE_CHECKING:
    import altair as alt

AIR = 1.12
"""How far an axis of rates goes beyond the highest rate."""
BESIDE = 0.012
"""Systems at one number of writers stand this share of the axis apart."""
ALONE_PIXELS = 760
"""How wide a single column is."""
WITHOUT_DEVICE = {
    "memory_touched": "memory, every byte touched",
    "memory": "memory",
    "null": "nothing written",
}


@dataclass(frozen=True)
class Row:
    """What a panel has on its y axis: the field's estimate, its axis and its scale."""

    field: str
    title: str
    height: int
    divisor: float = 1.0
    log: bool = False


RATE = Row("iops", "IOPS (higher is better)", 240)
SHARE = Row("efficiency", "share of ideal", 110)
LATENCY = Row("p99_ns", "p99, µs (lower is better)", 110, 1e3, log=True)


def writers_chart(results: Results) -> Drawing | None:
    """All systems by number of writers; None for studies without, or before anything is known."""
    scaling = results.scaling
    if scaling is None or not any(point.iops for line in scaling.lines for point in line.points):
        return None
    rows = [row for line in scaling.lines for row in _points(results, scaling, line)]
    groups = list(dict.fromkeys(line.group for line in scaling.lines))
    label = "Operations per second, share of ideal and p99 latency by number of writers."

    def column(group: str, width: int) -> alt.TopLevelMixin:
        return _column(scaling, group, [row for row in rows if row["group"] == group], width)

    wide, narrow = panels.both(groups, column, 2)
    if len(groups) == 1:
        return draw(
            "writers",
            label,
            lambda: panels.specification(column(groups[0], ALONE_PIXELS)),
            narrow,
            rows,
        )
    return draw("writers", label, wide, narrow, rows)


def law_chart(results: Results) -> Drawing | None:
    """Each system with its scalability law; None when no system has enough writer counts."""
    scaling = results.scaling
    if scaling is None:
        return None
    shown = [line for line in scaling.lines if line.fit.state != "too few writer counts"]
    shown = [line for line in shown if any(point.iops for point in line.points)]
    if not shown:
        return None
    rows = [row for line in shown for row in _points(results, scaling, line)]
    label = "The Universal Scalability Law, fitted to each system's rates."

    def panel(line: ScalingLine, width: int) -> alt.TopLevelMixin:
        own = [row for row in rows if (row["system"], row["group"]) == (line.system, line.group)]
        return _law(scaling, line, own, width)

    return draw("law", label, *panels.both(shown, panel, 3), rows)


def _points(results: Results, scaling: Scaling, line: ScalingLine) -> list[dict[str, Any]]:
    """One row a measured number of writers; estimates as (value, low, high), shifted in `x`."""
    colours = system_colours(results.systems, results.baseline)
    shapes = system_shapes(results.systems, results.baseline)
    low, high = min(scaling.writer_counts), max(scaling.writer_counts)
    span = math.log(high / low) or 1.0
    middle = (len(results.systems) - 1) / 2
    shift = (results.systems.index(line.system) - middle) * BESIDE * span
    rows = []
    for point in line.points:
        if point.iops is None:
            continue
        row: dict[str, Any] = {
            "system": line.system,
            "group": line.group,
            "cell": point.cell,
            "writers": point.writers,
            "x": point.writers * math.exp(shift),
            "colour": colours[line.system],
            "shape": shapes[line.system],
            "blocks": [rate for _, rate in point.blocks],
            "tip": _tip(scaling, line, point),
        }
        for part in (RATE, SHARE, LATENCY):
            row |= _estimate(part, getattr(point, part.field))
        if point.writers == min(scaling.writer_counts):
            row |= dict.fromkeys(("efficiency", "efficiency_low", "efficiency_high"), 1.0)
        rows.append(row)
    return rows


def _estimate(part: Row, estimate: Estimate | None) -> dict[str, float | None]:
    if estimate is None:
        return dict.fromkeys((part.field, f"{part.field}_low", f"{part.field}_high"))
    low = estimate.value if estimate.low is None else estimate.low
    high = estimate.value if estimate.high is None else estimate.high
    return {
        part.field: estimate.value / part.divisor,
        f"{part.field}_low": low / part.divisor,
        f"{part.field}_high": high / part.divisor,
    }


def _tip(scaling: Scaling, line: ScalingLine, point: ScalingPoint) -> str:
    name = f"{line.system}, {line.group}" if line.group else line.system
    plural = "" if point.writers == 1 else "s"
    parts = [f"{name}, {point.writers} writer{plural}"]
    if point.iops is not None:
        bandwidth = format_bandwidth(point.iops.value * scaling.block_size_bytes)
        parts[0] += f": {words.estimate(point.iops, 'IOPS')}, {bandwidth}"
    if point.efficiency is not None:
        parts.append(f"{words.share(point.efficiency)} of ideal")
    if point.of_device is not None:
        parts.append(f"{words.share(point.of_device)} of {scaling.device}")
    if point.p99_ns is not None:
        parts.append(f"p99 {words.value(point.p99_ns.value, 'ns')}")
    return "; ".join(parts)


def _column(
    scaling: Scaling, group: str, rows: list[dict[str, Any]], width: int
) -> alt.TopLevelMixin:
    """One group: rate above, share of ideal and p99 below."""
    import altair as alt

    top = AIR * max(row["iops_high"] for row in rows)
    limits = [limit for limit in scaling.limits if limit.group == group]
    rate = alt.layer(
        *_limit_lines(limits, scaling.writer_counts, top),
        _block_dots(scaling, rows, top),
        *_marks(scaling, rows, RATE, [0, top], last=False),
        *_device_text(scaling, rows, top),
    ).properties(width=width, height=RATE.height, title=_title(group, limits, top, width))
    edges = [row[edge] for row in rows for edge in ("p99_ns_low", "p99_ns_high") if row[edge]]
    share_top = max([1.05, *(row["efficiency_high"] or 0 for row in rows)])
    share = alt.layer(
        _level(1.0, [0, share_top]), *_marks(scaling, rows, SHARE, [0, share_top], last=not edges)
    ).properties(width=width, height=SHARE.height)
    below: list[Any] = [share]
    if edges:
        domain = [min(edges) / 1.2, max(edges) * 1.2]
        latency = alt.layer(*_marks(scaling, rows, LATENCY, domain, last=True))
        below.append(latency.properties(width=width, height=LATENCY.height))
    return alt.vconcat(rate, *below, spacing=10)


def _title(group: str, limits: Sequence[LimitPoint], top: float, width: int) -> alt.TitleParams:
    """The group's name, and the rates without a device that lie above the picture's edge."""
    import altair as alt

    lines = []
    above = _above(limits, top)
    if above:
        most = max(limit.writers for limit in limits)
        lines.append(f"↑ without a device, {most} writers:")
        lines += [", ".join(above)] if width > panels.NARROW_PIXELS else above
    return alt.TitleParams(
        group,
        subtitle=lines,
        anchor="start",
        fontSize=12,
        subtitleFontSize=11,
        subtitleColor=MUTED,
        offset=6,
    )


def _above(limits: Sequence[LimitPoint], top: float) -> list[str]:
    if not limits:
        return []
    last = max(limits, key=lambda limit: limit.writers)
    return [
        f"{name} {words.value(getattr(last, kind), 'IOPS')}"
        for kind, name in WITHOUT_DEVICE.items()
        if getattr(last, kind) > top
    ]


def _limit_lines(
    limits: Sequence[LimitPoint], counts: Sequence[int], top: float
) -> list[alt.LayerChart | alt.Chart]:
    """The load without a device, where it is low enough to be in the picture."""
    rows = [
        {"x": limit.writers, "iops": getattr(limit, kind), "kind": name}
        for kind, name in WITHOUT_DEVICE.items()
        for limit in limits
        if max(getattr(each, kind) for each in limits) <= top
    ]
    if not rows:
        return []
    base = chart_of(rows).encode(x=_x(counts, None), y=_y(RATE, "iops", [0, top]))
    named = [
        next(row for row in rows if row["kind"] == kind and row["iops"] >= 0.95 * most)
        for kind, most in {
            row["kind"]: max(each["iops"] for each in rows if each["kind"] == row["kind"])
            for row in rows
        }.items()
    ]
    return [
        base.mark_line(color=MUTED, strokeDash=[2, 2], strokeWidth=1).encode(detail="kind:N"),
        chart_of(named)
        .mark_text(align="left", dy=-6, fontSize=11, color=MUTED)
        .encode(x=_x(counts, None), y=_y(RATE, "iops", [0, top]), text="kind:N"),
    ]


def _block_dots(scaling: Scaling, rows: list[dict[str, Any]], top: float) -> alt.Chart:
    import altair as alt

    dots = [
        {"x": row["x"], "iops": rate, "colour": row["colour"]}
        for row in rows
        for rate in row["blocks"]
    ]
    mark: alt.Chart = (
        chart_of(dots)
        .mark_circle(size=12, opacity=0.3, clip=True)
        .encode(
            x=_x(scaling.writer_counts, None),
            y=_y(RATE, "iops", [0, top]),
            color=alt.Color("colour:N", scale=None),
        )
    )
    return mark


def _marks(
    scaling: Scaling,
    rows: list[dict[str, Any]],
    part: Row,
    domain: list[float],
    *,
    last: bool,
) -> list[alt.Chart]:
    """Lines between means, intervals, and the means themselves; the device alone is dashed."""
    import altair as alt

    x = _x(scaling.writer_counts, "writers" if last else None)
    known = [row for row in rows if row[part.field] is not None]
    device = [row for row in known if row["system"] == scaling.device]
    others = [row for row in known if row["system"] != scaling.device]
    colour = alt.Color("colour:N", scale=None)
    base = chart_of(known)

    def line(of: list[dict[str, Any]], width: float, dash: list[int]) -> alt.Chart:
        encoded: alt.Chart = (
            chart_of(of)
            .mark_line(clip=True, strokeWidth=width, strokeDash=dash)
            .encode(x=x, y=_y(part, part.field, domain), color=colour, detail="system:N")
        )
        return encoded

    return [
        line(others, 1.2, [1, 0]),
        line(device, 1.6, [5, 3]),
        base.mark_rule(strokeWidth=1.6, clip=True).encode(
            x=x,
            y=_y(part, f"{part.field}_low", domain),
            y2=f"{part.field}_high:Q",
            color=colour,
            description="tip:N",
        ),
        base.mark_point(filled=True, size=44, opacity=1, clip=True).encode(
            x=x,
            y=_y(part, part.field, domain),
            color=colour,
            shape=alt.Shape("shape:N", scale=None),
            description="tip:N",
        ),
    ]


def _device_text(scaling: Scaling, rows: list[dict[str, Any]], top: float) -> list[alt.Chart]:
    device = [row for row in rows if row["system"] == scaling.device]
    if not device:
        return []
    last = {**device[-1], "text": "the device alone"}
    mark: alt.Chart = (
        chart_of([last])
        .mark_text(align="right", dy=-14, fontSize=11, color=INK)
        .encode(x=_x(scaling.writer_counts, None), y=_y(RATE, "iops", [0, top]), text="text:N")
    )
    return [mark]


def _level(value: float, domain: list[float]) -> alt.Chart:
    mark: alt.Chart = (
        chart_of([{"efficiency": value}])
        .mark_rule(color=INK, strokeDash=[1, 3])
        .encode(y=_y(SHARE, "efficiency", domain))
    )
    return mark


def _law(
    scaling: Scaling, line: ScalingLine, rows: list[dict[str, Any]], width: int
) -> alt.TopLevelMixin:
    """One system: blocks, means, the law with its band, ideal, device and peak."""
    import altair as alt

    own = [{**row, "x": row["writers"]} for row in rows]
    counts = scaling.writer_counts
    edge = max([*counts, *(at for at, _, _, _ in line.fit.curve)])
    device = _device_means(scaling, line.group)
    top = AIR * max(
        [row["iops_high"] for row in own]
        + [row["iops"] for row in device]
        + [value for _, value, _, _ in line.fit.curve]
    )
    layers: list[Any] = []
    if line.system != scaling.device and device:
        layers += _device_line(counts, device, edge, top)
    if line.fit.state == "fits":
        layers += _curve(line, own[0]["colour"], counts, edge, top)
        layers += _peak(line, counts, edge)
    layers.append(_law_points(own, counts, edge, top))
    base = chart_of(own)
    colour = alt.Color("colour:N", scale=None)
    layers += [
        base.mark_rule(strokeWidth=1.6).encode(
            x=_linear_x(counts, edge),
            y=_y(RATE, "iops_low", [0, top]),
            y2="iops_high:Q",
            color=colour,
        ),
        base.mark_point(filled=True, size=44, opacity=1).encode(
            x=_linear_x(counts, edge),
            y=_y(RATE, "iops", [0, top]),
            color=colour,
            shape=alt.Shape("shape:N", scale=None),
            description="tip:N",
        ),
    ]
    name = f"{line.system}, {line.group}" if line.group else line.system
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


def law_words(line: ScalingLine) -> str:
    """The law in a few words: "contention 0.04, coherency 0.002; peak at 14"."""
    fit = line.fit
    if fit.state != "fits" or fit.contention is None or fit.coherency is None:
        return fit.state
    text = f"contention {fit.contention.value:.2g}, coherency {fit.coherency.value:.2g}"
    if fit.peak_writers is None:
        return f"{text}; no peak within range"
    return f"{text}; peak at {fit.peak_writers.value:.3g}"


def _law_points(
    rows: list[dict[str, Any]], counts: Sequence[int], edge: float, top: float
) -> alt.Chart:
    import altair as alt

    dots = [
        {"x": row["x"], "iops": rate, "colour": row["colour"]}
        for row in rows
        for rate in row["blocks"]
    ]
    mark: alt.Chart = (
        chart_of(dots)
        .mark_circle(size=12, opacity=0.35, clip=True)
        .encode(
            x=_linear_x(counts, edge),
            y=_y(RATE, "iops", [0, top]),
            color=alt.Color("colour:N", scale=None),
        )
    )
    return mark


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
    x, y = _linear_x(counts, edge), _y(RATE, "iops", [0, top])
    return [chart_of(device).mark_line(color=MUTED, strokeWidth=1.2, opacity=0.7).encode(x=x, y=y)]


def _curve(
    line: ScalingLine, colour: str, counts: Sequence[int], edge: float, top: float
) -> list[alt.Chart]:
    """Band, curve (dashed where no measurement stands behind it) and the ideal."""
    x, y = _linear_x(counts, edge), _y(RATE, "iops", [0, top])
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
        .encode(x=x, y=_y(RATE, "low", [0, top]), y2="high:Q"),
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


def _x(counts: Sequence[int], title: str | None) -> alt.X:
    """The number of writers, log, with a tick where one was measured."""
    import altair as alt

    air = max(counts) ** 0.05 if len(counts) > 1 else 1.1
    scale = alt.Scale(type="log", domain=[min(counts) / air, max(counts) * air], nice=False)
    axis = alt.Axis(title=title, values=list(counts), grid=False, format="d", labels=bool(title))
    return alt.X("x:Q", scale=scale, axis=axis)


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


def _y(part: Row, field: str, domain: list[float]) -> alt.Y:
    import altair as alt

    if part.log:
        axis = alt.Axis(title=part.title, format="~s", values=_round_values(domain[0], domain[1]))
        return alt.Y(
            f"{field}:Q", scale=alt.Scale(type="log", domain=domain, nice=False), axis=axis
        )
    scale = alt.Scale(domain=domain, nice=False)
    count = 5 if part.height > 150 else 3
    form = ".0%" if part.field == "efficiency" else "~s"
    return alt.Y(
        f"{field}:Q", scale=scale, axis=alt.Axis(title=part.title, format=form, tickCount=count)
    )


def _round_values(low: float, high: float, most: int = 5) -> list[float]:
    """Round numbers on a log axis: 1, 2 and 5 times powers of ten, or powers alone."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for steps in ((1, 2, 5), (1, 3), (1,)):
        values = [step * 10.0**power for power in powers for step in steps]
        values = [value for value in values if low <= value <= high]
        if len(values) <= most:
            return values
    return values[:: math.ceil(len(values) / most)]
