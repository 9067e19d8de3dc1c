"""The first picture: the primary ratios against the baseline, with noise band and verdicts. One row
a cell and system: interval, estimate, faint block ratios behind, words at the right."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fsgauge.durability import MARK
from fsgauge.record.factors import COMMITS
from fsgauge.report import vega, words
from fsgauge.report.charts import axes, marks, panels
from fsgauge.report.charts.axes import Along
from fsgauge.report.draw import Build, Drawing, chart_of, draw
from fsgauge.report.labels import MANY, labels_of, shared_end, shortened
from fsgauge.report.theme import GLYPHS, MUTED
from fsgauge.stats.folders.between import Between
from fsgauge.stats.metrics import METRICS
from fsgauge.stats.ranking import best_first
from fsgauge.stats.results import Comparison, Results
from fsgauge.stats.wording import named_systems

ROWS_LIMIT = 20
VERDICT_PIXELS = 122
NARROW_SYSTEM = 110
NARROW_LINE = 300
HEADER_LETTERS = 44
CELL_LETTERS = 30
"""A longer name of a cell takes the room of the intervals, and on a phone runs across them."""
BASELINE_LETTERS = 18
CELL_PIXELS = 7.2
SYSTEM_PIXELS = 6.8


@dataclass(frozen=True)
class Layout:
    """Pixels of each column; `headers` puts the cell's name on a line of its own, `own_lines` a
    system's above its interval."""

    cell: int
    system: int
    width: int
    right: int
    row: int
    headers: bool
    own_lines: bool = False

    @property
    def letters(self) -> int:
        """How much of a cell's name its column has room for."""
        return int((self.cell - 14) / CELL_PIXELS)

    @property
    def header_at(self) -> int:
        """Where a cell's name begins, left of the plot."""
        return -(self.system if self.headers else self.cell + self.system)


def _wide(rows: list[dict[str, Any]]) -> Layout:
    cell = min(_text_width(rows, "cell", CELL_PIXELS), 330)
    system = min(_text_width(rows, "marked", SYSTEM_PIXELS), 250)
    right = VERDICT_PIXELS + _text_width(rows, "interval", 7.2)
    return Layout(cell, system, max(200, 820 - cell - system - right), right, 17, headers=False)


def _narrow(rows: list[dict[str, Any]]) -> Layout:
    system = _text_width(rows, "marked", SYSTEM_PIXELS)
    if system > NARROW_SYSTEM:
        return Layout(0, 0, 212, 124, 18, headers=True, own_lines=True)
    return Layout(0, system, 220 - system, 124, 20, headers=True)


def _text_width(rows: list[dict[str, Any]], field: str, pixels: float) -> int:
    return math.ceil(max(len(row[field]) for row in rows) * pixels) + 14


def forest(results: Results, *, is_all: bool = False) -> Drawing | None:
    """The drawing, or None when there is nothing to compare; with `is_all`, `further_forest` has
    what this one has no room for."""
    shown, left = primary_entries(results)
    where = "below" if is_all else "in the tables"
    note = f"{len(left)} more rows are {where}." if left else ""
    return _drawing("forest", results, shown, note)


def further_forest(results: Results) -> Drawing | None:
    """The primary rows that the first picture has no room for; None where it has all."""
    return _drawing("further", results, primary_entries(results)[1], "")


def _drawing(
    name: str, results: Results, entries: Sequence[Comparison], note: str
) -> Drawing | None:
    if not entries:
        return None
    rows = [_row(results, entry) for entry in entries]
    end = _left_out(rows)
    note = " ".join(filter(None, (note, f"Each cell: {end}." if end else "", _idle(results))))
    label = f"Ratios to {results.baseline} with 95 % intervals, one row a cell and system."
    return draw(name, label, *forms(results, rows, _axis_title(results)), rows, note=note)


def _idle(results: Results) -> str:
    """Who has no row, since it did nothing."""
    names = results.primary_metrics
    asked = [n for n in results.nothing if n.cell in results.primary_cells]
    idle = list(dict.fromkeys(n.system for n in asked if n.metric == names[n.cell]))
    if not idle:
        return ""
    has = "has" if len(idle) == 1 else "have"
    return (
        f"{named_systems(idle)} did nothing in half or more of the runs of a cell, and {has} no"
        " ratio."
    )


