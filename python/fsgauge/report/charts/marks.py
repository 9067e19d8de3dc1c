"""The marks of charts of estimates: single blocks, intervals, estimates, levels, bands, words.

An interval that says nothing (`words.is_known`) may reach anywhere. A mark without a line would
look the most precise of all, so its line fades towards both edges and ends in arrows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

from fsgauge.report import vega, words
from fsgauge.report.charts import panels
from fsgauge.report.charts.axes import Along
from fsgauge.report.draw import chart_of
from fsgauge.report.theme import BAND, GRID, INK, MUTED

STEPS = 6
"""Pieces of a fading line on each side."""
_STRONGEST, _FAINTEST = 0.8, 0.12
_ARROWS = {
    ("x", 0): "M0.5,-1L-0.7,0L0.5,1",
    ("x", 1): "M-0.5,-1L0.7,0L-0.5,1",
    ("y", 0): "M-1,-0.5L0,0.7L1,-0.5",
    ("y", 1): "M-1,0.5L0,-0.7L1,0.5",
}
"""Open arrow heads by axis and end; the marks of systems are never open."""


FRAME = {"left": 4, "right": 4, "top": 2, "bottom": 2}
"""Around a picture with words of its own at its sides."""
LINE_PIXELS = 18
"""Of a system, where each has a line of its own."""


def ends(
    number: words.Interval | None, name: str = "", divisor: float = 1.0
) -> dict[str, float | None]:
    """The fields `low` and `high` of a row, or NAMElow and NAMEhigh: the ends of an interval, None
    where it says nothing."""
    low, high = words.ends(number) if number is not None else (None, None)
    return {
        f"{name}low": None if low is None else low / divisor,
        f"{name}high": None if high is None else high / divisor,
    }


def measured(
    rows: Sequence[dict[str, Any]],
    fields: tuple[str, str, str],
    along: Along,
    size: int,
    *,
    at: str = "",
    width: float = 2.0,
    line: dict[str, Any] | None = None,
    faint: float = 0.3,
    clip: bool = False,
    **across: Any,  # noqa: ANN401 - channels of Vega-Lite
) -> list[vega.Chart]:
    """Estimates with their intervals, and single blocks behind, at field `at` of the other axis.
    `fields` name value, low and high; `across` are the encodings of the other axis; a `line` with
    this look joins the estimates of a system."""
    places = {along.axis: along.channel(fields[0]), **across}
    blocks = [dots(rows, fields[0], at, places, opacity=faint)] if at else []
    joined = [joining(rows, places, **line)] if line is not None else []
    return [
        *blocks,
        *whiskers(rows, fields, along, width=width, **across),
        *joined,
        points(chart_of(rows), size, clip=clip, **places),
    ]


def joining(
    rows: Sequence[dict[str, Any]],
    places: dict[str, Any],
    **look: Any,  # noqa: ANN401 - properties of a mark
) -> vega.Chart:
    """A line a system, from estimate to estimate."""
    dash = {} if "strokeDash" in look else {"strokeDash": panels.dash()}
    return (
        chart_of(rows)
        .mark("line", **look)
        .encode(color=panels.colour(), detail=vega.field("system:N"), **places, **dash)
    )


def dots(
    rows: Sequence[dict[str, Any]],
    value: str,
    at: str,
    places: dict[str, Any],
    *,
    size: int = 12,
    opacity: float = 0.3,
) -> vega.Chart:
    """Single blocks, faint: each of a row's `blocks` as field `value`, at the row's `at`."""
    each_block = [
        {at: row[at], value: each, "colour": row["colour"]}
        for row in rows
        for each in row["blocks"]
    ]
    return (
        chart_of(each_block)
        .mark("circle", size=size, opacity=opacity, clip=True)
        .encode(color=panels.colour(), **places)
    )


def points(
    base: vega.Chart,
    size: int,
    *,
    clip: bool = False,
    **places: Any,  # noqa: ANN401 - channels of Vega-Lite
) -> vega.Chart:
    """Estimates in their systems' colours and shapes, each with its tooltip."""
    return base.mark("point", filled=True, size=size, opacity=1, clip=clip).encode(
        color=panels.colour(), shape=panels.shape(), description=vega.field("tip:N"), **places
    )


def row_of_points(
    rows: Sequence[dict[str, Any]],
    fields: tuple[str, str, str],
    along: Along,
    width: int,
    name: str = "",
    under: Sequence[vega.Chart] = (),
) -> vega.Chart:
    """A panel of one number of each system, a line a system; `under` is drawn first. A chart of
    lines over one level would be an empty box with all marks on top of one another."""
    y = panels.system_axis(rows, width)
    width = panels.next_to_labels(rows, width)
    at = "label" if any(row.get("blocks") for row in rows) else ""
    title = {"title": panels.heading(name, width)} if name else {}
    return vega.layer(*under, *measured(rows, fields, along, 50, at=at, y=y)).properties(
        width=width, height=LINE_PIXELS * len({row["label"] for row in rows}) + 8, **title
    )


def level(
    value: float,
    along: Along,
    **look: Any,  # noqa: ANN401 - properties of a mark
) -> vega.Chart:
    drawn = chart_of([{"level": value}]).mark("rule", **{"color": INK, **look})
    return drawn.encode(**{along.axis: along.channel("level")})


