"""In what pieces things lie as the file system is emptied: written files, and free space.

Above, the share of bytes in extents of at least some length, a panel a level and a line a system;
below, the same of free space, a panel a system and a line a level.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fsgauge.kinds.aging.analysis.model import Aging
from fsgauge.kinds.aging.page.against_free import level_words
from fsgauge.report.charts import panels
from fsgauge.report.charts.lengths import Limits, Panel, lengths_chart, limits_of, rows_of
from fsgauge.report.draw import Drawing
from fsgauge.stats.results import Results

STEPS = (0, 25, 50, 75, 100)
PER_LINE = 4
SMALLEST_BYTES = 64 << 10
FAINTEST = 0.3
PIECES = "pieces"


def steps_of(levels: Sequence[int]) -> list[int]:
    """At most five levels to show, from the least free to the most."""
    if not levels:
        return []
    found = [min(levels, key=lambda level: abs(level - step)) for step in STEPS]
    return list(dict.fromkeys(found))


def written_lengths(results: Results) -> Drawing | None:
    """Extents of the files that were written at each shown level; None without scans."""
    aging, shown = Aging.within(results), []
    if not aging.layouts:
        return None
    drawn = panels.drawn_systems(results)
    limits = _limits([each.lengths.at_least for each in aging.layouts])
    for level in [None, *steps_of(aging.levels)]:
        rows = [
            {**row, "free_percent": level}
            for each in aging.layouts
            if each.free_percent == level and each.system in drawn
            for row in rows_of(each.system, PIECES, each.lengths.at_least, limits)
        ]
        if rows:
            styled = panels.styled(results, rows)
            shown.append(Panel(level_words(level), styled, limits, PIECES, "% of bytes written"))
    label = "Share of written bytes in extents of at least some length, by level and system."
    return lengths_chart("lengths", label, shown, PER_LINE, panels.left_out(results))


def free_lengths(results: Results) -> Drawing | None:
    """Pieces of free space, by level; None where they are unknown."""
    aging = Aging.within(results)
    known = [each.free.at_least for each in aging.layouts if each.free and each.free.at_least]
    if not known:
        return None
    limits = _limits(known)
    shown = [
        Panel(system, rows, limits, PIECES, "% of free bytes")
        for system in panels.drawn_systems(results)
        if (rows := _free_rows(aging, system, limits))
    ]
    label = "Share of free bytes in pieces of at least some length, by system and level."
    return lengths_chart("free", label, shown, PER_LINE, panels.left_out(results))


def _limits(found: Sequence[Sequence[tuple[int, float]]]) -> Limits:
    smallest = min([SMALLEST_BYTES, *(length for each in found for length, _ in each)])
    return smallest, limits_of(SMALLEST_BYTES, found)[1]


def _free_rows(aging: Aging, system: str, limits: Limits) -> list[dict[str, Any]]:
    """Lines of one system from little free (faint) to all free (strong)."""
    rows = []
    steps = steps_of(aging.levels)
    for place, level in enumerate(steps):
        layout = aging.layout(system, level)
        if layout is None or layout.free is None or not layout.free.at_least:
            continue
        rows += [
            {
                **row,
                "free_percent": level,
                "line": f"{level} %",
                "colour": "var(--accent, #0072b2)",
                "shape": "circle",
                "opacity": 1 - (1 - FAINTEST) * (len(steps) - 1 - place) / max(len(steps) - 1, 1),
                "tip": f"{level} % free, " + row["tip"],
            }
            for row in rows_of(system, PIECES, layout.free.at_least, limits)
        ]
    return rows
