"""Colours, shapes and the chart style, for light, dark and paper; and the templates of pages.

Colours are CSS variables with a fallback, so one drawing serves both modes in the page and the
fallback serves where a chart is on its own. Systems: Okabe and Ito, "Color universal design"
(2008), with a shape each, so that grey print works too.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from fsgauge import kinds
from fsgauge.units import format_size

if TYPE_CHECKING:
    from jinja2 import Template

INK = "var(--ink, #1f2328)"
MUTED = "var(--muted, #636c76)"
GRID = "var(--grid, #e3e6ea)"
BAND = "var(--band, #c9d1d9)"
LOSS = "var(--loss, #d55e00)"
GAIN = "var(--gain, #0072b2)"
HATCH = "url(#hatch)"
HATCH_PATTERN = (
    '<defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse"'
    ' patternTransform="rotate(45)"><rect width="6" height="6" fill="none"/>'
    '<line x1="0" y1="0" x2="0" y2="6" stroke="var(--muted, #636c76)" stroke-opacity="0.35"'
    ' stroke-width="1.5"/></pattern></defs>'
)
FONT = "system-ui, sans-serif"

_SYSTEM_COLOURS = ("0072b2", "e69f00", "009e73", "cc79a7", "56b4e9", "d55e00", "a89f00")
_SHAPES = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross", "stroke")

GLYPHS = {"better": "▲", "worse": "▼", "equivalent": "≈", "undecided": "?"}


def system_colours(systems: Sequence[str], baseline: str) -> dict[str, str]:
    """One colour a system; the baseline is ink, the others follow the study's order."""
    others = [system for system in systems if system != baseline]
    colours = {baseline: INK}
    for index, system in enumerate(others):
        number = index % len(_SYSTEM_COLOURS)
        colours[system] = f"var(--system-{number + 1}, #{_SYSTEM_COLOURS[number]})"
    return colours


def system_shapes(systems: Sequence[str], baseline: str) -> dict[str, str]:
    """One shape a system, in the same order as the colours."""
    others = [system for system in systems if system != baseline]
    shapes = {system: _SHAPES[index % len(_SHAPES)] for index, system in enumerate(others)}
    return {baseline: "circle", **shapes}


def chart_config() -> dict[str, Any]:
    """Vega-Lite config: calm type, thin grid, no frame."""
    text = {"labelColor": MUTED, "titleColor": INK, "labelFont": FONT, "titleFont": FONT}
    return {
        "background": None,
        "font": FONT,
        "view": {"stroke": None},
        "axis": {
            **text,
            "gridColor": GRID,
            "domainColor": GRID,
            "tickColor": GRID,
            "labelFontSize": 11,
            "titleFontSize": 11,
            "titleFontWeight": "normal",
        },
        "header": {**text, "labelColor": INK, "labelFontSize": 12, "titleFontSize": 12},
        "legend": {**text, "labelColor": INK, "labelFontSize": 12, "titleFontSize": 12},
        "text": {"color": INK, "font": FONT},
        "title": {"color": INK, "font": FONT},
    }


def template(name: str) -> Template:
    """A page's template with what all pages share: style, script, patterns, filters."""
    from jinja2 import ChoiceLoader, Environment, PackageLoader, PrefixLoader, StrictUndefined

    of_kinds = {kind: PackageLoader(f"fsgauge.kinds.{kind}", "page") for kind in kinds.names()}

    environment = Environment(
        loader=ChoiceLoader([PackageLoader("fsgauge.report", "templates"), PrefixLoader(of_kinds)]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(embedded_json=embedded_json, format_size=format_size)
    environment.globals.update(
        style=asset("style.css"), script=asset("hover.js"), hatch=HATCH_PATTERN
    )
    return environment.get_template(name)


def embedded_json(rows: Sequence[dict[str, Any]] | dict[str, Any]) -> str:
    """JSON that may stand inside a script element."""
    return json.dumps(rows, separators=(",", ":"), default=str).replace("<", "\\u003c")


def asset(name: str) -> str:
    """The text of a style sheet or script."""
    return (files("fsgauge.report") / "templates" / name).read_text(encoding="utf-8")
