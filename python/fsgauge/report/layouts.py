"""The section "Layouts": each system's numbers before and after the runs, in words."""

from __future__ import annotations

import math
from dataclasses import dataclass

from fsgauge.report import words
from fsgauge.report.table_parts import NEVER_VARIED
from fsgauge.report.theme import GLYPHS
from fsgauge.scan.numbers import QUANTITIES, Quantity
from fsgauge.scan.words import number
from fsgauge.stats.layouts import SHOWN
from fsgauge.stats.results import LayoutNumber, LayoutRatio, Results

_QUANTITIES = {quantity.name: quantity for quantity in QUANTITIES}


@dataclass(frozen=True)
class LayoutLine:
    """One number of one system; the ratio stands beside extents a file alone."""

    system: str
    label: str
    page: str
    before: str
    before_interval: str
    after: str
    after_interval: str
    blocks: int
    ratio: str


def layout_lines(results: Results) -> list[LayoutLine]:
    """A line a system and number, number by number; empty without scans."""
    if results.layouts is None:
        return []
    found = {(each.system, each.name, each.when): each for each in results.layouts.numbers}
    ratios = {each.system: each for each in results.layouts.ratios}
    lines = []
    for name in SHOWN:
        quantity = _QUANTITIES[name]
        for system in results.systems:
            before = found.get((system, name, "before"))
            after = found.get((system, name, "after"))
            if before is None and after is None:
                continue
            ratio = ratios.get(system) if name == SHOWN[0] else None
            lines.append(
                LayoutLine(
                    system=system,
                    label=quantity.label,
                    page=quantity.page,
                    before=_value(before, quantity),
                    before_interval=_interval(before, quantity),
                    after=_value(after, quantity),
                    after_interval=_interval(after, quantity),
                    blocks=max(each.n for each in (before, after) if each is not None),
                    ratio=ratio_words(ratio) if ratio else "",
                )
            )
    return lines


def ratio_words(entry: LayoutRatio) -> str:
    """Ratio, interval and verdict: "1.52 (1.41 to 1.63) ▼ worse"."""
    interval = words.ratio_range(entry.low, entry.high)
    if _is_a_point(entry.low, entry.high):
        interval = NEVER_VARIED
    return f"{words.ratio(entry.ratio)} ({interval}) {GLYPHS[entry.verdict]} {entry.verdict}"


def _is_a_point(low: float | None, high: float | None) -> bool:
    """Layouts often repeat exactly: an interval without width says so in words."""
    return low is not None and high is not None and math.isclose(low, high, rel_tol=1e-12)


def _value(entry: LayoutNumber | None, quantity: Quantity) -> str:
    return "" if entry is None else number(float(entry.value), quantity.unit)


def _interval(entry: LayoutNumber | None, quantity: Quantity) -> str:
    if entry is None:
        return ""
    if entry.low is None or entry.high is None:
        return "one block"
    if _is_a_point(entry.low, entry.high):
        return NEVER_VARIED
    high = min(entry.high, 100.0) if quantity.unit == "%" else entry.high
    low = max(entry.low, 0.0)
    return f"{number(float(low), quantity.unit)} to {number(float(high), quantity.unit)}"
