"""Panels side by side on a wide screen, below one another on a narrow one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from fsgauge.report.draw import Build

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


def styled(
    rows: Sequence[dict[str, Any]], colours: dict[str, str], shapes: dict[str, str]
) -> list[dict[str, Any]]:
    """Rows with their system's colour and shape."""
    return [
        {**row, "colour": colours[row["system"]], "shape": shapes[row["system"]]} for row in rows
    ]