def forms(
    results: Results | Between,
    rows: list[dict[str, Any]],
    title: str,
    ideal: float | None = None,
) -> tuple[Build, Build]:
    """The wide and the narrow drawing of such rows; a row with `noise` has a band, one with `other`
    a second, hollow mark, `also` stands behind its system's name. The `ideal` has a line of its
    own."""
    weak = {each.system for each in results.durability.systems}
    end = _left_out(rows)
    rows = [{**row, "cell": row["cell"].removesuffix(f", {end}" if end else "")} for row in rows]
    styled = [
        {**row, "label": label, "marked": f"{label} {MARK}" if row["system"] in weak else label}
        for row in panels.styled(results, rows)
        for label in [f"{row['label']}{row.get('also', '')}"]
    ]

    def build(layout: Layout) -> Build:
        letters = int(((layout.system or NARROW_LINE) - 10) / SYSTEM_PIXELS)
        fitted = [{**row, "label": shortened(row["label"], letters)} for row in styled]
        return lambda: _chart(fitted, layout, title, ideal).specification

    return build(_wide(styled)), build(_narrow(styled))


def _left_out(rows: Sequence[dict[str, Any]]) -> str:
    """What all cells' names end with, where one is too long for a line."""
    names = [row["cell"] for row in rows]
    return shared_end(names) if max(map(len, names)) > CELL_LETTERS else ""


def primary_entries(results: Results) -> tuple[list[Comparison], list[Comparison]]:
    """The comparisons of the first screen, cell by cell, and those that it has no room for."""
    groups: list[list[Comparison]] = []
    many = len(results.systems) > MANY
    systems = best_first(results) if many else results.systems
    for cell in results.primary_cells:
        found = [
            entry
            for system in systems
            if (entry := results.comparison(cell, system, results.primary_metrics[cell]))
        ]
        if found:
            groups.append(found)
    shown: list[Comparison] = []
    while groups and not (shown and len(shown) + len(groups[0]) > ROWS_LIMIT):
        shown += groups.pop(0)
    return shown, [entry for group in groups for entry in group]


def _row(results: Results, entry: Comparison) -> dict[str, Any]:
    cell = results.cell(entry.cell)
    metric = next(metric for metric in results.metrics if metric.name == entry.metric)
    name = cell.name + ("" if entry.metric == "iops" else f", {metric.label}")
    said = f"{words.verdict(entry)}, {entry.n} blocks"
    blocks = [ratio for _, ratio in entry.blocks]
    row = ratio_row(results, entry, blocks, (entry.cell, entry.system, entry.metric), name, said)
    if not entry.limited_by:
        return row
    return {**row, "words": f"{words.ratio(entry.ratio, entry.low, entry.high)}  limit"}


def ratio_row(
    results: Results,
    entry: words.Ratio,
    blocks: Sequence[float],
    of: tuple[str, str, str],
    name: str,
    said: str,
) -> dict[str, Any]:
    """A row of such a picture: the ratio `of` a cell, system and metric to the baseline. Its
    tooltip names it with `name`, and ends with what is `said` of it."""
    cell, system, metric = of
    ratio, interval = words.ratio(entry.ratio, entry.low, entry.high), words.interval_of(entry)
    return {
        "cell": name,
        "system": system,
        "ratio": entry.ratio,
        **marks.ends(entry),
        "noise": noise_band(results, metric, cell),
        "blocks": blocks,
        "verdict": entry.verdict,
        "words": f"{ratio}  {GLYPHS[entry.verdict]} {entry.verdict}",
        "interval": f"({interval})",
        "tip": f"{system}, {name}: {ratio} of {results.baseline} ({interval}), {said}",
    }


def noise_band(results: Results, metric: str, cell: str) -> tuple[float, float] | None:
    """Where an equal system's ratio lies in 95 of 100 studies."""
    floor = results.noise_of(metric)
    band = floor.band_of(cell) if floor else None
    return (band.low, band.high) if band else None


def _place(rows: list[dict[str, Any]], layout: Layout) -> tuple[list[dict[str, Any]], int]:
    """Rows with their line `y`; a new cell has `header` and, in narrow form, a line of its own."""
    placed, y, previous = [], 0, None
    for row in rows:
        new = row["cell"] != previous
        if new and layout.headers and row["cell"]:
            header = shortened(row["cell"], HEADER_LETTERS)
            placed.append({"header": header, "y": y, "only_header": True})
            y += 1
        header = shortened(row["cell"], layout.letters) if new and not layout.headers else ""
        label_y = y
        y += layout.own_lines
        rule = new and y > 0
        placed.append({**row, "header": header, "y": y, "label_y": label_y, "rule": rule})
        y += 1
        previous = row["cell"]
    return placed, y


