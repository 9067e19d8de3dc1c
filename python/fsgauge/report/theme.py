"""Colours, shapes and the chart style, for light, dark and paper; and the templates of pages.

Colours are CSS variables with a fallback, so one drawing serves both modes in the page and the
fallback serves where a chart is on its own. Systems: Okabe and Ito, "Color universal design"
(2008), with a shape each, so that grey print works too.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

from fsgauge import kinds
from fsgauge.errors import escaped
from fsgauge.report.labels import labels_of
from fsgauge.stats.wording import in_lines
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
FONT = "Arial, Helvetica, sans-serif"
"""Nearly every machine has it or one as wide: places are measured before a browser draws them."""

_SYSTEM_COLOURS = ("0072b2", "e69f00", "009e73", "cc79a7", "56b4e9", "d55e00", "a89f00")
_SHAPES = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross", "triangle-right")

_DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [4, 2, 1, 2])
SIGNS = {
    "circle": "●",
    "square": "■",
    "triangle-up": "▲",
    "diamond": "◆",
    "triangle-down": "▼",
    "cross": "✚",
    "triangle-right": "▶",
}
"""The shapes as letters."""
GLYPHS = {"better": "▲", "worse": "▼", "equivalent": "≈", "undecided": "?", "too noisy": "?"}


class Look(NamedTuple):
    """How a system is drawn: colour, shape and dash."""

    colour: str
    shape: str
    dash: list[int]


def looks(systems: Sequence[str], baseline: str) -> dict[str, Look]:
    """One look a system; the baseline is ink, the others follow the study's order. Beyond seven a
    colour comes again with another shape and dash; each of 49 pairs of colour and shape once."""
    found = {baseline: Look(INK, "circle", _DASHES[0])}
    colours = len(_SYSTEM_COLOURS)
    others = [system for system in systems if system != baseline]
    for index, system in enumerate(others):
        again, number = divmod(index, colours)
        found[system] = Look(
            f"var(--system-{number + 1}, #{_SYSTEM_COLOURS[number]})",
            _SHAPES[(index + again) % len(_SHAPES)],
            _DASHES[again % len(_DASHES)],
        )
    return found


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
            "labelSeparation": 6,
        },
        "axisY": {"titlePadding": 12},
        "header": {**text, "labelColor": INK, "labelFontSize": 12, "titleFontSize": 12},
        "legend": {**text, "labelColor": INK, "labelFontSize": 12, "titleFontSize": 12},
        "text": {"color": INK, "font": FONT},
        "title": {"color": INK, "font": FONT},
    }


def template(name: str, systems: Sequence[str] = (), baseline: str = "") -> Template:
    """A page's template with what all pages share: style, script, patterns, filters. The names of
    `systems` go through `named` (a label with the name on hover) or `marked`, which has the
    system's mark before it."""
    from jinja2 import ChoiceLoader, Environment, PackageLoader, PrefixLoader, StrictUndefined

    with_templates = filter(kinds.has_page_folder, kinds.names())
    of_kinds = {kind: PackageLoader(f"fsgauge.kinds.{kind}", "page") for kind in with_templates}
    environment = Environment(
        loader=ChoiceLoader([PackageLoader("fsgauge.report", "templates"), PrefixLoader(of_kinds)]),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_escaped,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    names = _Names(systems, baseline)
    environment.filters.update(
        as_command=as_command,
        embedded_json=embedded_json,
        format_size=format_size,
        in_lines=lambda text: in_lines(text, systems),
        named=names.named,
        marked=names.marked,
    )
    environment.globals.update(
        style=asset("style.css"), script=asset("hover.js"), hatch=HATCH_PATTERN
    )
    return environment.get_template(name)


def _escaped(value: object) -> object:
    """What a page says, markup or not, with what cannot be printed escaped."""
    if not isinstance(value, str) or value.isprintable():
        return value
    return type(value)(escaped(value, "\n\t"))


class _Names:
    """Names of systems as a page writes them; other text stays as it is."""

    def __init__(self, systems: Sequence[str], baseline: str) -> None:
        self._labels = labels_of(systems)
        self._looks = looks(systems, baseline)

    def named(self, system: str) -> str:
        """The label, with the whole name on hover."""
        from markupsafe import Markup

        label = self._labels.get(system, system)
        if label == system:
            return system
        return Markup('<span title="{}">{}</span>').format(system, label)

    def marked(self, system: str) -> str:
        """The label behind the system's mark in its colour."""
        from markupsafe import Markup

        mark = Markup('<i class="mark" style="color:{}">{}</i> {}')
        colour, shape, _ = self._looks[system]
        return mark.format(colour, SIGNS[shape], self.named(system))


def as_command(command: str) -> str:
    """A command whose options are not broken at their dashes; words may part at spaces."""
    from markupsafe import Markup, escape

    option = Markup('<span class="option">{}</span>')
    return Markup(" ").join(
        option.format(word) if word.startswith("-") else escape(word) for word in command.split(" ")
    )


def embedded_json(rows: Sequence[dict[str, Any]] | dict[str, Any]) -> str:
    """JSON that may stand inside a script element."""
    return json.dumps(rows, separators=(",", ":"), default=str).replace("<", "\\u003c")


def asset(name: str) -> str:
    return (files("fsgauge.report") / "templates" / name).read_text(encoding="utf-8")
