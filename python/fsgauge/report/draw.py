"""From a chart to SVG: static first, readable without scripts, on paper and on a phone.

Takes a chart and a name; gives `Drawing`: SVG for the page (CSS variables, a tooltip in every
mark) and SVG on its own (plain colours on white). Rows are kept beside a chart, under a name: its
layers share them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from html import unescape
from typing import Any
from xml.sax.saxutils import escape

from fsgauge.errors import escaped
from fsgauge.plain_files.bounds import MOST_DRAWN
from fsgauge.report import vega
from fsgauge.report.drawing import NotDrawn, svgs_of
from fsgauge.report.theme import HATCH_PATTERN, chart_config

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
_VARIABLE = re.compile(r"var\(--[a-z0-9-]+, (#[0-9a-f]{3,6})\)")
_OPENING = re.compile(r"<svg [^>]*?width=\"([0-9.]+)\" height=\"([0-9.]+)\"[^>]*>")
_DESCRIBED = re.compile(r'<(path|line|text) aria-label="([^"]*)"([^>]*)/>')
_CLIP = re.compile(r"""(id="|url\(#)(clip[0-9]+)("|\))""")
_ROLE = re.compile(r' (?:role|aria-roledescription)="graphics-symbol"')


_LOOKS = {
    "tip",
    "colour",
    "shape",
    "opacity",
    "hatch",
    "fill",
    "above",
    "glyph",
    "below",
    "words",
    "wide_words",
    "narrow_words",
    "noise",
    "label",
    "dash",
}

Build = Callable[[], dict[str, Any]]
"""Makes the Vega-Lite specification; its rows are collected while it does."""


@dataclass(frozen=True)
class Drawing:
    """One chart, drawn for wide and for narrow screens; `rows` is the data behind it."""

    name: str
    wide: str
    narrow: str
    alone: str
    rows: list[dict[str, Any]]
    note: str = ""
    """What is left out of it."""


def draw(
    name: str,
    label: str,
    wide: Build,
    narrow: Build,
    rows: Sequence[dict[str, Any]],
    more_tips: Sequence[str] = (),
    note: str = "",
) -> Drawing:
    """Render both forms; `label` says to a screen reader what the picture is. A mark shows a
    tooltip when it is described by a row's "tip" or by one of `more_tips`."""
    label = escaped(label)
    try:
        drawn_wide, drawn_narrow = _render((wide, narrow))
    except NotDrawn as error:
        return _missing(name, error.why, rows, note)
    svg_wide = _with_own_clips(drawn_wide, f"{name}-wide")
    svg_narrow = _with_own_clips(drawn_narrow, f"{name}-narrow")
    step = _step_of(rows)
    if step > 1:
        note = f"One of each {step} of {len(rows):,} points is drawn. {note}".strip()
    rows = rows[::step]
    tips = {escaped(row["tip"]) for row in rows if "tip" in row} | set(map(escaped, more_tips))
    return Drawing(
        name=name,
        wide=_for_page(svg_wide, label, tips),
        narrow=_for_page(svg_narrow, label, tips),
        alone=_stand_alone(svg_wide, label),
        rows=[_data_of(row) for row in rows],
        note=note,
    )


def _render(builds: Sequence[Build]) -> list[str]:
    return svgs_of([_whole(build) for build in builds])


def _whole(build: Build) -> dict[str, Any]:
    with datasets() as found:
        specification = build()
    return specification | {"$schema": SCHEMA, "datasets": found, "config": chart_config()}


def _missing(name: str, why: str, rows: Sequence[dict[str, Any]], note: str) -> Drawing:
    """In the place of a chart, what is missing and why."""
    words = escape(f'The chart "{name}" is missing: {why}. Its numbers are in the tables.')
    alone = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="900" height="40">'
        f'<text x="8" y="24" font-family="sans-serif" font-size="12">{words}</text></svg>'
    )
    said = f'<p class="weak">{words}</p>'
    return Drawing(name, said, said, alone, [_data_of(row) for row in rows], note)


def _with_own_clips(svg: str, name: str) -> str:
    """Clips named after the drawing: Vega counts them over the life of the process."""
    numbers: dict[str, int] = {}

    def own(match: re.Match[str]) -> str:
        return f"{match[1]}{name}-clip{numbers.setdefault(match[2], len(numbers))}{match[3]}"

    return _CLIP.sub(own, svg)


def _data_of(row: dict[str, Any]) -> dict[str, Any]:
    """A row as data: without what only the drawing needs, six digits a number."""
    return {
        key: float(f"{value:.6g}") if isinstance(value, float) else value
        for key, value in row.items()
        if key not in _LOOKS
    }


def _for_page(svg: str, label: str, tips: Container[str]) -> str:
    """Scales with the page, has a tooltip in each described mark, and one label as a whole."""

    def described(match: re.Match[str]) -> str:
        tag, text, rest = match.groups()
        tip = unescape(text)
        rest = _ROLE.sub("", rest)
        if tip not in tips:  # Vega's own description: field names and pixels
            return f"<{tag}{rest}/>"
        return f'<{tag} class="hover"{rest}><title>{escape(tip)}</title></{tag}>'

    def opening(match: re.Match[str]) -> str:
        width, height = match[1], match[2]
        return (
            f'<svg class="chart" role="img" aria-label="{escape(label, {chr(34): "&quot;"})}"'
            f' viewBox="0 0 {width} {height}" style="max-width:{width}px">'
        )

    return _OPENING.sub(opening, _DESCRIBED.sub(described, svg), count=1)


def _stand_alone(svg: str, label: str) -> str:
    plain = _VARIABLE.sub(lambda match: match[1], svg)
    hatch = _VARIABLE.sub(lambda match: match[1], HATCH_PATTERN)
    opening = _OPENING.search(plain)
    if opening is None:
        return plain
    white = '<rect width="100%" height="100%" fill="#fff"/>'
    head = opening[0] + f"<title>{escape(label)}</title>" + hatch + white
    return plain.replace(opening[0], head, 1)


Datasets = dict[str, list[dict[str, Any]]]
_current: ContextVar[Datasets] = ContextVar("datasets of the chart in the making")


@contextmanager
def datasets() -> Iterator[Datasets]:
    """Collects the rows of all charts that are made inside, by name."""
    found: Datasets = {}
    token = _current.set(found)
    try:
        yield found
    finally:
        _current.reset(token)


def _step_of(rows: Sequence[dict[str, Any]]) -> int:
    """Of so many rows one is drawn: more than the bound would take minutes and show no more."""
    return -(-len(rows) // MOST_DRAWN) or 1


def chart_of(rows: Sequence[dict[str, Any]]) -> vega.Chart:
    """A chart without marks over these rows; to be called inside `datasets`."""
    found = _current.get()
    name = f"rows{len(found)}"
    found[name] = list(rows[:: _step_of(rows)])
    return vega.Chart({"data": {"name": name}})
