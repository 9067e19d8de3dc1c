"""Lengths of the extents that each writing test left: the share of bytes in pieces that long.

One panel a test, one line a system; a line further up has its bytes in longer pieces.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fsgauge.kinds.connections.analysis.model import CellExtents, Connections
from fsgauge.report.charts import panels
from fsgauge.report.charts.rows import chart_of
from fsgauge.report.draw import Drawing, draw
from fsgauge.report.theme import system_colours, system_shapes
from fsgauge.stats.results import Results
from fsgauge.units import format_size

if TYPE_CHECKING:
    import altair as alt

PANELS_LIMIT = 6
SMALLEST_BYTES = 4096
Panel = tuple[str, list[dict[str, Any]], tuple[int, int]]


def extents_chart(results: Results) -> Drawing | None:
    """The drawing; None where nothing was scanned."""
    connections = Connections.of(results)
    found = [each for each in connections.extents if each.lengths] if connections else []
    if not found:
        return None
    colours = system_colours(results.systems, results.baseline)
    shapes = system_shapes(results.systems, results.baseline)
    longest = max(at for each in found for at, _ in each.lengths)
    limits = (SMALLEST_BYTES, max(2 * longest, 16 * SMALLEST_BYTES))
    by_cell: dict[str, list[dict[str, Any]]] = {}
    for each in found:
        name = results.cell(each.cell).name
        rows = panels.styled(_rows(each, limits), colours, shapes)
        by_cell.setdefault(name, []).extend(rows)
    shown: list[Panel] = [(name, rows, limits) for name, rows in by_cell.items()][:PANELS_LIMIT]
    label = "Share of bytes in extents of at least some length, by test and system."
    rows = [row for _, panel, _ in shown for row in panel]
    return draw("extents", label, *panels.both(shown, _panel), rows)


def _rows(extents: CellExtents, limits: tuple[int, int]) -> list[dict[str, Any]]:
    """A point at each power of two: where nothing ends, the share stays."""
    shares = dict(extents.lengths)
    rows, at = [], limits[0]
    while at <= limits[1]:
        longer = [share for length, share in shares.items() if length >= at]
        share = max(longer, default=0.0)
        rows.append(
            {
                "system": extents.system,
                "at_least_bytes": at,
                "percent": 100 * share,
                "tip": f"{extents.system}: {100 * share:.3g} % of bytes in extents of at least"
                f" {format_size(at)}; {extents.per_file.value:.3g} extents a file",
            }
        )
        at *= 2
    return rows


def _panel(panel: Panel, width: int) -> alt.TopLevelMixin:
    import altair as alt

    name, rows, limits = panel
    sizes = [at for at in _powers(*limits) if at in _labelled(*limits)]
    names = " : ".join(f"datum.value == {at} ? '{format_size(at)}'" for at in sizes)
    x = alt.X(
        "at_least_bytes:Q",
        scale=alt.Scale(type="log", base=2, domain=list(limits), nice=False),
        axis=alt.Axis(title="extents of at least", values=sizes, labelExpr=f"{names} : ''"),
    )
    y = alt.Y(
        "percent:Q",
        scale=alt.Scale(domain=[0, 100], nice=False),
        axis=alt.Axis(title="% of bytes", tickCount=5),
    )
    base = chart_of(rows).encode(x=x, y=y, color=alt.Color("colour:N", scale=None))
    return alt.layer(
        base.mark_line(strokeWidth=1.5).encode(detail="system:N"),
        base.mark_point(filled=True, size=26, opacity=1).encode(
            shape=alt.Shape("shape:N", scale=None), description="tip:N"
        ),
    ).properties(width=width, height=150, title=panels.heading(name))


def _powers(low: int, high: int) -> list[int]:
    return [1 << bit for bit in range(low.bit_length() - 1, high.bit_length())]


def _labelled(low: int, high: int) -> set[int]:
    """At most six sizes have a name."""
    powers = _powers(low, high)
    return set(powers[:: max(1, -(-len(powers) // 6))])
