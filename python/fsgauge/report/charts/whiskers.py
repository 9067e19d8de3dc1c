"""Intervals as lines: whole, cut with an arrow where the picture ends, or fading where unknown.

An interval that says nothing (`words.is_known`) may reach anywhere. A mark without a line would
look the most precise of all, so its line fades towards both edges and ends in arrows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from fsgauge.report.charts import panels
from fsgauge.report.draw import chart_of

if TYPE_CHECKING:
    import altair as alt

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


@dataclass(frozen=True)
class Along:
    """The axis that intervals are on: `limits` are the ends of the picture, `channel` makes the
    encoding of a field."""

    axis: Literal["x", "y"]
    limits: tuple[float, float]
    channel: Callable[[str], Any]
    log: bool = True


def whiskers(
    rows: Sequence[dict[str, Any]],
    fields: tuple[str, str, str],
    along: Along,
    *,
    width: float = 2.0,
    **across: Any,  # noqa: ANN401 - altair's channels
) -> list[alt.Chart]:
    """The intervals of rows; `fields` name value, low and high, these two None where unknown.

    `across` are the encodings of the other axis. Rows have a `colour` and a `tip`.
    """
    import altair as alt

    pieces = [piece for row in rows for piece in _pieces(row, fields, along)]
    heads = [head for row in rows for head in _heads(row, fields, along)]
    strength = alt.Opacity("opacity:Q", scale=None)
    other_end: dict[str, Any] = {f"{along.axis}2": "to:Q"}
    found = [
        chart_of(pieces)
        .mark_rule(strokeWidth=width, clip=True)
        .encode(
            **{along.axis: along.channel("at")},
            **other_end,
            **across,
            color=panels.colour(),
            opacity=strength,
            description="tip:N",
        )
    ]
    if heads:
        found.append(
            chart_of(heads)
            .mark_point(size=46, filled=False, strokeWidth=1.6)
            .encode(
                **{along.axis: along.channel("at")},
                **across,
                stroke=alt.Stroke("colour:N", scale=None),
                shape=alt.Shape("head:N", scale=None),
                opacity=strength,
                description="tip:N",
            )
        )
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
