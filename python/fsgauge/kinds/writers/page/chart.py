"""The pictures of scaling against the number of writers: all systems together, and each by its law.

Rate, share of the ideal and p99 latency have one column a group, with the number of writers on a
log scale, since studies double it; what the load does without a device is a line where it fits,
else a number above the picture. The law has one panel a system and group, each on its own scale:
blocks, means, curve with band, ideal, device and peak. An interval that says nothing
(`words.is_known`) has no ends; no interval stretches an axis.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from fsgauge.kinds.writers.analysis.model import LimitPoint, Scaling, ScalingLine, ScalingPoint
from fsgauge.kinds.writers.factors import WritersFactors
from fsgauge.report import vega, words
from fsgauge.report.charts import axes, marks, panels
from fsgauge.report.charts.axes import Along
from fsgauge.report.charts.law import LawPanel, law_panel
from fsgauge.report.draw import Drawing, chart_of, draw
from fsgauge.report.theme import INK, MUTED
from fsgauge.stats.estimate import Estimate
from fsgauge.stats.results import Results
from fsgauge.units import count, format_bandwidth

SHARE_TOP = 1.2
LATENCY_AIR = 1.5
ALONE_PIXELS = 760
"""How wide a single column is."""
LABEL_PIXELS = 15
WITHOUT_DEVICE = {
    "memory_touched": "memory, every byte touched",
    "memory": "memory",
    "null": "nothing written",
}
BESIDE = 0.012
"""Systems at one number of writers stand this share of the axis apart."""


@dataclass(frozen=True)
class Part:
    """What a panel has on its y axis: the field's estimate, its axis and its scale."""

    field: str
    title: str
    height: int
    divisor: float = 1.0
    log: bool = False
    form: str = "~s"
    ticks: int = 3

    @property
    def fields(self) -> tuple[str, str, str]:
        return self.field, f"{self.field}_low", f"{self.field}_high"

    def along(self, limits: tuple[float, float]) -> Along:
        if not self.log:
            return axes.rates(limits, self.title, form=self.form, ticks=self.ticks)
        ticks = axes.round_values(*limits)
        return axes.along(
            "y", limits, title=self.title, format=self.form, values=ticks, titlePadding=8
        )


RATE = Part("iops", axes.rate_title("IOPS"), 240, ticks=5)
SHARE = Part("efficiency", "share of ideal", 110, form=".0%")
LATENCY = Part("p99_ns", "p99, us", 110, 1e3, log=True)


def writers_chart(results: Results) -> Drawing | None:
    scaling = Scaling.within(results)
    systems = panels.drawn_systems(results)
    lines = [line for line in scaling.lines if line.system in systems]
    rows = [row for line in lines for row in points_of(results, scaling, line)]
    if not rows:
        return None
    groups = list(dict.fromkeys(line.group for line in scaling.lines))
    label = "Operations per second, share of ideal and p99 latency by number of writers."

    def column(group: str, width: int) -> vega.Chart:
        own = [row for row in rows if row["group"] == group]
        if len(scaling.writer_counts) == 1:
            return _one_count(group, own, width)
        return _column(scaling, group, own, width)

    wide, narrow = panels.both(groups, column, 2)
    if len(groups) == 1:

        def wide() -> dict[str, Any]:
            return column(groups[0], ALONE_PIXELS).specification

    return draw("writers", label, wide, narrow, rows, note=panels.left_out(results))


def _one_count(group: str, rows: list[dict[str, Any]], width: int) -> vega.Chart:
    drawn: list[Any] = []
    for part in (_rate_in(rows), LATENCY):
        blocks: dict[str, Any] = {"blocks": []} if part is LATENCY else {}
        known = [{**row, **blocks} for row in rows if row[part.field] is not None]
        if not known:
            continue
        values = [row[part.field] for row in known]
        top = LATENCY_AIR * max([*values, *marks.edges_of(known, *part.fields[1:])])
        look: dict[str, Any] = {"title": part.title, "format": "~s", "tickCount": 5}
        along = axes.along("x", (0.0, top), log=False, **look)
        name = "" if drawn else group
        drawn.append(marks.row_of_points(known, part.fields, along, width, name))
    return vega.vconcat(*drawn, spacing=8)