def bands(
    spans: Sequence[dict[str, Any]],
    along: Along,
    opacity: float,
    **across: Any,  # noqa: ANN401 - channels of Vega-Lite
) -> list[vega.Chart]:
    """Shaded from `from` to `to` of each span, no farther than the picture; [] without any."""
    shown = [
        {**span, "from": max(span["from"], along.limits[0]), "to": min(span["to"], along.limits[1])}
        for span in spans
        if span["from"] < along.limits[1] and span["to"] > along.limits[0]
    ]
    if not shown:
        return []
    drawn = chart_of(shown).mark("rect", color=BAND, opacity=opacity)
    ends: dict[str, Any] = {along.axis: along.channel("from"), f"{along.axis}2": "to:Q"}
    return [drawn.encode(**ends, **across)]


def text(
    rows: Sequence[dict[str, Any]],
    field: str,
    y: vega.Channel,
    at: int,
    limit: int,
    style: Literal["normal", "bold", "muted"] = "normal",
) -> vega.Chart:
    """Words of each row, from pixel `at` of the plot on; what is longer than `limit` is cut."""
    mark = chart_of(rows).mark(
        "text",
        baseline="middle",
        align="left",
        fontSize=12,
        color=MUTED if style == "muted" else INK,
        fontWeight="bold" if style == "bold" else "normal",
        limit=limit,
    )
    return mark.encode(x=vega.value(at), y=y, text=vega.field(f"{field}:N"))


def rules(lines: Sequence[float], y: vega.Channel, start: int, end: int) -> vega.Chart:
    """Thin lines from pixel to pixel, which hold the room of the texts, whatever their font."""
    rows = [{"y": line, "opacity": 1} for line in lines]
    rows.append({"y": 0, "opacity": 0})
    return (
        chart_of(rows)
        .mark("rule", color=GRID)
        .encode(
            y=y,
            x=vega.value(start),
            x2=vega.value(end),
            opacity=vega.field("opacity:Q", scale=None),
        )
    )


def whiskers(
    rows: Sequence[dict[str, Any]],
    fields: tuple[str, str, str],
    along: Along,
    *,
    width: float = 2.0,
    **across: Any,  # noqa: ANN401 - channels of Vega-Lite
) -> list[vega.Chart]:
    """The intervals of rows; `fields` name value, low and high, these two None where unknown, and
    not there where a row has no interval. `across` are the encodings of the other axis. Rows have a
    `colour` and a `tip`."""
    having = [row for row in rows if fields[1] in row]
    pieces = [piece for row in having for piece in _pieces(row, fields, along)]
    heads = [head for row in having for head in _heads(row, fields, along)]
    strength = vega.field("opacity:Q", scale=None)
    other_end: dict[str, Any] = {f"{along.axis}2": "to:Q"}
    places = {along.axis: along.channel("at"), **across}
    looks: dict[str, Any] = {"opacity": strength, "description": "tip:N"}
    lines = chart_of(pieces).mark("rule", strokeWidth=width, clip=True)
    found = [lines.encode(**places, **other_end, color=panels.colour(), **looks)]
    if heads:
        arrows = chart_of(heads).mark("point", size=46, filled=False, strokeWidth=1.6)
        stroke = vega.field("colour:N", scale=None)
        shape = vega.field("head:N", scale=None)
        found.append(arrows.encode(**places, stroke=stroke, shape=shape, **looks))
    return found


def edges_of(rows: Sequence[dict[str, Any]], low: str, high: str) -> list[float]:
    """The ends of all intervals that are known."""
    return [row[edge] for row in rows for edge in (low, high) if row[edge] is not None]


def _pieces(
    row: dict[str, Any], fields: tuple[str, str, str], along: Along
) -> list[dict[str, Any]]:
    kept = {key: value for key, value in row.items() if key != "blocks"}
    value, low, high = (row[field] for field in fields)
    if low is not None and high is not None:
        ends = {"at": max(low, along.limits[0]), "to": min(high, along.limits[1])}
        return [{**kept, **ends, "opacity": 1.0}] if ends["at"] < ends["to"] else []
    pieces = []
    for limit in along.limits:
        for step in range(STEPS):
            ends = {
                "at": _between(value, limit, step / STEPS, log=along.log),
                "to": _between(value, limit, (step + 1) / STEPS, log=along.log),
            }
            faded = _STRONGEST + (_FAINTEST - _STRONGEST) * step / (STEPS - 1)
            pieces.append({**kept, **ends, "opacity": faded})
    return pieces


def _heads(row: dict[str, Any], fields: tuple[str, str, str], along: Along) -> list[dict[str, Any]]:
    kept = {key: value for key, value in row.items() if key != "blocks"}
    _, low, high = (row[field] for field in fields)
    unknown = low is None or high is None
    beyond = (unknown or low < along.limits[0], unknown or high > along.limits[1])
    return [
        {
            **kept,
            "at": along.limits[end],
            "head": _ARROWS[along.axis, end],
            "opacity": 0.6 if unknown else 1.0,
        }
        for end, is_beyond in enumerate(beyond)
        if is_beyond
    ]


def _between(value: float, limit: float, share: float, *, log: bool) -> float:
    if log:
        return math.exp((1 - share) * math.log(value) + share * math.log(limit))
    return (1 - share) * value + share * limit
