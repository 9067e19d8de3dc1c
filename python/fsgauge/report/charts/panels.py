"""Panels side by side on a wide screen, below one another on a narrow one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import altair as alt

T = TypeVar("T")

WIDE_PIXELS = 1080
NARROW_PIXELS = 270
AXIS_PIXELS = 62


def wide(panels: Sequence[T], draw: Callable[[T, int], Any], most: int = 3) -> alt.TopLevelMixin:
    """At most `most` panels a line; `draw` takes a panel and its width in pixels."""
    import altair as alt

    columns = min(most, len(panels))
    width = min(520, WIDE_PIXELS // columns - AXIS_PIXELS)
    return alt.concat(*(draw(panel, width) for panel in panels), columns=columns, spacing=20)


def narrow(panels: Sequence[T], draw: Callable[[T, int], Any]) -> alt.TopLevelMixin:
    """One panel a line."""
    import altair as alt

    return alt.vconcat(*(draw(panel, NARROW_PIXELS) for panel in panels), spacing=16)


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
