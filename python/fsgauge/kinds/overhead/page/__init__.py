"""What the page shows of a study of kind overhead: cost by block size and queue depth.

One panel per system and pattern. The colour is the change from the baseline, log scaled and clipped
at half and double; an undecided cell is hatched and says which effect would have shown.
"""

from __future__ import annotations

import math
from itertools import groupby
from typing import TYPE_CHECKING, Any

from fsgauge.kinds.overhead.factors import OverheadFactors
from fsgauge.kinds.overhead.page.claims import claims_table
from fsgauge.kinds.overhead.page.fluctuation import fluctuation_table
from fsgauge.published.ledger import ledger_of
from fsgauge.report import words
from fsgauge.report.charts import panels
from fsgauge.report.charts.depth import depth_curves
from fsgauge.report.draw import Drawing, chart_of, draw
from fsgauge.report.kind_page import KindPage
from fsgauge.report.theme import GAIN, GLYPHS, GRID, HATCH, INK, LOSS
from fsgauge.stats.metrics import METRICS
from fsgauge.stats.results import Comparison, Results
from fsgauge.store import StoredStudy
from fsgauge.units import format_size

if TYPE_CHECKING:
    import altair as alt

WIDE_PIXELS = 1080
NARROW_PIXELS = 300
CELL_HEIGHT = 36
STRONGEST = 0.7


def heatmap(results: Results) -> Drawing | None:
    """The drawing; None with one cell or with nothing to compare."""
    rows = [_row(results, entry) for entry in _entries(results)]
    if len(results.cells) < 2 or not rows:
        return None
    label = f"Change from {results.baseline} by block size and queue depth, each system, pattern."
    return draw("overhead", label, lambda: _wide(rows), lambda: _narrow(rows), rows)


def _entries(results: Results) -> list[Comparison]:
    """The comparisons of each cell's primary metric."""
    return [
        entry
        for entry in results.comparisons
        if entry.metric == results.primary_metrics[entry.cell]
    ]


def _row(results: Results, entry: Comparison) -> dict[str, Any]:
    cell = results.cell(entry.cell)
    factors = OverheadFactors.of(cell)
    gain = (entry.ratio > 1) == METRICS[entry.metric].higher_is_better
    undecided = entry.verdict == "undecided"
    below = words.plus_minus(entry.low, entry.high)
    glyph = GLYPHS["undecided" if entry.in_memory else entry.verdict]
    if undecided and entry.detectable_percent is not None:
        below = f"≥ {words.percent(entry.detectable_percent)}"
    return {
        "system": entry.system,
        "pattern": factors.panel,
        "size": format_size(factors.block_size_bytes),
        "size_bytes": factors.block_size_bytes,
        "depth": factors.queue_depth,
        "ratio": entry.ratio,
        "verdict": entry.verdict,
        "above": f"{glyph} {words.change(entry.ratio)}",
        "below": below,
        "colour": GAIN if gain else LOSS,
        "opacity": 0.0 if undecided else _strength(entry.ratio),
        "hatch": HATCH if undecided else "none",
        "tip": f"{entry.system}, {cell.name}: {words.ratio(entry.ratio)} of {results.baseline}"
        f" ({words.interval(entry.low, entry.high, entry.n)}), {words.verdict(entry)},"
        f" {entry.n} blocks",
    }


def _strength(ratio: float) -> float:
    """0 at no change; STRONGEST at half or double and beyond; the root shows small ones too."""
    return STRONGEST * math.sqrt(min(1.0, abs(math.log2(ratio))))


def _wide(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """One line of panels a pattern, one column a system."""
    systems = len({row["system"] for row in rows})
    width = min(72 * len(_sizes(rows)), (WIDE_PIXELS - 60) // systems - 18)
    lines = []
    for line in _split(rows, "pattern"):
        drawn = [panels.specification(_panel(panel, width)) for panel in _split(line, "system")]
        lines.append({"hconcat": drawn})
    return {"vconcat": lines, "spacing": 18}


def _narrow(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """All panels in one column."""
    width = min(72 * len(_sizes(rows)), NARROW_PIXELS)
    drawn = [
        panels.specification(_panel(panel, width))
        for line in _split(rows, "pattern")
        for panel in _split(line, "system")
    ]
    return {"vconcat": drawn, "spacing": 14}


def _split(rows: list[dict[str, Any]], field: str) -> list[list[dict[str, Any]]]:
    """Rows by one field, in the order in which its values first appear."""
    order = list(dict.fromkeys(row[field] for row in rows))
    ranked = sorted(rows, key=lambda row: order.index(row[field]))
    return [list(group) for _, group in groupby(ranked, key=lambda row: row[field])]


def _sizes(rows: list[dict[str, Any]]) -> list[str]:
    return list(dict.fromkeys(row["size"] for row in sorted(rows, key=lambda r: r["size_bytes"])))


def _panel(rows: list[dict[str, Any]], width: int) -> alt.TopLevelMixin:
    import altair as alt

    sizes = _sizes(rows)
    depths = sorted({row["depth"] for row in rows}, reverse=True)
    plain: dict[str, Any] = {"labelAngle": 0, "domain": False, "ticks": False}
    x = alt.X("size:N", sort=sizes, title="block size", axis=alt.Axis(**plain))
    y = alt.Y("depth:O", sort=depths, title="queue depth", axis=alt.Axis(**plain))
    base = chart_of(rows).encode(x=x, y=y)
    cell_width = width / len(sizes)
    font = 11 if cell_width >= 58 else 9
    layers = [
        base.mark_rect(stroke=GRID, strokeWidth=1).encode(
            color=panels.colour(),
            fillOpacity=alt.FillOpacity("opacity:Q", scale=None),
        ),
        base.mark_rect(stroke=None).encode(
            color=alt.Color("hatch:N", scale=None), description="tip:N"
        ),
    ]
    two_lines = cell_width >= 42
    above = base.mark_text(dy=-7 if two_lines else 0, fontSize=font, color=INK)
    layers.append(above.encode(text="above:N"))
    if two_lines:
        below = base.mark_text(dy=8, fontSize=font - 1, color=INK, opacity=0.8)
        layers.append(below.encode(text="below:N"))
    title = alt.TitleParams(
        f"{rows[0]['system']}, {rows[0]['pattern']}", anchor="start", fontSize=12, offset=4
    )
    return alt.layer(*layers).properties(width=width, height=CELL_HEIGHT * len(depths), title=title)


class OverheadPage(KindPage):
    """A panel a system and pattern, and the cost against queue depth."""

    sections = ("overhead/sections.html.j2",)

    def pictures(self, results: Results, stored: StoredStudy) -> list[Drawing | None]:  # noqa: ARG002
        """Heatmap and curves."""
        return [heatmap(results), depth_curves(results)]

    def values(self, results: Results, stored: StoredStudy) -> dict[str, Any]:  # noqa: ARG002
        """Published claims beside its own numbers, and what varied over time."""
        return {
            "claims": claims_table(results, ledger_of("overhead")),
            "fluctuation": fluctuation_table(results),
        }


PAGE = OverheadPage()
