"""The picture of two results folders: B over A in each primary cell, with intervals. Filled: the
basis that decides. Hollow: the other one. Words at the right are the verdict."""

from __future__ import annotations

from typing import Any

from fsgauge.report import vega, words
from fsgauge.report.charts import marks, panels
from fsgauge.report.charts.axes import ratio_domain, ratios
from fsgauge.report.draw import Drawing, chart_of, draw
from fsgauge.report.labels import shortened
from fsgauge.report.theme import GLYPHS, MUTED
from fsgauge.stats.folders.between import Between, Entry

ROWS_LIMIT = 24
LETTER_PIXELS = 7.2
MOST_LETTERS = 56
NARROW_LETTERS = 46
TITLE_LETTERS = 24
"""Of each folder's name; with longer ones the axis has the letters of the page."""


def between_chart(between: Between) -> Drawing | None:
    entries = between.primary_entries(between.decides)[:ROWS_LIMIT]
    if not entries:
        return None
    rows = [_row(between, entry) for entry in entries]
    intervals = "" if between.ends else " with 95 % intervals"
    label = f"Ratios of {between.b.label} to {between.a.label}{intervals}."
    return draw(
        "comparison",
        label,
        lambda: _chart(between, rows, wide=True).specification,
        lambda: _chart(between, rows, wide=False).specification,
        rows,
    )


def name_of(between: Between, entry: Entry) -> str:
    """Cell and, where it is not its rate, the metric."""
    name = between.cell(entry.cell).name
    return name if entry.metric == "iops" else f"{name}, {between.metric(entry.metric).label}"


def _row(between: Between, entry: Entry) -> dict[str, Any]:
    """The ratio with its interval and verdict; of two ends of a model's range the ratio alone,
    which is not judged."""
    other = between.other(entry)
    ratio = words.ratio(entry.ratio, entry.low, entry.high)
    row = {
        "name": f"{name_of(between, entry)} · {entry.system}",
        "system": entry.system,
        "ratio": entry.ratio,
        "other": None if other is None else other.ratio,
        "words": ratio,
        "tip": f"{entry.system}, {name_of(between, entry)}: {ratio}",
    }
    if between.ends is not None:
        return row
    verdict = entry.verdict or "undecided"
    low, high = entry.shown
    known = words.is_known(low, high, entry.blocks)
    return {
        **row,
        "low": low if known else None,
        "high": high if known else None,
        "verdict": verdict,
        "words": f"{ratio}  {GLYPHS[verdict]} {verdict}",
        "tip": f"{row['tip']} ({words.interval(low, high, entry.blocks)}), {verdict}",
    }


def _over(between: Between) -> str:
    """The names, where both are whole; a part of one says less than the letter defined below."""
    labels = between.b.label, between.a.label
    if any(len(label) > TITLE_LETTERS for label in labels):
        return "B over A"
    return " over ".join(labels)


def _chart(between: Between, rows: list[dict[str, Any]], *, wide: bool) -> vega.Chart:
    letters = MOST_LETTERS if wide else NARROW_LETTERS
    rows = [{**row, "name": shortened(row["name"], letters)} for row in rows]
    left = round(max(len(row["name"]) for row in rows) * LETTER_PIXELS) + 12 if wide else 0
    width, right, height = (max(240, 700 - left), 140, 20) if wide else (222, 130, 38)
    points = [each for row in rows for each in (row["ratio"], row["other"]) if each]
    edges = [] if between.ends else marks.edges_of(rows, "low", "high")
    limits = ratio_domain([*points, *edges])
    along = ratios("x", limits, clamp=True, title=_over(between), domain=False)
    placed = [
        {**row, "y": index, "header_y": index - 0.42}
        for index, row in enumerate(panels.styled(between, rows))
    ]
    down = {"domain": [len(rows) - 0.3, -0.7]}
    y = vega.field("y:Q", scale=down, axis=None)
    names = y if wide else vega.field("header_y:Q", scale=down, axis=None)
    above = 0.5 if wide else 0.68
    other = [row for row in placed if row["other"] is not None]
    x = along.channel
    return vega.layer(
        marks.rules([at - above for at in range(len(rows) + 1)], y, -left, width + right),
        marks.level(1, along, strokeWidth=1),
        chart_of(other)
        .mark("point", size=44, filled=False, color=MUTED)
        .encode(x=x("other"), y=y),
        *([] if between.ends else marks.whiskers(placed, ("ratio", "low", "high"), along, y=y)),
        marks.points(chart_of(placed), 52, x=x("ratio"), y=y),
        marks.text(placed, "words", y, width + 10, right - 10),
        marks.text(placed, "name", names, -left, left or 340),
    ).properties(width=width, height=len(rows) * height, padding=marks.FRAME)

