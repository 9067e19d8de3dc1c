"""What charts share: panels beside or below one another, ticks of ratios, marks of systems."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from fsgauge.report.draw import Build, chart_of
from fsgauge.report.theme import system_colours, system_shapes

if TYPE_CHECKING:
    import altair as alt

T = TypeVar("T")

WIDE_PIXELS = 1080
NARROW_PIXELS = 270
AXIS_PIXELS = 62
PADDING = {"left": 16, "right": 5, "top": 5, "bottom": 5}
"""More at the left: a browser's font may be wider than the one that names were measured with."""


def both(
    panels: Sequence[T],
    draw: Callable[[T, int], Any],
    most: int = 3,
    wide_pixels: int = WIDE_PIXELS,
) -> tuple[Build, Build]:
    """Wide, with at most `most` panels a line, and narrow, with one.

    `draw` takes a panel and its width in pixels; a page shows the whole at `wide_pixels`.
    """

    def wide() -> dict[str, Any]:
        columns = min(most, len(panels))
        width = min(520, wide_pixels // columns - AXIS_PIXELS)
        drawn = [specification(draw(panel, width)) for panel in panels]
        return {"concat": drawn, "columns": columns, "spacing": 20, "padding": PADDING}

    def narrow() -> dict[str, Any]:
        drawn = [specification(draw(panel, NARROW_PIXELS)) for panel in panels]
        return {"vconcat": drawn, "spacing": 16, "padding": PADDING}

    return wide, narrow


def specification(chart: alt.TopLevelMixin) -> dict[str, Any]:
    """A chart as part of a larger one. (Altair's own concat copies all of it at each step.)"""
    found: dict[str, Any] = chart.to_dict(validate=False)
    return {key: value for key, value in found.items() if key not in ("$schema", "config")}


def heading(text: str) -> alt.TitleParams:
    """A panel's name, above it."""
    import altair as alt

    return alt.TitleParams(text, anchor="start", fontSize=12, offset=6)


class Compared(Protocol):
    """What compares systems with a baseline."""

    @property
    def systems(self) -> list[str]: ...  # noqa: D102

    @property
    def baseline(self) -> str: ...  # noqa: D102


def styled(of: Compared, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows with their system's colour and shape."""
    colours, shapes = (make(of.systems, of.baseline) for make in (system_colours, system_shapes))
    return [
        {**row, "colour": colours[row["system"]], "shape": shapes[row["system"]]} for row in rows
    ]


def dots(
    rows: Sequence[dict[str, Any]],
    along: str,
    value: str,
    x: alt.X,
    y: alt.Y,
    *,
    size: int = 12,
    opacity: float = 0.3,
) -> alt.Chart:
    """Single blocks, faint: each of a row's `blocks` as field `value`, at the row's `along`."""
    each_block = [
        {along: row[along], value: each, "colour": row["colour"]}
        for row in rows
        for each in row["blocks"]
    ]
    found: alt.Chart = (
        chart_of(each_block)
        .mark_circle(size=size, opacity=opacity, clip=True)
        .encode(x=x, y=y, color=colour())
    )
    return found


def points(base: alt.Chart, size: int, *, clip: bool = False, **places: Any) -> alt.Chart:  # noqa: ANN401
    """Estimates in their systems' colours and shapes, each with its tooltip."""
    found: alt.Chart = base.mark_point(filled=True, size=size, opacity=1, clip=clip).encode(
        color=colour(), shape=shape(), description="tip:N", **places
    )
    return found


def shape() -> alt.Shape:
    """A mark in its row's shape."""
    import altair as alt

    return alt.Shape("shape:N", scale=None)


def colour() -> alt.Color:
    """A mark in its row's colour."""
    import altair as alt

    return alt.Color("colour:N", scale=None)


_FINE = (0.9, 0.92, 0.94, 0.96, 0.98, 1.0, 1.02, 1.04, 1.06, 1.08, 1.1)
_NEAR = (0.8, 0.85, 0.9, 0.95, 1.0, 1.05, 1.1, 1.15, 1.2)
_MIDDLE = (0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8)
_WIDE = (0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0)
_COARSE = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)
_PAD = 0.08


def ratio_domain(values: Sequence[float]) -> tuple[float, float]:
    """Limits that hold all values and 1, with some air, at least 0.95 to 1.05."""
    logs = [math.log(value) for value in values] + [math.log(0.95), math.log(1.05)]
    low, high = min(logs), max(logs)
    pad = _PAD * (high - low)
    return math.exp(low - pad), math.exp(high + pad)


def ratio_ticks(low: float, high: float, most: int = 8) -> list[float]:
    """At most `most` round ratios within the limits, 1 among them."""
    for candidates in (_FINE, _NEAR, _MIDDLE, _WIDE, _COARSE):
        covers = candidates[0] <= low * 1.06 and candidates[-1] >= high / 1.06
        ticks = [tick for tick in candidates if low <= tick <= high]
        if covers and len(ticks) <= most:
            return ticks
    ticks = [tick for tick in _COARSE if low <= tick <= high]
    while len(ticks) > most:
        ticks = [tick for index, tick in enumerate(ticks) if index % 2 == 0 or tick == 1.0]
    return ticks or [1.0]
