"""The first picture of a writers study: what the most writers do, in times of the fewest.

One row a system, the device alone among them, under the name of its group where there are several:
interval, estimate and single blocks, between the line at 1, where more writers bring nothing, and
that of the ideal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fsgauge.kinds.writers.analysis.model import Scaling, ScalingLine
from fsgauge.report import words
from fsgauge.report.charts import panels
from fsgauge.report.charts.panels import ratio_domain, ratio_ticks
from fsgauge.report.charts.whiskers import Along, whiskers
from fsgauge.report.draw import Drawing, chart_of, draw
from fsgauge.report.labels import shortened
from fsgauge.report.theme import GRID, INK, MUTED
from fsgauge.stats.results import Results

if TYPE_CHECKING:
    import altair as alt

LETTER_PIXELS = 7.2
MARK_PIXELS = 12
"""Of wide fonts: a browser's may be wider than the one that the drawing was measured with."""
WIDE_PIXELS = 820
NARROW_PIXELS = 344
FARTHEST_IDEAL = 16.0
"""An ideal beyond this would press all systems together at the left."""
DEVICE = "the device alone"


@dataclass(frozen=True)
class _Form:
    """Pixels; `short` says intervals in few words."""

    system: int
    plot: int
    right: int
    row: int
    short: bool


@dataclass(frozen=True)
class _Counts:
    """The numbers of writers that are compared."""

    fewest: int
    most: int

    @property
    def ideal(self) -> float:
        return self.most / self.fewest


def gain_chart(results: Results) -> Drawing | None:
    """The drawing; None for other studies, and before any block has both numbers of writers."""
    scaling = Scaling.of(results)
    if scaling is None or len(scaling.writer_counts) < 2:
        return None
    counts = _Counts(min(scaling.writer_counts), max(scaling.writer_counts))
    found = (_row(results, counts, line) for line in scaling.lines)
    rows = panels.styled(results, [row for row in found if row is not None])
    if not rows:
        return None
    rows = [{**row, "name": f"{row['label']}{row['name']}"} for row in rows]
    mark = MARK_PIXELS if results.durability.systems else 0
    wide = _form(rows, "name", "wide_words", WIDE_PIXELS, mark)
    narrow = _form(rows, "label", "narrow_words", NARROW_PIXELS, mark)
    return draw(
        "gain",
        f"Writes of {_writers(counts.most)} in times of those of {counts.fewest}, one row a"
        " system, with 95 % intervals.",
        lambda: panels.specification(_chart(rows, counts, wide)),
        lambda: panels.specification(_chart(rows, counts, narrow)),
        rows,
    )


