"""Panels next to or below one another, their names, and how each system looks in them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol, TypeVar

from fsgauge.report import vega
from fsgauge.report.draw import Build, Drawing, draw
from fsgauge.report.labels import in_two_lines, labels_of, shortened
from fsgauge.report.theme import MUTED, looks
from fsgauge.stats.ranking import best_first
from fsgauge.stats.results import Results
from fsgauge.units import grouped

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
    draw: Callable[[T, int], vega.Chart],
    most: int = 3,
    wide_pixels: int = WIDE_PIXELS,
) -> tuple[Build, Build]:
    """Wide, with at most `most` panels a line, and narrow, with one. `draw` takes a panel and its
    width in pixels; a page shows the whole at `wide_pixels`."""

    columns = min(most, len(panels))
    return in_widths(
        panels, draw, min(520, wide_pixels // columns - AXIS_PIXELS), NARROW_PIXELS, columns
    )


def in_widths(
    panels: Sequence[T],
    draw: Callable[[T, int], vega.Chart],
    wide_pixels: int,
    narrow_pixels: int,
    columns: int | None = None,
) -> tuple[Build, Build]:
    """Wide, all in a line or in so many columns, and narrow, in one; each panel so many pixels."""

    def wide() -> dict[str, Any]:
        drawn = [draw(panel, wide_pixels).specification for panel in panels]
        if columns is None:
            return {"hconcat": drawn, "spacing": 24, "padding": PADDING}
        return {"concat": drawn, "columns": columns, "spacing": 20, "padding": PADDING}

    def narrow() -> dict[str, Any]:
        drawn = [draw(panel, narrow_pixels).specification for panel in panels]
        return {"vconcat": drawn, "spacing": 16, "padding": PADDING}

    return wide, narrow


def heading(text: str, width: int = WIDE_PIXELS, below: str = "") -> dict[str, Any]:
    """A panel's name, above it, in two lines where one is too narrow; or in one, and another line
    below. What is wider than these loses its middle."""
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
    return {"text": fitting, "anchor": "start", "fontSize": 12, "offset": 6, **more}


def subtitled(text: str, lines: Sequence[str]) -> dict[str, Any]:
    """A panel's name with lines of small print below it."""
    if not text:  # without a title a subtitle is not drawn
        small: dict[str, Any] = {"fontSize": 11, "fontWeight": "normal", "color": MUTED}
        return {"text": list(lines), "anchor": "start", "offset": 6, **small}
    return {
        "text": text,
        "subtitle": list(lines),
        "anchor": "start",
        "fontSize": 12,
        "subtitleFontSize": 11,
        "subtitleColor": MUTED,
        "offset": 6,
    }


class Compared(Protocol):
    """What compares systems with a baseline."""

    @property
    def systems(self) -> list[str]: ...

    @property
    def baseline(self) -> str: ...


def styled(of: Compared, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows with their system's label, colour, shape and dash."""
    of_systems, labels = looks(of.systems, of.baseline), labels_of(of.systems)
    return [
        {**row, "label": labels[row["system"]], **of_systems[row["system"]]._asdict()}
        for row in rows
    ]


def by(rows: Iterable[T], of: Callable[[T], str]) -> dict[str, list[T]]:
    """What is in each panel, by its name, in the order of the rows."""
    return grouped((of(row), row) for row in rows)


def swept(
    results: Results,
    name: str,
    label: str,
    rows: Iterable[dict[str, Any]],
    along: str,
    panel: Callable[[list[dict[str, Any]], int], vega.Chart],
    most: int,
    of: str = "panel",
) -> Drawing | None:
    """Numbers along a factor, field `along`: a panel for each value of field `of` whose rows have
    several of it, at most `most` of them; None without any."""
    found = by(drawn(results, rows), lambda row: row[of]).values()
    shown = [each for each in found if len({row[along] for row in each}) > 1][:most]
    if not shown:
        return None
    every_row = [row for each in shown for row in each]
    return draw(name, label, *both(shown, panel), every_row, note=left_out(results))


MOST_LINES = 12
"""Systems whose lines one panel can show."""
_LAST = 3


def drawn_systems(results: Results) -> list[str]:
    """The systems that pictures of lines show, in the order of the study: all, or of many the
    baseline, the best and the last three."""
    if len(results.systems) <= MOST_LINES:
        return list(results.systems)
    order = [system for system in best_first(results) if system != results.baseline]
    kept = {results.baseline, *order[: MOST_LINES - 1 - _LAST], *order[-_LAST:]}
    return [system for system in results.systems if system in kept]


def drawn(results: Results, rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    systems = drawn_systems(results)
    return styled(results, [row for row in rows if row["system"] in systems])


def left_out(results: Results) -> str:
    """What a picture of `drawn_systems` says of the others; "" where it shows all."""
    if len(results.systems) <= MOST_LINES:
        return ""
    return (
        f"Drawn are the baseline, the best {MOST_LINES - 1 - _LAST} and the last {_LAST} of"
        f" {len(results.systems)} systems; the tables have all."
    )


def dash() -> vega.Channel:
    return vega.field("dash:N", scale=None)


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


def system_axis(rows: Sequence[dict[str, Any]], width: int) -> vega.Channel:
    """A line a system, by label, in the order of the rows; `width` is that of the whole panel."""
    room = label_pixels(rows, width)
    axis = {
        "ticks": False,
        "domain": False,
        "labelOverlap": False,
        "labelLimit": room / WIDER,
        "minExtent": room,
    }
    labels = list(dict.fromkeys(row["label"] for row in rows))
    return vega.field("label:N", sort=labels, title=None, axis=axis)


def shape() -> vega.Channel:
    return vega.field("shape:N", scale=None)


def colour() -> vega.Channel:
    return vega.field("colour:N", scale=None)