def _column(scaling: Scaling, group: str, rows: list[dict[str, Any]], width: int) -> vega.Chart:
    counts = scaling.writer_counts
    top = axes.rates_top(rows, "iops")
    limits = [limit for limit in scaling.limits if limit.group == group]
    rates = _rate_in(rows)
    along = rates.along((0, top))
    x, y = _x(counts, None), along.channel("iops")
    rate = vega.layer(
        *_limit_lines(limits, counts, top, x, y),
        marks.dots(rows, "iops", "x", {"x": x, "y": y}),
        *_measured(scaling, rows, rates, along, x),
        *_device_text(scaling, rows, x, y),
    ).properties(width=width, height=RATE.height, title=_title(group, limits, top, width))
    edges = [row["p99_ns"] for row in rows if row["p99_ns"]]
    share_top = max([SHARE_TOP, *(1.05 * (row["efficiency"] or 0) for row in rows)])
    along, last = SHARE.along((0, share_top)), _x(counts, "writers")
    share = vega.layer(
        marks.level(1.0, along, strokeDash=[1, 3]),
        *_measured(scaling, rows, SHARE, along, x if edges else last),
    ).properties(width=width, height=SHARE.height)
    below: list[Any] = [share]
    if edges:
        along = LATENCY.along((min(edges) / LATENCY_AIR, max(edges) * LATENCY_AIR))
        latency = vega.layer(*_measured(scaling, rows, LATENCY, along, last))
        below.append(latency.properties(width=width, height=LATENCY.height))
    return vega.vconcat(rate, *below, spacing=10)


def _rate_in(rows: list[dict[str, Any]]) -> Part:
    """In the unit of a column's rows; a group has one."""
    return replace(RATE, title=axes.rate_title(rows[0]["unit"])) if rows else RATE


def _title(group: str, limits: Sequence[LimitPoint], top: float, width: int) -> dict[str, Any]:
    """The group's name, and the rates without a device that lie above the picture's edge."""
    lines = []
    above = _above(limits, top)
    if above:
        most = max(limit.writers for limit in limits)
        lines.append(f"↑ without a device, {most} writers:")
        lines += [", ".join(above)] if width > panels.NARROW_PIXELS else above
    return panels.subtitled(group, lines)


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
    limits: Sequence[LimitPoint],
    counts: Sequence[int],
    top: float,
    x: vega.Channel,
    y: vega.Channel,
) -> list[vega.Chart]:
    """The load without a device, where it is low enough to be in the picture."""
    rows = [
        {"x": limit.writers, "iops": getattr(limit, kind), "kind": name}
        for kind, name in WITHOUT_DEVICE.items()
        for limit in limits
        if max(getattr(each, kind) for each in limits) <= top
    ]
    if not rows:
        return []
    named = _named_together([row for row in rows if row["x"] == min(counts)], top)
    lines = chart_of(rows).mark("line", color=MUTED, strokeDash=[2, 2], strokeWidth=1)
    texts = chart_of(named).mark("text", align="left", dy=-6, fontSize=11, color=MUTED)
    return [
        lines.encode(x=x, y=y, detail=vega.field("kind:N")),
        texts.encode(x=x, y=y, text=vega.field("kind:N")),
    ]


def _named_together(firsts: list[dict[str, Any]], top: float) -> list[dict[str, Any]]:
    """One label a line, at its start; lines too near for two labels share one."""
    named: list[dict[str, Any]] = []
    for row in sorted(firsts, key=lambda row: -row["iops"]):
        if named and named[-1]["iops"] - row["iops"] < top * LABEL_PIXELS / RATE.height:
            named[-1]["kind"] += f"; {row['kind']}"
        else:
            named.append(dict(row))
    return named


def _measured(
    scaling: Scaling, rows: list[dict[str, Any]], part: Part, along: Along, x: vega.Channel
) -> list[vega.Chart]:
    """Lines between means, intervals, and the means themselves; the device alone is dashed."""
    known = [row for row in rows if row[part.field] is not None]
    device = [row for row in known if row["system"] == scaling.device]
    others = [row for row in known if row["system"] != scaling.device]
    places = {"x": x, "y": along.channel(part.field)}
    return [
        marks.joining(others, places, clip=True, strokeWidth=1.2),
        marks.joining(device, places, clip=True, strokeWidth=1.6, strokeDash=[5, 3]),
        *marks.measured(known, part.fields, along, 44, width=1.6, clip=True, x=x),
    ]


def _device_text(
    scaling: Scaling, rows: list[dict[str, Any]], x: vega.Channel, y: vega.Channel
) -> list[vega.Chart]:
    device = [row for row in rows if row["system"] == scaling.device]
    if not device:
        return []
    last = chart_of([{**device[-1], "text": "the device alone"}])
    mark = last.mark("text", align="right", dy=-14, fontSize=11, color=INK)
    return [mark.encode(x=x, y=y, text=vega.field("text:N"))]


