"""Rate, share of the ideal and p99 latency against the number of writers, all systems together.

One column a group. The number of writers is on a log scale, since studies double it; what the load
does without a device is a line where it fits, else a number above the picture.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from fsgauge.kinds.writers.analysis.model import LimitPoint, Scaling
from fsgauge.kinds.writers.page.points import (
    LATENCY,
    RATE,
    SHARE,
    Part,
    points_of,
    y_of,
)
from fsgauge.report import words
from fsgauge.report.charts import panels
from fsgauge.report.charts.law import top_of
from fsgauge.report.charts.row_of_points import row_of_points
from fsgauge.report.charts.whiskers import Along, edges_of, whiskers
from fsgauge.report.draw import Drawing, chart_of, draw
from fsgauge.report.theme import INK, MUTED
from fsgauge.stats.results import Results

if TYPE_CHECKING:
    import altair as alt

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


def writers_chart(results: Results) -> Drawing | None:
    """All systems by number of writers; None for studies without, or before anything is known."""
    scaling = Scaling.of(results)
    if scaling is None or not any(point.iops for line in scaling.lines for point in line.points):
        return None
    systems = panels.drawn_systems(results)
    lines = [line for line in scaling.lines if line.system in systems]
    rows = [row for line in lines for row in points_of(results, scaling, line)]
    if not rows:
        return None
    groups = list(dict.fromkeys(line.group for line in scaling.lines))
    label = "Operations per second, share of ideal and p99 latency by number of writers."

    def column(group: str, width: int) -> alt.TopLevelMixin:
        own = [row for row in rows if row["group"] == group]
        if len(scaling.writer_counts) == 1:
            return _one_count(group, own, width)
        return _column(scaling, group, own, width)

    note = panels.left_out(results)

    wide, narrow = panels.both(groups, column, 2)
    if len(groups) == 1:
        return draw(
            "writers",
            label,
            lambda: panels.specification(column(groups[0], ALONE_PIXELS)),
            narrow,
            rows,
            note=note,
        )
    return draw("writers", label, wide, narrow, rows, note=note)


def _one_count(group: str, rows: list[dict[str, Any]], width: int) -> alt.TopLevelMixin:
    """One number of writers: rate and p99 of each system, a line each."""
    import altair as alt

    drawn: list[Any] = []
    for part in (RATE, LATENCY):
        blocks: dict[str, Any] = {"blocks": []} if part is LATENCY else {}
        known = [{**row, **blocks} for row in rows if row[part.field] is not None]
        if not known:
            continue
        fields = (part.field, f"{part.field}_low", f"{part.field}_high")
        values = [*(row[part.field] for row in known), *edges_of(known, *fields[1:])]
        limits = (0.0, LATENCY_AIR * max(values))
        along = Along("x", limits, _of_part(part, limits), log=False)
        drawn.append(row_of_points(known, fields, along, width, group if not drawn else ""))
    return alt.vconcat(*drawn, spacing=8)


def _of_part(part: Part, limits: tuple[float, float]) -> Callable[[str], alt.X]:
    import altair as alt

    scale = alt.Scale(domain=list(limits), nice=False)
    axis = alt.Axis(title=part.title, format="~s", tickCount=5)
    return lambda field: alt.X(f"{field}:Q", scale=scale, axis=axis)


def _column(
    scaling: Scaling, group: str, rows: list[dict[str, Any]], width: int
) -> alt.TopLevelMixin:
    """One group: rate above, share of ideal and p99 below."""
    import altair as alt

    top = top_of(rows)
    limits = [limit for limit in scaling.limits if limit.group == group]
    rate = alt.layer(
        *_limit_lines(limits, scaling.writer_counts, top),
        panels.dots(
            rows, "x", "iops", _x(scaling.writer_counts, None), y_of(RATE, "iops", [0, top])
        ),
        *_marks(scaling, rows, RATE, [0, top], last=False),
        *_device_text(scaling, rows, top),
    ).properties(width=width, height=RATE.height, title=_title(group, limits, top, width))
    edges = [row["p99_ns"] for row in rows if row["p99_ns"]]
    share_top = max([SHARE_TOP, *(1.05 * (row["efficiency"] or 0) for row in rows)])
    share = alt.layer(
        _level(1.0, [0, share_top]), *_marks(scaling, rows, SHARE, [0, share_top], last=not edges)
    ).properties(width=width, height=SHARE.height)
    below: list[Any] = [share]
    if edges:
        domain = [min(edges) / LATENCY_AIR, max(edges) * LATENCY_AIR]
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
    if not group:  # without a title a subtitle is not drawn
        return alt.TitleParams(
            lines, anchor="start", fontSize=11, fontWeight="normal", color=MUTED, offset=6
        )
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
    base = chart_of(rows).encode(x=_x(counts, None), y=y_of(RATE, "iops", [0, top]))
    named = _named_together([row for row in rows if row["x"] == min(counts)], top)
    return [
        base.mark_line(color=MUTED, strokeDash=[2, 2], strokeWidth=1).encode(detail="kind:N"),
        chart_of(named)
        .mark_text(align="left", dy=-6, fontSize=11, color=MUTED)
        .encode(x=_x(counts, None), y=y_of(RATE, "iops", [0, top]), text="kind:N"),
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


def _marks(
    scaling: Scaling,
    rows: list[dict[str, Any]],
    part: Part,
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
    colour = panels.colour()
    fields = (part.field, f"{part.field}_low", f"{part.field}_high")
    along = Along(
        "y", (domain[0], domain[1]), lambda field: y_of(part, field, domain), log=part.log
    )

    def line(of: list[dict[str, Any]], width: float, dash: list[int] | None) -> alt.Chart:
        encoded: alt.Chart = (
            chart_of(of)
            .mark_line(clip=True, strokeWidth=width)
            .encode(
                x=x,
                y=y_of(part, part.field, domain),
                color=colour,
                detail="system:N",
                strokeDash=alt.value(dash) if dash else panels.dash(),
            )
        )
        return encoded

    return [
        line(others, 1.2, None),
        line(device, 1.6, [5, 3]),
        *whiskers(known, fields, along, width=1.6, x=x),
        panels.points(chart_of(known), 44, clip=True, x=x, y=y_of(part, part.field, domain)),
    ]


def _device_text(scaling: Scaling, rows: list[dict[str, Any]], top: float) -> list[alt.Chart]:
    device = [row for row in rows if row["system"] == scaling.device]
    if not device:
        return []
    last = {**device[-1], "text": "the device alone"}
    mark: alt.Chart = (
        chart_of([last])
        .mark_text(align="right", dy=-14, fontSize=11, color=INK)
        .encode(x=_x(scaling.writer_counts, None), y=y_of(RATE, "iops", [0, top]), text="text:N")
    )
    return [mark]


def _level(value: float, domain: list[float]) -> alt.Chart:
    mark: alt.Chart = (
        chart_of([{"efficiency": value}])
        .mark_rule(color=INK, strokeDash=[1, 3])
        .encode(y=y_of(SHARE, "efficiency", domain))
    )
    return mark


def _x(counts: Sequence[int], title: str | None) -> alt.X:
    """The number of writers, log, with a tick where one was measured."""
    import altair as alt

    air = max(counts) ** 0.05 if len(counts) > 1 else 1.1
    scale = alt.Scale(type="log", domain=[min(counts) / air, max(counts) * air], nice=False)
    axis = alt.Axis(title=title, values=list(counts), grid=False, format="d", labels=bool(title))
    return alt.X("x:Q", scale=scale, axis=axis)