def _chart(
    rows: list[dict[str, Any]], layout: Layout, title: str, ideal: float | None
) -> vega.Chart:
    placed, lines = _place(rows, layout)
    measured = [row for row in placed if not row.get("only_header")]
    hollow = [row for row in measured if row.get("other")]
    points = [each for row in measured for each in (row["ratio"], *row["blocks"])]
    points += [row["other"] for row in hollow]
    along = axes.ratios(
        "x",
        axes.ratio_domain([*points, *([ideal] if ideal else [])]),
        6 if layout.headers else 8,
        clamp=True,
        title=title.replace(" (", "\n(").replace(", ", ",\n").splitlines()  # a line each
        if layout.headers
        else title,
        grid=True,
        domain=False,
    )
    down = {"domain": [lines - 0.4, -1.0 if ideal else -0.6]}
    y, label_y = (vega.field(f"{field}:Q", scale=down, axis=None) for field in ("y", "label_y"))
    return vega.layer(
        marks.level(1, along, strokeWidth=1),
        *(_ideal(ideal, along) if ideal else ()),
        *_row_bands(measured, along, y),
        *_second_marks(hollow, along, y),
        *marks.measured(measured, ("ratio", "low", "high"), along, 52, at="y", y=y),
        *_labels(placed, measured, layout, y, label_y),
    ).properties(width=layout.width, height=lines * layout.row, padding=marks.FRAME)


def _ideal(ideal: float, along: Along) -> list[vega.Chart]:
    look: dict[str, Any] = {"align": "right", "dx": -4, "fontSize": 11, "color": MUTED}
    name = chart_of([{"x": ideal, "text": "ideal"}]).mark("text", **look)
    return [
        marks.level(ideal, along, color=MUTED, strokeDash=[1, 3]),
        name.encode(x=along.channel("x"), y=vega.value(2), text=vega.field("text:N")),
    ]


def _axis_title(results: Results) -> str:
    cell = results.primary_cells[0]
    metric = METRICS[results.primary_metrics[cell]]
    better = "higher" if metric.higher_is_better else "lower"
    is_of_commits = results.unit_in(cell, metric.unit) == COMMITS
    label = "commits per second" if is_of_commits else metric.label
    return f"{label}, {over_baseline(results)} ({better} is better)"


def over_baseline(results: Results) -> str:
    """ "ratio to raw"; a long name loses its middle."""
    label = labels_of(results.systems)[results.baseline]
    return f"ratio to {shortened(label, BASELINE_LETTERS)}"


def _row_bands(rows: list[dict[str, Any]], along: Along, y: vega.Channel) -> list[vega.Chart]:
    spans = [
        {
            "from": row["noise"][0],
            "to": row["noise"][1],
            "y": row["y"] - 0.5,
            "y_to": row["y"] + 0.5,
        }
        for row in rows
        if row.get("noise")
    ]
    return marks.bands(spans, along, 0.55, y=y, y2="y_to:Q")


def _second_marks(rows: list[dict[str, Any]], along: Along, y: vega.Channel) -> list[vega.Chart]:
    if not rows:
        return []
    marked = chart_of(rows).mark("point", size=44, filled=False, color=MUTED)
    return [marked.encode(x=along.channel("other"), y=y)]


def _labels(
    placed: list[dict[str, Any]],
    rows: list[dict[str, Any]],
    layout: Layout,
    y: vega.Channel,
    label_y: vega.Channel,
) -> list[vega.Chart]:
    """Names at the left, the ratio and its verdict at the right, a thin line between cells."""
    headers = [row for row in placed if row["header"]]
    right = layout.width + 10
    ruled = headers if layout.headers else [row for row in placed if row.get("rule")]
    lines = [row["y"] - 0.5 for row in ruled]
    room = layout.system or NARROW_LINE
    labels = [
        marks.rules(lines, y, layout.header_at, layout.width + layout.right),
        marks.text(headers, "header", y, layout.header_at, layout.cell or 330, "bold"),
        marks.text(rows, "label", label_y, -layout.system, room - 6),
        marks.text(rows, "words", y, right, VERDICT_PIXELS),
    ]
    if not layout.headers:
        at = right + VERDICT_PIXELS
        labels.append(marks.text(rows, "interval", y, at, layout.right, "muted"))
    return labels