def _form(rows: list[dict[str, Any]], name: str, said: str, whole: int, mark: int) -> _Form:
    """The columns; `mark` is the room that the mark of weaker durability takes behind a name."""
    system, right = (
        round(max(len(row[field]) for row in rows) * LETTER_PIXELS) + 14 for field in (name, said)
    )
    system = min(system + mark, whole // 3)
    plot = max(whole - system - right, whole // 4)
    return _Form(system, plot, right, 19, short=whole < WIDE_PIXELS)


def _writers(count: int) -> str:
    return f"{count} writer{'' if count == 1 else 's'}"


def _row(results: Results, counts: _Counts, line: ScalingLine) -> dict[str, Any] | None:
    by_writers = {point.writers: point for point in line.points}
    first, last = by_writers.get(counts.fewest), by_writers.get(counts.most)
    scaling = Scaling.of(results)
    change = scaling.together(last.change) if scaling is not None and last is not None else None
    if first is None or last is None or change is None:
        return None
    known = words.is_known(change.low, change.high, change.n)
    interval = words.interval(change.low, change.high, change.n)
    alone = dict(first.blocks)
    device = scaling is not None and line.system == scaling.device
    place = f"{line.system}, {line.group}" if line.group else line.system
    return {
        "group": line.group,
        "system": line.system,
        "name": f", {DEVICE}" if device else "",
        "change": change.value,
        "low": change.low if known else None,
        "high": change.high if known else None,
        "blocks": [rate / alone[block] for block, rate in last.blocks if block in alone],
        "wide_words": f"{change.value:.2f} times ({interval})",
        "narrow_words": f"{change.value:.2f} ({interval})"
        if known
        else f"{change.value:.2f} ({change.n} block{'' if change.n == 1 else 's'})",
        "tip": f"{place}: {_writers(counts.most)} do {change.value:.2f} times the writes of"
        f" {counts.fewest} ({interval}), {change.n} blocks",
    }


def _chart(rows: list[dict[str, Any]], counts: _Counts, form: _Form) -> alt.TopLevelMixin:
    import altair as alt

    letters, name = int((form.system - 10) / LETTER_PIXELS), "label" if form.short else "name"
    rows = [{**row, name: shortened(row[name], letters)} for row in rows]
    placed, headers, lines = _place(rows)
    points = [row["change"] for row in rows] + [each for row in rows for each in row["blocks"]]
    near = counts.ideal <= FARTHEST_IDEAL
    low, high = ratio_domain([1.0, *points, *([counts.ideal] if near else [])])
    axis = alt.Axis(
        values=ratio_ticks(low, high, 5 if form.short else 8),
        format="~g",
        title=f"writes of {_writers(counts.most)}, in times of {counts.fewest}",
        grid=True,
        domain=False,
    )
    scale = alt.Scale(type="log", domain=[low, high], nice=False)

    def x(field: str) -> alt.X:
        return alt.X(f"{field}:Q", scale=scale, axis=axis)

    y = alt.Y("y:Q", scale=alt.Scale(domain=[lines - 0.4, -0.9]), axis=None)
    return alt.layer(
        *_levels(counts, x("x"), near=near),
        *_marks(placed, Along("x", (low, high), x), y),
        *_texts(placed, headers, form, y),
    ).properties(
        width=form.plot,
        height=(lines + 0.5) * form.row,
        padding={"left": 4, "right": 4, "top": 2, "bottom": 2},
    )


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


def _levels(counts: _Counts, x: alt.X, *, near: bool) -> list[alt.Chart]:
    """Where more writers bring nothing, and where they bring all that they could."""
    import altair as alt

    nothing: alt.Chart = chart_of([{"x": 1}]).mark_rule(color=INK, strokeWidth=1).encode(x=x)
    if not near:
        return [nothing]
    ideal = [{"x": counts.ideal, "text": "ideal"}]
    return [
        nothing,
        chart_of(ideal).mark_rule(color=MUTED, strokeDash=[1, 3]).encode(x=x),
        chart_of(ideal)
        .mark_text(align="right", dx=-4, fontSize=11, color=MUTED)
        .encode(x=x, y=alt.value(2), text="text:N"),
    ]


def _marks(rows: list[dict[str, Any]], along: Along, y: alt.Y) -> list[alt.Chart]:
    x = along.channel("x")
    return [
        panels.dots(rows, "y", "x", x, y),
        *whiskers(rows, ("change", "low", "high"), along, y=y),
        panels.points(chart_of([{**row, "x": row["change"]} for row in rows]), 52, x=x, y=y),
    ]


def _texts(
    rows: list[dict[str, Any]], headers: list[dict[str, Any]], form: _Form, y: alt.Y
) -> list[alt.Chart]:
    """Systems at the left, numbers at the right, groups above their systems."""
    import altair as alt

    def text(of: list[dict[str, Any]], field: str, at: int, limit: int, weight: str) -> alt.Chart:
        mark: alt.Chart = (
            chart_of(of)
            .mark_text(
                baseline="middle",
                align="left",
                fontSize=12,
                color=INK,
                fontWeight="bold" if weight == "bold" else "normal",
                limit=limit,
            )
            .encode(x=alt.value(at), y=y, text=f"{field}:N")
        )
        return mark

    rules = [{"y": row["y"] - 0.5, "opacity": 1} for row in headers if row["y"]]
    rules.append({"y": 0, "opacity": 0})  # holds the room of the texts, whatever their font
    whole = form.system + form.plot + form.right
    said, name = ("narrow_words", "label") if form.short else ("wide_words", "name")
    return [
        chart_of(rules)
        .mark_rule(color=GRID)
        .encode(
            y=y,
            x=alt.value(-form.system),
            x2=alt.value(form.plot + form.right),
            opacity=alt.Opacity("opacity:Q", scale=None),
        ),
        text(headers, "text", -form.system, whole, "bold"),
        text(rows, name, -form.system, form.system - 6, "normal"),
        text(rows, said, form.plot + 10, form.right - 10, "normal"),
    ]
