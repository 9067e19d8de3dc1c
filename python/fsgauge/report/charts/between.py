"""The picture of two results folders: B over A in each primary cell, with intervals. Filled: the
basis that decides. Hollow: the other one. Words at the right are the verdict."""

from __future__ import annotations

from typing import Any

from fsgauge.report import vega, words
from fsgauge.report.charts import panels
from fsgauge.report.charts.axes import Along, ratio_domain, ratios
from fsgauge.report.charts.marks import edges_of, whiskers
from fsgauge.report.draw import Drawing, chart_of, draw
from fsgauge.report.labels import shortened
from fsgauge.report.theme import GLYPHS, GRID, INK, MUTED, system_colours
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
    edges = [] if between.ends else edges_of(rows, "low", "high")
    limits = ratio_domain([*points, *edges])
    along = ratios("x", limits, clamp=True, title=_over(between), domain=False)
    colours = system_colours(between.systems, between.baseline)
    placed = [
        {**row, "y": index, "header_y": index - 0.42, "colour": colours[row["system"]]}
        for index, row in enumerate(rows)
    ]
    down = {"domain": [len(rows) - 0.3, -0.7]}
    y = vega.field("y:Q", scale=down, axis=None)
    names = y if wide else vega.field("header_y:Q", scale=down, axis=None)

    layers = [
        # the rules also give the picture the width of its words
        chart_of([{"y": index - (0.5 if wide else 0.68)} for index in range(len(rows) + 1)])
        .mark("rule", color=GRID)
        .encode(y=y, x=vega.value(-left), x2=vega.value(width + right)),
        chart_of([{"ratio": 1}])
        .mark("rule", color=INK, strokeWidth=1)
        .encode(x=along.channel("ratio")),
        *_marks(placed, along, y),
        _text(placed, "words", y, width + 10, right - 10),
        _text(placed, "name", names, -left, left or 340),
    ]
    return vega.layer(*layers).properties(
        width=width,
        height=len(rows) * height,
        padding={"left": 4, "right": 4, "top": 2, "bottom": 2},
    )


def _marks(rows: list[dict[str, Any]], along: Along, y: vega.Channel) -> list[vega.Chart]:
    x, colour = along.channel, panels.colour()
    base = chart_of(rows)
    hollow = chart_of([row for row in rows if row["other"] is not None])
    return [
        hollow.mark("point", size=44, filled=False, color=MUTED).encode(x=x("other"), y=y),
        *(whiskers(rows, ("ratio", "low", "high"), along, y=y) if "low" in rows[0] else ()),
        base.mark("point", size=52, filled=True, opacity=1).encode(
            x=x("ratio"), y=y, color=colour, description=vega.field("tip:N")
        ),
    ]


def _text(
    rows: list[dict[str, Any]], field: str, y: vega.Channel, at: int, limit: int
) -> vega.Chart:
    mark = chart_of(rows).mark(
        "text", align="left", baseline="middle", fontSize=12, color=INK, limit=limit
    )
    return mark.encode(x=vega.value(at), y=y, text=vega.field(f"{field}:N"))
