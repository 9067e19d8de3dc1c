"""Cost by block size and queue depth: one panel per system and pattern.

The colour is the change from the baseline, log scaled and clipped at half and double; an undecided
cell is hatched and says which effect would have shown. Text is only what its cell has room for.
"""

from __future__ import annotations

import math
from itertools import groupby
from typing import Any

from fsgauge.kinds.overhead.factors import OverheadFactors
from fsgauge.report import vega, words
from fsgauge.report.charts import panels
from fsgauge.report.draw import Drawing, chart_of, draw
from fsgauge.report.labels import labels_of
from fsgauge.report.theme import GAIN, GLYPHS, GRID, HATCH, INK, LOSS
from fsgauge.stats.metrics import METRICS
from fsgauge.stats.results import Comparison, Results
from fsgauge.stats.verdict import OPEN
from fsgauge.stats.wording import HOPELESS_PERCENT
from fsgauge.units import format_size

WIDE_PIXELS = 1080
NARROW_PIXELS = 300
CELL_HEIGHT = 36
CELL_PIXELS = 72
AXIS_PIXELS = 60
STRONGEST = 0.7
NAME_PIXELS = 8.8
"""Of a letter of a panel's name in the widest of fonts."""
LETTER_PIXELS = 6.9
"""Of a letter of 11 pixels in a wide font."""
SMALL = 9 / 11
"""Small letters over those."""


def heat_map(results: Results) -> Drawing | None:
    rows = [_row(results, entry) for entry in _entries(results)]
    if len(results.cells) < 2 or not rows:
        return None
    label = f"Change from {results.baseline} by block size and queue depth, each system, pattern."
    note = panels.left_out(results)
    return draw("overhead", label, lambda: _wide(rows), lambda: _narrow(rows), rows, note=note)


def _entries(results: Results) -> list[Comparison]:
    systems = panels.drawn_systems(results)
    return [
        entry
        for entry in results.comparisons
        if entry.metric == results.primary_metrics[entry.cell] and entry.system in systems
    ]


def _row(results: Results, entry: Comparison) -> dict[str, Any]:
    label = labels_of(results.systems)[entry.system]
    cell = results.cell(entry.cell)
    factors = OverheadFactors.of(cell)
    gain = (entry.ratio > 1) == METRICS[entry.metric].higher_is_better
    undecided = entry.verdict in OPEN
    below = words.plus_minus(entry.low, entry.high)
    glyph = GLYPHS[entry.verdict if entry.is_claimed else "undecided"]
    if undecided and entry.detectable_percent is not None:
        is_hopeless = entry.detectable_percent >= HOPELESS_PERCENT
        below = "≥ x 10" if is_hopeless else f"≥ {words.percent(entry.detectable_percent)}"
    return {
        "system": entry.system,
        "label": label,
        "pattern": factors.panel,
        "size": format_size(factors.block_size_bytes),
        "size_bytes": factors.block_size_bytes,
        "depth": factors.queue_depth,
        "ratio": entry.ratio,
        "verdict": entry.verdict,
        "glyph": glyph,
        "above": f"{glyph} {words.change(entry.ratio)}",
        "below": below,
        "colour": GAIN if gain else LOSS,
        "opacity": 0.0 if undecided else _strength(entry.ratio),
        "hatch": HATCH if undecided else "none",
        "tip": f"{entry.system}, {cell.name}:"
        f" {words.ratio(entry.ratio, entry.low, entry.high)} of {results.baseline}"
        f" ({words.interval(entry.low, entry.high, entry.n)}), {words.verdict(entry)},"
        f" {entry.n} blocks",
    }


def _strength(ratio: float) -> float:
    """0 at no change; STRONGEST at half or double and beyond; the root shows small ones too."""
    return STRONGEST * math.sqrt(min(1.0, abs(math.log2(ratio))))