def _x(counts: Sequence[int], title: str | None) -> vega.Channel:
    """The number of writers, log, with a tick where one was measured."""
    air = max(counts) ** 0.05 if len(counts) > 1 else 1.1
    limits = (min(counts) / air, max(counts) * air)
    look: dict[str, Any] = {"title": title, "format": "d", "labels": bool(title)}
    return axes.along("x", limits, values=list(counts), grid=False, **look).channel("x")


def law_chart(results: Results) -> Drawing | None:
    scaling = Scaling.within(results)
    systems = panels.drawn_systems(results)
    tried = [line for line in scaling.lines if line.fit.was_tried and line.system in systems]
    found = [(line, points_of(results, scaling, line)) for line in tried]
    shown = [(line, rows) for line, rows in found if rows]
    if not shown:
        return None
    label = "The Universal Scalability Law, fitted to each system's rates."

    def panel(each: tuple[ScalingLine, list[dict[str, Any]]], width: int) -> vega.Chart:
        return law_panel(_law(scaling, *each), width)

    rows = [row for _, each in shown for row in each]
    return draw("law", label, *panels.both(shown, panel, 3), rows, note=panels.left_out(results))


def _law(scaling: Scaling, line: ScalingLine, rows: list[dict[str, Any]]) -> LawPanel:
    """One system, with the device's own rates behind where that is another one."""
    counts = scaling.writer_counts
    label, rate = rows[0]["label"], line.fit.rate
    return LawPanel(
        rows=[{**row, "x": row["writers"]} for row in rows],
        fit=line.fit,
        counts=counts,
        of="writers",
        edge=max([*counts, *(each[0] for other in scaling.lines for each in other.fit.curve)]),
        title=f"{label}, {line.group}" if line.group else label,
        subtitle=line.fit.words,
        ideal=rate.value if rate is not None and line.fit.state == "fits" else None,
        device=_device_means(scaling, line.group) if line.system != scaling.device else (),
        unit=rows[0]["unit"],
    )


def _device_means(scaling: Scaling, group: str) -> list[dict[str, float]]:
    return [
        {"x": point.writers, "iops": point.iops.value}
        for line in scaling.lines
        if (line.system, line.group) == (scaling.device, group)
        for point in line.points
        if point.iops is not None
    ]


def points_of(results: Results, scaling: Scaling, line: ScalingLine) -> list[dict[str, Any]]:
    """One row a measured number of writers; `x` is shifted, so that systems stand side by side.
    Each estimate is three fields: NAME, NAME_low and NAME_high, None where it is not known."""
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
            "blocks": [rate for _, rate in point.blocks],
            "unit": unit_of(results, line),
            "tip": _tip(results, scaling, line, point),
        }
        for part in (RATE, SHARE, LATENCY):
            number = getattr(point, part.field)
            number = scaling.together(number) if part is SHARE else number
            row[part.field] = None if number is None else number.value / part.divisor
            row |= marks.ends(number, f"{part.field}_", part.divisor)
        if point.writers == low:
            row |= dict.fromkeys(SHARE.fields, 1.0)
        rows.append(row)
    return panels.styled(results, rows)


def unit_of(results: Results, line: ScalingLine) -> str:
    """What its rates are in: commits, where every write is made durable before the next."""
    return next((results.unit_in(point.cell, "IOPS") for point in line.points), "IOPS")


def of_device(
    results: Results, scaling: Scaling, line: ScalingLine, point: ScalingPoint
) -> Estimate | None:
    """The rate as a share of the device's, with the interval that the page has everywhere else.
    Where the device is the baseline it is that of the verdict, corrected for all comparisons."""
    judged = results.comparison(point.cell, line.system, "iops")
    if scaling.device != results.baseline or judged is None:
        return point.of_device
    return Estimate(value=judged.ratio, low=judged.low, high=judged.high, n=judged.n)


def _tip(results: Results, scaling: Scaling, line: ScalingLine, point: ScalingPoint) -> str:
    name = f"{line.system}, {line.group}" if line.group else line.system
    parts = [f"{name}, {count(point.writers, 'writer')}"]
    if point.iops is not None:
        bandwidth = format_bandwidth(
            point.iops.value * WritersFactors.of(results.cell(point.cell)).block_size_bytes
        )
        rate = words.estimate(point.iops, unit_of(results, line))
        parts[0] += f": {rate}, {bandwidth}"
    share = scaling.together(point.efficiency)
    if share is not None:
        parts.append(f"{words.share(share)} of ideal")
    if (share := of_device(results, scaling, line, point)) is not None:
        parts.append(f"{words.share(share)} of the device")
    if point.p99_ns is not None:
        parts.append(f"p99 {words.value(point.p99_ns.value, 'ns')}")
    return "; ".join(parts)
