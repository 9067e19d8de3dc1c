"""A mark beside the name of each system that gives up durability, wherever a page names it.

The mark goes to names that stand alone in an element: cells of tables, legends, labels of charts.
A sentence says it in words (stats/durability.py).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from html import escape

from fsgauge.durability import MARK
from fsgauge.report.draw import Drawing
from fsgauge.report.labels import labels_of
from fsgauge.stats.results import Results
from fsgauge.stats.wording import NAMED_SYSTEMS
from fsgauge.units import grouped

_NOT_NAMES = "code|desc|pre|script|style|text|title|tspan"
_ELEMENT = re.compile(rf"(<(?!(?:{_NOT_NAMES})\b)[a-z][^<>]*>|</i> )([^<]+)(?=<)")


@dataclass(frozen=True)
class DurabilityLine:
    """One line of the first screen: marked systems and what they give up, or all of them. `systems`
    are those that it names, `unnamed` says how many more there are."""

    systems: tuple[str, ...]
    text: str
    unnamed: int = 0


def durability_lines(results: Results) -> list[DurabilityLine]:
    """A line for those that give up the same, then what holds for all; [] for most studies."""
    groups = grouped((text, system) for system, text in _reasons(results).items())
    alike = [
        DurabilityLine(tuple(systems[:NAMED_SYSTEMS]), text, len(systems[NAMED_SYSTEMS:]))
        for text, systems in groups.items()
    ]
    return [
        *alike,
        *(
            DurabilityLine((), f"{text[:1].upper()}{text[1:]}.")
            for text in results.durability.of_all
        ),
    ]


def _reasons(results: Results) -> dict[str, str]:
    """By system, "data=writeback: a crash may lose or expose old data (ext4.rst)"."""
    found: dict[str, str] = {}
    for system in dict.fromkeys(each.system for each in results.durability.systems):
        found[system] = "; ".join(
            f"{each.option}: {each.loses} ({each.source})" for each in results.durability.of(system)
        )
    return found


def _shown(results: Results) -> dict[str, str]:
    """The systems to mark by what a page calls them: their names, and their labels."""
    labels = labels_of(results.systems)
    systems = list(_reasons(results))
    by_label = {labels[s]: s for s in systems if labels[s] not in results.systems}
    return by_label | {system: system for system in systems}


def marked_page(page: str, results: Results) -> str:
    """The page with a mark behind each of these names; its reason shows under the pointer."""
    reasons = _reasons(results)
    if not reasons:
        return page
    marks = {
        escape(shown): f'{escape(shown)}&nbsp;<sup class="weak" title="{escape(reasons[system])}">'
        f"{MARK}</sup>"
        for shown, system in _shown(results).items()
    }

    def marked(found: re.Match[str]) -> str:
        return found[1] + marks.get(found[2], found[2])

    return _ELEMENT.sub(marked, page)


def marked_drawings(drawings: Mapping[str, Drawing], results: Results) -> dict[str, Drawing]:
    """The pictures with the mark behind these names, also where a cell follows the name."""
    names = sorted(_shown(results), key=len, reverse=True)
    if not names:
        return dict(drawings)
    begins = "|".join(re.escape(escape(name, quote=False)) for name in names)
    label = re.compile(rf"(<text\b[^>]*>(?:{begins}))(?=, |</text>)")

    def redrawn(svg: str) -> str:
        return label.sub(rf"\1 {MARK}", svg)

    return {
        name: replace(
            drawing,
            wide=redrawn(drawing.wide),
            narrow=redrawn(drawing.narrow),
            alone=redrawn(drawing.alone),
        )
        for name, drawing in drawings.items()
    }
