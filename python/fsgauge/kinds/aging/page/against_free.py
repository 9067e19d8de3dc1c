"""Rates of an aged file system against the share of its space that is free.

Three drawings: what is kept of the clean rate (the first picture), the rates themselves, and what
a modelled disk would keep. One panel a side, one line a system between measured levels.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fsgauge.kinds.aging.analysis.model import Aging, AgingLayout, AgingLine, AgingPoint, Side
from fsgauge.report import words
from fsgauge.report.charts import panels
from fsgauge.report.charts.panels import ratio_domain, ratio_ticks
from fsgauge.report.charts.row_of_points import row_of_points
from fsgauge.report.charts.whiskers import Along, whiskers
from fsgauge.report.draw import Drawing, chart_of, draw
from fsgauge.report.theme import BAND, INK, MUTED
from fsgauge.stats.estimate import Estimate
from fsgauge.stats.results import Results

if TYPE_CHECKING:
    import altair as alt

SIDES: dict[Side, str] = {"write": "writing", "read": "reading"}
FIRST_SCREEN_PIXELS = 790
"""Room for the first picture beside the box of what makes it sure."""
CLEAN_AT = -9.0
"""Where the clean rate is drawn, left of what is free."""
JITTER = 0.3
LEAST_PREDICTED = 0.9
MEBIBYTE = 1 << 20


@dataclass(frozen=True)
class _Panel:
    """Points of one side; `limits` are of y, `noise` the band of A/A around 1."""

    name: str
    title: str
    rows: list[dict[str, Any]]
    limits: tuple[float, float]
    relative: bool
    height: int
    noise: tuple[float, float] | None = None
    dashed: bool = False


def kept_chart(results: Results) -> Drawing | None:
    """What is kept of the clean rate; None for other studies, and before anything is known."""
    aging = Aging.of(results)
    if aging is None:
        return None
    found = []
    for side, name in SIDES.items():
        rows = _styled(results, [r for line in _lines(aging, side) for r in _relative(line)])
        if rows:
            found.append((side, name, rows))
    if not found:
        return None
    limits = ratio_domain([edge for _, _, rows in found for edge in _edges(rows)])
    shown = [
        _Panel(name, "of the clean rate", rows, limits, True, 250, _band(aging, side))
        for side, name, rows in found
    ]
    label = "Write and read rates against free space, as shares of each system's clean rate."
    return _drawn(results, "kept", label, shown, FIRST_SCREEN_PIXELS)


def rates_chart(results: Results) -> Drawing | None:
    """Rates in MiB/s, the clean ones at the left."""
    aging = Aging.of(results)
    if aging is None or not aging.lines:
        return None
    shown = []
    for side, name in SIDES.items():
        rows = _styled(results, [row for line in _lines(aging, side) for row in _absolute(line)])
        if rows:
            shown.append(_Panel(name, "MiB/s", rows, _limits(rows), False, 220))
    return _drawn(results, "rates", "Write and read rates against free space, in MiB/s.", shown)


def predicted_chart(results: Results) -> Drawing | None:
    """What the modelled disk would do with the same layouts; None without layouts."""
    aging = Aging.of(results)
    layouts = [each for each in aging.layouts if each.predicted] if aging else []
    relative = _styled(results, [_prediction(each) for each in layouts if each.predicted_relative])
    if not relative:
        return None
    absolute = _styled(results, [_predicted_rate(each) for each in layouts])
    edges = [row["y"] for row in relative]
    shown = [
        _Panel(
            "predicted, of the predicted clean rate",
            "of the clean rate",
            relative,
            ratio_domain([*edges, LEAST_PREDICTED]),
            True,
            220,
            dashed=True,
        ),
        _Panel(
            "predicted rate of the disk",
            "MiB/s",
            absolute,
            _limits(absolute),
            False,
            220,
            dashed=True,
        ),
    ]
    label = "Rates that a disk with heads is predicted to have with the same layouts."
    return _drawn(results, "predicted", label, shown)


def _drawn(
    results: Results,
    name: str,
    label: str,
    shown: Sequence[_Panel],
    pixels: int = panels.WIDE_PIXELS,
) -> Drawing:
    rows = [row for panel in shown for row in panel.rows]
    wide, narrow = panels.both(list(shown), _panel, 2, pixels)
    return draw(name, label, wide, narrow, rows, note=panels.left_out(results))


def _lines(aging: Aging, side: Side) -> list[AgingLine]:
    return [line for line in aging.lines if line.side == side]


def _styled(results: Results, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    middle = (len(results.systems) - 1) / 2
    shifts = {name: JITTER * (at - middle) for at, name in enumerate(results.systems)}
    systems = panels.drawn_systems(results)
    drawn = panels.styled(results, [row for row in rows if row["system"] in systems])
    return [{**row, "x": row["x"] + shifts[row["system"]]} for row in drawn]


def _limits(rows: Sequence[dict[str, Any]]) -> tuple[float, float]:
    values = _edges(rows)
    return min(values) / 1.1, max(values) * 1.1


def _edges(rows: Sequence[dict[str, Any]]) -> list[float]:
    """Everything that has to be in the picture: intervals and single blocks."""
    edges = [edge for row in rows for edge in (row["y"], row["low"], row["high"], *row["blocks"])]
    return [edge for edge in edges if edge is not None]


def _band(aging: Aging, side: Side) -> tuple[float, float] | None:
    noise = aging.noise.get(side)
    if noise is None or noise.low is None or noise.high is None:
        return None
    return (noise.low, noise.high) if words.is_known(noise.low, noise.high, noise.n) else None


def _relative(line: AgingLine) -> list[dict[str, Any]]:
    return [
        _row(line, point, point.relative, [value for _, value in point.relative_blocks])
        for point in line.points
        if point.relative is not None
    ]


def _absolute(line: AgingLine) -> list[dict[str, Any]]:
    return [
        _row(line, point, _in_mebibytes(point.rate), [rate / MEBIBYTE for _, rate in point.blocks])
        for point in line.points
    ]


def _in_mebibytes(rate: Estimate) -> Estimate:
    low, high = (None if edge is None else edge / MEBIBYTE for edge in (rate.low, rate.high))
    return Estimate(value=rate.value / MEBIBYTE, low=low, high=high, n=rate.n)


def _row(
    line: AgingLine, point: AgingPoint, number: Estimate, blocks: list[float]
) -> dict[str, Any]:
    known = words.is_known(number.low, number.high, number.n)
    return {
        "side": line.side,
        **_place(line.system, point.free_percent),
        "y": number.value,
        "low": number.low if known else None,
        "high": number.high if known else None,
        "decided": point.verdict == "worse" or point.free_percent is None,
        "blocks": blocks,
        "tip": _tip(line, point),
    }


def _place(system: str, free_percent: int | None) -> dict[str, Any]:
    clean = free_percent is None
    return {
        "system": system,
        "free_percent": free_percent,
        "x": CLEAN_AT if clean else float(free_percent or 0),
        "part": "clean" if clean else "aged",
    }


def _tip(line: AgingLine, point: AgingPoint) -> str:
    where = "clean" if point.free_percent is None else f"{point.free_percent} % free"
    rate = words.estimate(point.rate, "B/s")
    kept = ""
    if point.relative is not None:
        kept = f", {words.share(point.relative)} of its clean rate, {point.verdict or 'undecided'}"
    return f"{line.system}, {SIDES[line.side]}, {where}: {rate}{kept}"


def _prediction(layout: AgingLayout) -> dict[str, Any]:
    relative = layout.predicted_relative
    value = relative.value if relative is not None else 1.0
    return {**_predicted_place(layout), "y": value, "low": value, "high": value}


def _predicted_rate(layout: AgingLayout) -> dict[str, Any]:
    rate = (layout.predicted.value if layout.predicted is not None else 0.0) / MEBIBYTE
    return {**_predicted_place(layout), "y": rate, "low": rate, "high": rate}


def _predicted_place(layout: AgingLayout) -> dict[str, Any]:
    where = "clean" if layout.free_percent is None else f"{layout.free_percent} % free"
    rate = words.estimate(layout.predicted, "B/s") if layout.predicted is not None else ""
    kept = ""
    if layout.predicted_relative is not None:
        kept = f", {words.share(layout.predicted_relative)} of the predicted clean rate"
    return {
        **_place(layout.system, layout.free_percent),
        "decided": False,
        "blocks": [],
        "tip": f"predicted, {layout.system}, {where}: {rate}{kept}",
    }


def _one_level(panel: _Panel, width: int) -> alt.TopLevelMixin:
    """What is kept at the only level: a line a system."""
    import altair as alt

    level = f"{panel.title}, {panel.rows[0]['free_percent']} % free"
    axis = alt.Axis(title=level, values=ratio_ticks(*panel.limits, most=7), format=".0%")
    scale = alt.Scale(type="log", domain=list(panel.limits), nice=False)

    def x(name: str) -> alt.X:
        return alt.X(f"{name}:Q", scale=scale, axis=axis)

    along = Along("x", panel.limits, x)
    return row_of_points(panel.rows, ("y", "low", "high"), along, width, panel.name)


def _panel(panel: _Panel, width: int) -> alt.TopLevelMixin:
    import altair as alt

    if panel.relative and len({row["free_percent"] for row in panel.rows}) == 1:
        return _one_level(panel, width)
    x = _x(panel, width)
    y = _y(panel)
    colour = panels.colour()
    base = chart_of(panel.rows)
    known = [row for row in panel.rows if row["low"] is not None and row["low"] != row["high"]]
    unknown = [row for row in panel.rows if row["low"] is None]
    dash = [5, 3] if panel.dashed else [1, 0]
    layers: list[alt.Chart] = [
        *_levels(panel),
        chart_of(known)
        .mark_area(opacity=0.14, clip=True)
        .encode(x=x, y=y("low"), y2="high:Q", fill=colour, detail=["system:N", "part:N"]),
        panels.dots(panel.rows, "x", "y", x, y("y"), size=8, opacity=0.25),
        base.mark_line(strokeWidth=1.6, strokeDash=dash, clip=True).encode(
            x=x, y=y("y"), color=colour, detail=["system:N", "part:N"]
        ),
        *whiskers(unknown, ("y", "low", "high"), Along("y", panel.limits, y), width=1.4, x=x),
        *_marks(panel, x, y("y"), colour),
    ]
    return alt.layer(*layers).properties(
        width=width, height=panel.height, title=panels.heading(panel.name, width)
    )


def _marks(panel: _Panel, x: alt.X, y: alt.Y, colour: alt.Color) -> list[alt.Chart]:
    """Filled where the rate is decidedly less than clean, hollow where it is not."""
    import altair as alt

    shape = panels.shape()
    made = []
    for filled in (True, False):
        rows = [row for row in panel.rows if row["decided"] == filled]
        look = {"filled": True} if filled else {"filled": True, "fill": "var(--paper, #ffffff)"}
        mark = chart_of(rows).mark_point(size=34, opacity=1, strokeWidth=1.4, clip=True, **look)
        if filled:
            made.append(mark.encode(x=x, y=y, color=colour, shape=shape, description="tip:N"))
        else:
            stroke = alt.Stroke("colour:N", scale=None)
            made.append(mark.encode(x=x, y=y, stroke=stroke, shape=shape, description="tip:N"))
    return made


def _levels(panel: _Panel) -> list[alt.Chart]:
    """The clean rate and what two equal turns differ by."""
    if not panel.relative:
        return []
    y = _y(panel)
    rule = chart_of([{"y": 1.0}]).mark_rule(color=INK, strokeWidth=1).encode(y=y("y"))
    if panel.noise is None:
        return [rule]
    low, high = panel.noise
    band = chart_of([{"y": low, "to": high}]).mark_rect(color=BAND, opacity=0.5, clip=True)
    return [band.encode(y=y("y"), y2="to:Q"), rule]


def _x(panel: _Panel, width: int) -> alt.X:
    import altair as alt

    has_clean = any(row["part"] == "clean" for row in panel.rows)
    values = [0, 20, 40, 60, 80, 100] if width > panels.NARROW_PIXELS else [25, 50, 75, 100]
    axis = alt.Axis(
        title="% of the region free",
        values=[CLEAN_AT, *values] if has_clean else values,
        labelExpr="datum.value < 0 ? 'clean' : datum.label",
        grid=False,
        labelColor=MUTED,
    )
    low = CLEAN_AT - 5 if has_clean else 0
    return alt.X("x:Q", scale=alt.Scale(domain=[low, 103], nice=False), axis=axis)


def _y(panel: _Panel) -> Callable[[str], alt.Y]:
    import altair as alt

    if panel.relative:
        axis = alt.Axis(title=panel.title, values=ratio_ticks(*panel.limits, most=7), format=".0%")
    else:
        axis = alt.Axis(title=panel.title, tickCount=5, format=",~g")
    scale = alt.Scale(type="log", domain=list(panel.limits), nice=False)

    def field(name: str) -> alt.Y:
        return alt.Y(f"{name}:Q", scale=scale, axis=axis)

    return field
