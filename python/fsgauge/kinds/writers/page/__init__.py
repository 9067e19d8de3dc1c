"""What the page shows of several writers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fsgauge.kinds.writers.analysis.model import Scaling, ScalingLine
from fsgauge.kinds.writers.page.chart import law_chart, writers_chart
from fsgauge.kinds.writers.page.tables import every_count, no_law, scaling_tables
from fsgauge.kinds.writers.published import published_writers
from fsgauge.report import vega, words
from fsgauge.report.charts import axes, marks, panels
from fsgauge.report.charts.axes import Along
from fsgauge.report.charts.depth import depth_curves
from fsgauge.report.draw import Drawing, chart_of, draw
from fsgauge.report.kind_page import KindPage
from fsgauge.report.labels import shortened
from fsgauge.report.table_parts import Table
from fsgauge.report.theme import MUTED
from fsgauge.stats.results import Results
from fsgauge.store import StoredStudy
from fsgauge.units import count

LETTER_PIXELS = 7.2
LINE_PIXELS = 19
MARK_PIXELS = 12
"""Of wide fonts: a browser's may be wider than the one that the drawing was measured with."""
WIDE_PIXELS = 820
NARROW_PIXELS = 344
FARTHEST_IDEAL = 16.0
"""An ideal beyond this would press all systems together at the left."""
DEVICE = "the device alone"


class WritersPage(KindPage):
    """Gain, rates by number of writers, the scalability law."""

    sections = ("writers/sections.html.j2",)
    workers = "writers"

    def pictures(self, results: Results, stored: StoredStudy) -> list[Drawing | None]:  # noqa: ARG002
        return [
            gain_chart(results),
            writers_chart(results),
            law_chart(results),
            depth_curves(results),
        ]

    def lead(self, drawings: Mapping[str, Drawing]) -> str:
        return "writers/lead.html.j2" if "gain" in drawings else ""

    def summary_tables(self, results: Results) -> list[Table]:
        """By number of writers, where the answer is what several do in times of one."""
        scaling = Scaling.within(results)
        return every_count(results, scaling) if len(scaling.writer_counts) > 1 else []

    def values(self, results: Results, stored: StoredStudy) -> dict[str, Any]:  # noqa: ARG002
        return {
            "scaling_tables": scaling_tables(results, published_writers()),
            "no_law": no_law(results),
        }


PAGE = WritersPage()


@dataclass(frozen=True)
class _Form:
    """Pixels; `short` says intervals in few words."""

    system: int
    plot: int
    right: int
    short: bool


def gain_chart(results: Results) -> Drawing | None:
    """The drawing; None before any block has two numbers of writers."""
    scaling = Scaling.within(results)
    if len(scaling.writer_counts) < 2:
        return None
    counts = min(scaling.writer_counts), max(scaling.writer_counts)
    found = (_row(scaling, counts, line) for line in scaling.lines)
    rows = panels.styled(results, [row for row in found if row is not None])
    if not rows:
        return None
    rows = [{**row, "name": f"{row['label']}{row['name']}"} for row in rows]
    mark = MARK_PIXELS if results.durability.systems else 0
    wide = _form(rows, "name", "wide_words", WIDE_PIXELS, mark)
    narrow = _form(rows, "label", "narrow_words", NARROW_PIXELS, mark)
    return draw(
        "gain",
        f"Writes of {count(counts[1], 'writer')} in times of those of {counts[0]}, one row a"
        " system, with 95 % intervals.",
        lambda: _chart(rows, counts, wide).specification,
        lambda: _chart(rows, counts, narrow).specification,
        rows,
    )