def _wide(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """One column a system where cells then have room for their text, else lines of panels, as the
    patterns of one system are."""
    grid = [_split(line, "system") for line in _split(rows, "pattern")]
    sizes = len(_sizes(rows))
    longest = max(len(row["label"]) for row in rows) * NAME_PIXELS
    beside = 0
    if max(map(len, grid)) == 1:
        grid = [[panel for (panel,) in grid]]
        longest = max(longest, max(len(row["pattern"]) for row in rows) * LETTER_PIXELS)
        beside = AXIS_PIXELS  # the pattern's words begin over the axis
    named = round(longest) + 12
    needed = max(round(sizes * _text_pixels(rows, SMALL)) + AXIS_PIXELS, named)
    columns = max(1, min(max(map(len, grid)), WIDE_PIXELS // needed))
    most = WIDE_PIXELS // columns - AXIS_PIXELS
    width = min(most, max(CELL_PIXELS * sizes, named - AXIS_PIXELS))
    lines: list[dict[str, Any]] = []
    for line in grid:
        drawn = [_panel(each, width, width + beside).specification for each in line]
        lines += [
            {"hconcat": drawn[start : start + columns]} for start in range(0, len(drawn), columns)
        ]
    return {"vconcat": lines, "spacing": 18}


def _narrow(rows: list[dict[str, Any]]) -> dict[str, Any]:
    width = min(CELL_PIXELS * len(_sizes(rows)), NARROW_PIXELS)
    drawn = [
        _panel(panel, width, NARROW_PIXELS).specification
        for line in _split(rows, "pattern")
        for panel in _split(line, "system")
    ]
    right = 8 if width > NARROW_PIXELS // 2 else NARROW_PIXELS // 5
    return {"vconcat": drawn, "spacing": 14, "padding": {"left": 8, "right": right, "top": 5}}


def _text_pixels(rows: list[dict[str, Any]], size: float = 1.0) -> float:
    letters = max(max(len(row["above"]), len(row["below"])) for row in rows)
    return letters * LETTER_PIXELS * size + 6


def _split(rows: list[dict[str, Any]], field: str) -> list[list[dict[str, Any]]]:
    order = list(dict.fromkeys(row[field] for row in rows))
    ranked = sorted(rows, key=lambda row: order.index(row[field]))
    return [list(group) for _, group in groupby(ranked, key=lambda row: row[field])]


def _sizes(rows: list[dict[str, Any]]) -> list[str]:
    return list(dict.fromkeys(row["size"] for row in sorted(rows, key=lambda r: r["size_bytes"])))


def _panel(rows: list[dict[str, Any]], width: int, room: int) -> vega.Chart:
    """`room` are the pixels of its name."""
    sizes = _sizes(rows)
    depths = sorted({row["depth"] for row in rows}, reverse=True)
    plain: dict[str, Any] = {"labelAngle": 0, "domain": False, "ticks": False}
    x = vega.field("size:N", sort=sizes, title="block size", axis=dict(**plain))
    y = vega.field("depth:O", sort=depths, title="queue depth", axis=dict(**plain))
    base = chart_of(rows).encode(x=x, y=y)
    layers = [
        base.mark("rect", stroke=GRID, strokeWidth=1).encode(
            color=panels.colour(), fillOpacity=vega.field("opacity:Q", scale=None)
        ),
        base.mark("rect", stroke=None).encode(
            color=vega.field("hatch:N", scale=None), description=vega.field("tip:N")
        ),
        *_texts(rows, base, width / len(sizes)),
    ]
    title = panels.heading(rows[0]["label"], room, rows[0]["pattern"])
    return vega.layer(*layers).properties(
        width=width, height=CELL_HEIGHT * len(depths), title=title
    )


def _texts(rows: list[dict[str, Any]], base: vega.Chart, pixels: float) -> list[vega.Chart]:
    """Change and, below it, its interval; in narrow cells the verdict's sign alone."""
    if pixels < _text_pixels(rows, SMALL):
        return [base.mark("text", fontSize=11, color=INK).encode(text=vega.field("glyph:N"))]
    font = 11 if pixels >= _text_pixels(rows) else 9
    above = base.mark("text", dy=-7, fontSize=font, color=INK)
    below = base.mark("text", dy=8, fontSize=font - 1, color=INK, opacity=0.8)
    return [above.encode(text=vega.field("above:N")), below.encode(text=vega.field("below:N"))]
