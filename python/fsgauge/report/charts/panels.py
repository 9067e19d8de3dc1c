"""What charts share: panels beside or below one another, ticks of ratios, marks of systems."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from fsgauge.report.draw import Build, chart_of
from fsgauge.report.labels import in_two_lines, labels_of, shortened
from fsgauge.report.theme import MUTED, system_colours, system_dashes, system_shapes
from fsgauge.stats.ranking import best_first
from fsgauge.stats.results import Results

if TYPE_CHECKING:
    import altair as alt

T = TypeVar("T")

WIDE_PIXELS = 1080
NARROW_PIXELS = 270
AXIS_PIXELS = 72
HEADING_PIXELS = 7.4
"""Of a letter of a panel's name, which is bold."""
PADDING = {"left": 24, "right": 14, "top": 5, "bottom": 5}
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


def heading(text: str, width: int = WIDE_PIXELS, below: str = "") -> alt.TitleParams:
    """A panel's name, above it, in two lines where one is too narrow; or in one, and another line
    below. What is wider than these loses its middle."""
    import altair as alt

    beyond = 0 if width == NARROW_PIXELS else AXIS_PIXELS - 24
    letters = int((width + beyond) / HEADING_PIXELS)
    fitting = shortened(text, letters) if below else in_two_lines(text, letters)
    more: dict[str, Any] = {}
    if below:
        smaller = int((width + beyond) / (HEADING_PIXELS - 1.2))
        more = {
            "subtitle": shortened(below, smaller),
            "subtitleFontSize": 11,
            "subtitleColor": MUTED,
        }
    return alt.TitleParams(fitting, anchor="start", fontSize=12, offset=6, **more)


class Compared(Protocol):
    """What compares systems with a baseline."""

    @property
    def systems(self) -> list[str]: ...

    @property
    def baseline(self) -> str: ...


def styled(of: Compared, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows with their system's label, colour, shape and dash."""
    colours, shapes = (make(of.systems, of.baseline) for make in (system_colours, system_shapes))
    dashes, labels = system_dashes(of.systems, of.baseline), labels_of(of.systems)
    return [
        {
            **row,
            "label": labels[row["system"]],
            "colour": colours[row["system"]],
            "shape": shapes[row["system"]],
            "dash": dashes[row["system"]],
        }
        for row in rows
    ]


MOST_LINES = 12
"""Systems whose lines one panel can show."""
_LAST = 3


def drawn_systems(results: Results) -> list[str]:
    """Those that pictures of lines show, in the order of the study: all, or of very many the
    baseline, the best and the last three."""
    if len(results.systems) <= MOST_LINES:
        return list(results.systems)
    order = [system for system in best_first(results) if system != results.baseline]
    kept = {results.baseline, *order[: MOST_LINES - 1 - _LAST], *order[-_LAST:]}
    return [system for system in results.systems if system in kept]


def left_out(results: Results) -> str:
    """What a picture of `drawn_systems` says of the others; "" where it shows all."""
    if len(results.systems) <= MOST_LINES:
        return ""
    return (
        f"Drawn are the baseline, the best {MOST_LINES - 1 - _LAST} and the last {_LAST} of"
        f" {len(results.systems)} systems; the tables have all."
    )


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


AMOUNT = "datum.value == 0 ? '0' : format(datum.value, '~s')"
"""A label of an axis of rates: "150k", and 0 without a unit."""


def dash() -> alt.StrokeDash:
    """A line in its row's dash."""
    import altair as alt

    return alt.StrokeDash("dash:N", scale=None)


LABEL_PIXELS = 6.8
WIDER = 1.17
"""A browser's font over the one that labels are cut by."""


def label_pixels(rows: Sequence[dict[str, Any]], width: int) -> int:
    """The room of labels of systems to the left of a panel; a narrow one has little."""
    most = 170 if width <= NARROW_PIXELS else 250
    return min(most, round(max(len(row["label"]) for row in rows) * LABEL_PIXELS) + 10)


def next_to_labels(rows: Sequence[dict[str, Any]], width: int) -> int:
    """What labels of systems leave of a panel's width; they need more than numbers do."""
    return max(width // 3, width + AXIS_PIXELS - max(AXIS_PIXELS, label_pixels(rows, width)))


def system_axis(rows: Sequence[dict[str, Any]], width: int) -> alt.Y:
    """A line a system, by label, in the order of the rows; `width` is that of the whole panel."""
    import altair as alt

    room = label_pixels(rows, width)
    axis = alt.Axis(
        ticks=False, domain=False, labelOverlap=False, labelLimit=room / WIDER, minExtent=room
    )
    labels = list(dict.fromkeys(row["label"] for row in rows))
    return alt.Y("label:N", sort=labels, title=None, axis=axis)


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
