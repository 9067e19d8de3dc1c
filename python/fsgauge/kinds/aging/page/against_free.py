"""Rates of an aged file system against the share of its space that is free.

Three drawings: what is kept of the clean rate (the first picture), the rates themselves, and what
a modelled disk would keep. One panel a side, one line a system between measured levels.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from fsgauge.kinds.aging.analysis.model import Aging, AgingLayout, AgingLine, AgingPoint
from fsgauge.kinds.aging.factors import Side
from fsgauge.report import vega, words
from fsgauge.report.charts import axes, marks, panels
from fsgauge.report.draw import Drawing, chart_of, draw
from fsgauge.report.theme import MUTED
from fsgauge.stats.estimate import Estimate
from fsgauge.stats.results import Results

SIDES: dict[Side, str] = {"write": "writing", "read": "reading"}
FIRST_SCREEN_PIXELS = 790
"""Room for the first picture beside the box of what makes it sure."""
CLEAN_AT = -9.0
"""Where the clean rate is drawn, left of what is free."""
JITTER = 0.3
LEAST_PREDICTED = 0.9
MEBIBYTE = 1 << 20
CLEAN_RATE = "of the clean rate"


def level_words(free_percent: int | None) -> str:
    """ "75 % free", or "clean" before ageing."""
    return "clean" if free_percent is None else f"{free_percent} % free"


@dataclass(frozen=True)
class _Panel:
    """Points of one side; `limits` are of y, `noise` the band of A/A around 1. `relative` are
    shares of the clean rate, in which 1 is drawn."""

    name: str
    title: str
    rows: list[dict[str, Any]]
    limits: tuple[float, float]
    relative: bool = False
    height: int = 220
    noise: Sequence[dict[str, float]] = ()
    dashed: bool = False


def kept_chart(results: Results) -> Drawing | None:
    aging = Aging.within(results)
    found = [(side, _styled(results, _relative(aging, side))) for side in SIDES]
    found = [(side, rows) for side, rows in found if rows]
    if not found:
        return None
    limits = axes.ratio_domain([edge for _, rows in found for edge in _edges(rows)])
    shown = [
        _Panel(SIDES[side], CLEAN_RATE, rows, limits, True, 250, _noise(aging, side))
        for side, rows in found
    ]
    label = "Write and read rates against free space, as shares of each system's clean rate."
    return _drawn(results, "kept", label, shown, FIRST_SCREEN_PIXELS)


def rates_chart(results: Results) -> Drawing | None:
    aging = Aging.within(results)
    if not aging.lines:
        return None
    shown = [
        _Panel(name, "MiB/s", rows, _limits(rows))
        for side, name in SIDES.items()
        if (rows := _styled(results, _absolute(aging, side)))
    ]
    return _drawn(results, "rates", "Write and read rates against free space, in MiB/s.", shown)


def predicted_chart(results: Results) -> Drawing | None:
    """What the modelled disk would do with the same layouts; None without layouts."""
    layouts = [each for each in Aging.within(results).layouts if each.predicted]
    kept = [
        _prediction(each, each.predicted_relative) for each in layouts if each.predicted_relative
    ]
    if not kept:
        return None
    relative = _styled(results, kept)
    absolute = _styled(
        results, [_prediction(each, each.predicted, MEBIBYTE) for each in layouts if each.predicted]
    )
    limits = axes.ratio_domain([*(row["y"] for row in relative), LEAST_PREDICTED])
    name = "predicted, of the predicted clean rate"
    shown = [
        _Panel(name, CLEAN_RATE, relative, limits, True, dashed=True),
        _Panel("predicted rate of the disk", "MiB/s", absolute, _limits(absolute), dashed=True),
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
    both = panels.both(shown, _panel, 2, pixels)
    return draw(name, label, *both, rows, note=panels.left_out(results))


def _styled(results: Results, rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    middle = (len(results.systems) - 1) / 2
    shifts = {name: JITTER * (at - middle) for at, name in enumerate(results.systems)}
    return [{**row, "x": row["x"] + shifts[row["system"]]} for row in panels.drawn(results, rows)]


def _limits(rows: Sequence[dict[str, Any]]) -> tuple[float, float]:
    values = _edges(rows)
    return min(values) / 1.1, max(values) * 1.1


def _edges(rows: Sequence[dict[str, Any]]) -> list[float]:
    """Everything that has to be in the picture: intervals and single blocks."""
    edges = [edge for row in rows for edge in (row["y"], row["low"], row["high"], *row["blocks"])]
    return [edge for edge in edges if edge is not None]


def _noise(aging: Aging, side: Side) -> list[dict[str, float]]:
    low, high = words.ends(aging.noise[side]) if side in aging.noise else (None, None)
    return [] if low is None or high is None else [{"from": low, "to": high}]


def _relative(aging: Aging, side: Side) -> Iterator[dict[str, Any]]:
    for line, point in _points(aging, side):
        if point.relative is not None:
            yield _row(line, point, point.relative, point.relative_blocks)


def _absolute(aging: Aging, side: Side) -> Iterator[dict[str, Any]]:
    for line, point in _points(aging, side):
        yield _row(line, point, point.rate, point.blocks, MEBIBYTE)


def _points(aging: Aging, side: Side) -> list[tuple[AgingLine, AgingPoint]]:
    return [(line, each) for line in aging.lines if line.side == side for each in line.points]


def _row(
    line: AgingLine,
    point: AgingPoint,
    number: Estimate,
    blocks: Sequence[tuple[int, float]],
    unit: int = 1,
) -> dict[str, Any]:
    return {
        "side": line.side,
        **_place(line.system, point.free_percent),
        "y": number.value / unit,
        **marks.ends(number, divisor=unit),
        "decided": point.verdict == "worse" or point.free_percent is None,
        "blocks": [value / unit for _, value in blocks],
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
    kept = ""
    if point.relative is not None:
        kept = f", {words.share(point.relative)} of its clean rate, {point.verdict or 'undecided'}"
    rate = words.estimate(point.rate, "B/s")
    return f"{line.system}, {SIDES[line.side]}, {level_words(point.free_percent)}: {rate}{kept}"


def _prediction(layout: AgingLayout, number: Estimate, unit: int = 1) -> dict[str, Any]:
    rate = words.estimate(layout.predicted, "B/s") if layout.predicted is not None else ""
    kept = ""
    if layout.predicted_relative is not None:
        kept = f", {words.share(layout.predicted_relative)} of the predicted clean rate"
    value = number.value / unit
    return {
        **_place(layout.system, layout.free_percent),
        "decided": False,
        "blocks": [],
        "tip": f"predicted, {layout.system}, {level_words(layout.free_percent)}: {rate}{kept}",
        "y": value,
        "low": value,
        "high": value,
    }


def _panel(panel: _Panel, width: int) -> vega.Chart:
    rows, levels = panel.rows, {row["free_percent"] for row in panel.rows}
    fields = ("y", "low", "high")
    if panel.relative and len(levels) == 1:
        title = f"{panel.title}, {rows[0]['free_percent']} % free"
        along = axes.ratios("x", panel.limits, 7, title=title, format=".0%")
        return marks.row_of_points(rows, fields, along, width, panel.name)
    x = _free(panel, width)
    if panel.relative:
        along = axes.ratios("y", panel.limits, 7, title=panel.title, format=".0%")
    else:
        along = axes.along("y", panel.limits, title=panel.title, tickCount=5, format=",~g")
    y = along.channel
    known = [row for row in rows if row["low"] is not None and row["low"] != row["high"]]
    unknown = [row for row in rows if row["low"] is None]
    detail = ["system:N", "part:N"]
    areas = chart_of(known).mark("area", opacity=0.14, clip=True)
    lines = chart_of(rows).mark(
        "line", strokeWidth=1.6, strokeDash=[5, 3] if panel.dashed else [1, 0], clip=True
    )
    return vega.layer(
        *marks.bands(panel.noise, along, 0.5),
        *([marks.level(1, along, strokeWidth=1)] if panel.relative else []),
        areas.encode(x=x, y=y("low"), y2=vega.field("high:Q"), fill=panels.colour(), detail=detail),
        marks.dots(rows, "y", "x", {"x": x, "y": y("y")}, size=8, opacity=0.25),
        lines.encode(x=x, y=y("y"), color=panels.colour(), detail=detail),
        *marks.whiskers(unknown, fields, along, width=1.4, x=x),
        *_decided(rows, x, y("y")),
    ).properties(width=width, height=panel.height, title=panels.heading(panel.name, width))


def _decided(rows: list[dict[str, Any]], x: vega.Channel, y: vega.Channel) -> list[vega.Chart]:
    """Filled where the rate is decidedly less than clean, hollow where it is not."""
    made = []
    for filled in (True, False):
        look: dict[str, Any] = {} if filled else {"fill": "var(--paper, #ffffff)"}
        ink = (
            {"color": panels.colour()} if filled else {"stroke": vega.field("colour:N", scale=None)}
        )
        mark = chart_of([row for row in rows if row["decided"] == filled]).mark(
            "point", size=34, opacity=1, strokeWidth=1.4, clip=True, filled=True, **look
        )
        made.append(
            mark.encode(x=x, y=y, shape=panels.shape(), description=vega.field("tip:N"), **ink)
        )
    return made


def _free(panel: _Panel, width: int) -> vega.Channel:
    """The x axis: percent of the space that is free; the clean rate stands left of 0."""
    has_clean = any(row["part"] == "clean" for row in panel.rows)
    values = [0, 20, 40, 60, 80, 100] if width > panels.NARROW_PIXELS else [25, 50, 75, 100]
    return axes.along(
        "x",
        (CLEAN_AT - 5 if has_clean else 0, 103),
        log=False,
        title="% of the region free",
        values=[CLEAN_AT, *values] if has_clean else values,
        labelExpr="datum.value < 0 ? 'clean' : datum.label",
        grid=False,
        labelColor=MUTED,
    ).channel("x")
