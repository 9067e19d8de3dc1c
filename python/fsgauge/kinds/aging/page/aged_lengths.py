"""In what pieces things lie as the file system is emptied: written files, and free space.

Above, the share of bytes in extents of at least some length, a panel a level and a line a system;
below, the same of free space, a panel a system and a line a level.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from fsgauge.kinds.aging.analysis.model import Aging, AgingLayout
from fsgauge.report.charts import panels
from fsgauge.report.draw import Drawing, chart_of, draw
from fsgauge.report.theme import system_colours, system_shapes
from fsgauge.stats.results import Results
from fsgauge.units import format_size

if TYPE_CHECKING:
    import altair as alt

STEPS = (0, 25, 50, 75, 100)
PER_LINE = 4
SMALLEST_BYTES = 64 << 10
FAINTEST = 0.3
Limits = tuple[int, int]
Panel = tuple[str, list[dict[str, Any]], Limits, str]


def steps_of(levels: Sequence[int]) -> list[int]:
    """At most five levels to show, from the least free to the most."""
    if not levels:
        return []
    found = [min(levels, key=lambda level: abs(level - step)) for step in STEPS]
    return list(dict.fromkeys(found))


def written_lengths(results: Results) -> Drawing | None:
    """Extents of the files that were written at each shown level; None without scans."""
    aging = Aging.of(results)
    if aging is None or not aging.layouts:
        return None
    colours = system_colours(results.systems, results.baseline)
    shapes = system_shapes(results.systems, results.baseline)
    shown: list[Panel] = []
    limits = _limits([each.lengths.at_least for each in aging.layouts])
    for level in [None, *steps_of(aging.levels)]:
        found = [each for each in aging.layouts if each.free_percent == level]
        rows = [row for each in found for row in _rows(each, each.lengths.at_least, limits)]
        if rows:
            name = "clean" if level is None else f"{level} % free"
            styled = panels.styled(rows, colours, shapes)
            shown.append((name, styled, limits, "% of bytes written"))
    label = "Share of written bytes in extents of at least some length, by level and system."
    return _drawn("lengths", label, shown)


def free_lengths(results: Results) -> Drawing | None:
    """Pieces of free space, by level; None where nobody knows them."""
    aging = Aging.of(results)
    known = [each for each in aging.layouts if each.free and each.free.at_least] if aging else []
    if aging is None or not known:
        return None
    limits = _limits([each.free.at_least for each in known if each.free is not None])
    shown = [
        (system, rows, limits, "% of free bytes")
        for system in results.systems
        if (rows := _free_rows(aging, system, limits))
    ]
    label = "Share of free bytes in pieces of at least some length, by system and level."
    return _drawn("free", label, shown)


def _drawn(name: str, label: str, shown: list[Panel]) -> Drawing | None:
    if not shown:
        return None
    rows = [row for _, panel, _, _ in shown for row in panel]
    return draw(name, label, *panels.both(shown, _panel, PER_LINE), rows)


def _limits(found: Sequence[Sequence[tuple[int, float]]]) -> Limits:
    lengths = [length for each in found for length, _ in each]
    return min([SMALLEST_BYTES, *lengths]), max(2 * max(lengths), 16 * SMALLEST_BYTES)


def _rows(
    layout: AgingLayout, at_least: Sequence[tuple[int, float]], limits: Limits
) -> list[dict[str, Any]]:
    """A point at each power of two: where nothing ends, the share stays."""
    rows, at = [], 1 << (limits[0].bit_length() - 1)
    while at <= limits[1]:
        share = max((share for length, share in at_least if length >= at), default=0.0)
        rows.append(
            {
                "system": layout.system,
                "free_percent": layout.free_percent,
                "at_least_bytes": at,
                "percent": 100 * share,
                "line": layout.system,
                "tip": f"{layout.system}: {100 * share:.3g} % of bytes in pieces of at least"
                f" {format_size(at)}",
            }
        )
        at *= 2
    return rows


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
                "line": f"{level} %",
                "colour": "var(--accent, #0072b2)",
                "shape": "circle",
                "opacity": 1 - (1 - FAINTEST) * (len(steps) - 1 - place) / max(len(steps) - 1, 1),
                "tip": f"{level} % free, " + row["tip"],
            }
            for row in _rows(layout, layout.free.at_least, limits)
        ]
    return rows


def _panel(panel: Panel, width: int) -> alt.TopLevelMixin:
    import altair as alt

    name, rows, limits, title = panel
    powers = [1 << bit for bit in range(limits[0].bit_length() - 1, limits[1].bit_length())]
    sizes = powers[:: max(1, -(-len(powers) // 4))]
    names = " : ".join(f"datum.value == {at} ? '{format_size(at)}'" for at in sizes)
    x = alt.X(
        "at_least_bytes:Q",
        scale=alt.Scale(type="log", base=2, domain=list(limits), nice=False),
        axis=alt.Axis(title="pieces of at least", values=sizes, labelExpr=f"{names} : ''"),
    )
    y = alt.Y(
        "percent:Q",
        scale=alt.Scale(domain=[0, 100], nice=False),
        axis=alt.Axis(title=title, tickCount=5),
    )
    strength = alt.Opacity("opacity:Q", scale=None) if "opacity" in rows[0] else alt.value(1)
    base = chart_of(rows).encode(x=x, y=y, color=alt.Color("colour:N", scale=None))
    layers = [
        base.mark_line(strokeWidth=1.5).encode(detail="line:N", opacity=strength),
        base.mark_point(filled=True, size=22).encode(
            shape=alt.Shape("shape:N", scale=None), description="tip:N", opacity=strength
        ),
    ]
    return alt.layer(*layers).properties(width=width, height=140, title=panels.heading(name))
