"""Templates of pages, with what all pages share: style, script, patterns, filters."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from fsgauge import kinds
from fsgauge.report.draw import HATCH_PATTERN
from fsgauge.units import format_size

if TYPE_CHECKING:
    from jinja2 import Template


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
        style=_asset("style.css"), script=_asset("hover.js"), hatch=HATCH_PATTERN
    )
    return environment.get_template(name)


def embedded_json(rows: Sequence[dict[str, Any]] | dict[str, Any]) -> str:
    """JSON that may stand inside a script element."""
    return json.dumps(rows, separators=(",", ":"), default=str).replace("<", "\\u003c")


def _asset(name: str) -> str:
    return (files("fsgauge.report") / "templates" / name).read_text(encoding="utf-8")