def _form(rows: list[dict[str, Any]], name: str, said: str, whole: int, mark: int) -> _Form:
    """The columns; `mark` is the room that the mark of weaker durability takes behind a name."""
    system, right = (
        round(max(len(row[field]) for row in rows) * LETTER_PIXELS) + 14 for field in (name, said)
    )
    system = min(system + mark, whole // 3)
    plot = max(whole - system - right, whole // 4)
    return _Form(system, plot, right, short=whole < WIDE_PIXELS)


def _row(scaling: Scaling, counts: tuple[int, int], line: ScalingLine) -> dict[str, Any] | None:
    by_writers = {point.writers: point for point in line.points}
    first, last = (by_writers.get(number) for number in counts)
    change = scaling.together(last.change) if last is not None else None
    if first is None or last is None or change is None:
        return None
    interval, said = words.interval_of(change), f"{change.value:.2f}"
    alone, ends = dict(first.blocks), marks.ends(change)
    place = f"{line.system}, {line.group}" if line.group else line.system
    short = interval if ends["low"] is not None else count(change.n, "block")
    return {
        "group": line.group,
        "system": line.system,
        "name": f", {DEVICE}" if line.system == scaling.device else "",
        "change": change.value,
        **ends,
        "blocks": [rate / alone[block] for block, rate in last.blocks if block in alone],
        "wide_words": f"{said} times ({interval})",
        "narrow_words": f"{said} ({short})",
        "tip": f"{place}: {count(counts[1], 'writer')} do {said} times the writes of {counts[0]}"
        f" ({interval}), {change.n} blocks",
    }


def _chart(rows: list[dict[str, Any]], counts: tuple[int, int], form: _Form) -> vega.Chart:
    letters, name = int((form.system - 10) / LETTER_PIXELS), "label" if form.short else "name"
    rows = [{**row, name: shortened(row[name], letters)} for row in rows]
    placed, headers, lines = _place(rows)
    points = [row["change"] for row in rows] + [each for row in rows for each in row["blocks"]]
    ideal = counts[1] / counts[0]
    near = [ideal] if ideal <= FARTHEST_IDEAL else []
    along = axes.ratios(
        "x",
        axes.ratio_domain([1.0, *points, *near]),
        5 if form.short else 8,
        title=f"writes of {count(counts[1], 'writer')}, in times of {counts[0]}",
        grid=True,
        domain=False,
    )
    y = vega.field("y:Q", scale={"domain": [lines - 0.4, -0.9]}, axis=None)
    return vega.layer(
        marks.level(1, along, strokeWidth=1),
        *(mark for level in near for mark in _ideal(level, along)),
        *marks.measured(placed, ("change", "low", "high"), along, 52, at="y", y=y),
        *_texts(placed, headers, form, y),
    ).properties(width=form.plot, height=(lines + 0.5) * LINE_PIXELS, padding=marks.FRAME)


def _place(
    rows: Sequence[dict[str, Any]],
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], int]:
    """Rows with their line `y`, the groups' names on lines of their own, and how many lines."""
    placed: list[dict[str, Any]] = []
    headers: list[dict[str, Any]] = []
    y = 0
    for row in rows:
        if row["group"] and (not headers or headers[-1]["text"] != row["group"]):
            headers.append({"text": row["group"], "y": y})
            y += 1
        placed.append({**row, "y": y})
        y += 1
    return placed, headers, y


def _ideal(ideal: float, along: Along) -> list[vega.Chart]:
    """Where more writers bring all that they could."""
    name = chart_of([{"x": ideal, "text": "ideal"}]).mark(
        "text", align="right", dx=-4, fontSize=11, color=MUTED
    )
    return [
        marks.level(ideal, along, color=MUTED, strokeDash=[1, 3]),
        name.encode(x=along.channel("x"), y=vega.value(2), text=vega.field("text:N")),
    ]


def _texts(
    rows: list[dict[str, Any]], headers: list[dict[str, Any]], form: _Form, y: vega.Channel
) -> list[vega.Chart]:
    """Systems at the left, numbers at the right, groups above their systems."""
    end = form.plot + form.right
    said, name = ("narrow_words", "label") if form.short else ("wide_words", "name")
    return [
        marks.rules([row["y"] - 0.5 for row in headers if row["y"]], y, -form.system, end),
        marks.text(headers, "text", y, -form.system, form.system + end, "bold"),
        marks.text(rows, name, y, -form.system, form.system - 6),
        marks.text(rows, said, y, form.plot + 10, form.right - 10),
    ]
