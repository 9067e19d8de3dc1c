"""The page of many results folders: history.html, history.json and its picture."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from fsgauge.report import vega, words
from fsgauge.report.charts import marks, panels
from fsgauge.report.charts.axes import ratio_domain, ratios
from fsgauge.report.charts.marks import edges_of, whiskers
from fsgauge.report.compared_answer import change_words
from fsgauge.report.draw import Drawing, chart_of, draw
from fsgauge.report.logged import write_page
from fsgauge.report.theme import GLYPHS, INK, MUTED, template
from fsgauge.stats.evidence import count
from fsgauge.stats.folders.change_points import FEWEST
from fsgauge.stats.folders.history import History, Point, Series
from fsgauge.stats.wording import ratio_range

PANELS_LIMIT = 12


def history_chart(history: History) -> Drawing | None:
    """The drawing, one panel a cell and system; None without points."""
    shown = [series for series in history.series if series.points][:PANELS_LIMIT]
    if not shown:
        return None
    placed = [(series, panels.styled(history, _rows(series))) for series in shown]
    label = f"Ratios to {history.baseline}, one point a results folder, with the levels found."
    rows = [row for _, each in placed for row in each]
    return draw("history", label, *panels.both(placed, _panel, most=2), rows)


def _rows(series: Series) -> list[dict[str, Any]]:
    return [
        {
            "cell": series.cell,
            "system": series.system,
            "folder": point.label,
            "place": place,
            "ratio": point.ratio,
            **_interval(point),
            "tip": f"{point.label}: {words.ratio(point.ratio)}"
            f" ({words.interval(point.low, point.high, point.blocks)}), {point.blocks} blocks",
        }
        for place, point in enumerate(series.points, start=1)
    ]


def _interval(point: Point) -> dict[str, float | None]:
    known = words.is_known(point.low, point.high, point.blocks)
    return {"low": point.low if known else None, "high": point.high if known else None}


def _levels(rows: list[dict[str, Any]], series: Series) -> list[dict[str, Any]]:
    """Each level as a line from its first folder to its last."""
    bounds = [0, *(step.index for step in series.steps), len(rows)]
    levels = []
    for start, end in pairwise(bounds):
        product = 1.0
        for row in rows[start:end]:
            product *= row["ratio"]
        mean = product ** (1 / (end - start))
        levels.append({"place": start + 0.7, "to": end + 0.3, "level": mean})
    return levels


def _panel(panel: tuple[Series, list[dict[str, Any]]], width: int) -> vega.Chart:
    series, rows = panel
    limits = ratio_domain([*(row["ratio"] for row in rows), *edges_of(rows, "low", "high")])
    along = ratios("y", limits, 5, clamp=True, title="ratio", domain=False)
    y = along.channel
    x = vega.field(
        "place:Q",
        scale={"domain": [0.5, len(rows) + 0.5], "nice": False},
        axis={"title": "folder, in order of time", "tickMinStep": 1, "format": "d", "grid": False},
    )

    base = chart_of(rows)
    steps = [{"place": step.index + 0.5} for step in series.steps]
    layers = [
        chart_of([{"ratio": 1}]).mark("rule", color=INK, strokeWidth=1).encode(y=y("ratio")),
        chart_of(_levels(rows, series))
        .mark("rule", color=MUTED, strokeWidth=3, opacity=0.6)
        .encode(x=x, x2=vega.field("to:Q"), y=y("level")),
        chart_of(steps).mark("rule", color=MUTED, strokeDash=[4, 3]).encode(x=x),
        *whiskers(rows, ("ratio", "low", "high"), along, width=1.5, x=x),
        marks.points(base, 40, x=x, y=y("ratio")),
    ]
    title = panels.heading(f"{series.cell}, {series.system}", width)
    return vega.layer(*layers).properties(width=width, height=150, title=title)


@dataclass(frozen=True)
class StepLine:
    """One step in words."""

    cell: str
    system: str
    since: str
    ratio: str
    interval: str
    glyph: str
    direction: str
    changed: str


def step_lines(history: History) -> list[StepLine]:
    """Every step of every series, in order of the series."""
    return [
        StepLine(
            cell=series.cell,
            system=series.system,
            since=step.label,
            ratio=words.ratio(step.ratio, step.low, step.high),
            interval=ratio_range(step.low, step.high),
            glyph=GLYPHS[step.direction],
            direction=step.direction,
            changed="; ".join(step.changed) or "nothing found",
        )
        for series in history.series
        for step in series.steps
    ]


def summary(history: History) -> str:
    """What was found, in a sentence; data that a folder lost comes before steps."""
    if not history.data_lost:
        return _steps_found(history)
    first, *others = history.data_lost
    more = f" Data was lost in {', '.join(others)} too." if others else ""
    return f"Not valid: {first}: {history.reasons[first]}{more} {_steps_found(history)}"


def _steps_found(history: History) -> str:
    count = len(history.folders)
    if not history.is_followed:
        return "Nothing can be followed: no folder has a ratio to the baseline."
    if not history.enough:
        return f"{count} folders are too few to see a step in: {FEWEST} are needed."
    where = f"in {len(history.series)} series of {count} folders"
    found = [(series, step) for series in history.series for step in series.steps]
    if not found:
        return f"No step {where}."
    series, step = max(found, key=lambda pair: (pair[1].index, abs(math.log(pair[1].ratio))))
    verb = "are" if series.is_plural else "is"
    change = change_words(step.ratio, step.low, step.high, is_rate=series.higher_is_better)
    said = f"Since {step.label}, {series.test} on {series.system} {verb} {change}"
    said += f" against {history.baseline}."
    if step.changed:
        others = len(step.changed) - 1
        said += f" Changed there: {step.changed[0]}{f' and {others} more' if others else ''}."
    steps = len(found)
    return f"{said} {steps} {'step' if steps == 1 else 'steps'} {where}."


def cautions(history: History) -> list[str]:
    """What the reader has to know before the numbers."""
    return [
        *history.changed,
        *(
            f"{label} is left out, as it is not valid: {history.reasons[label]}"
            for label in history.left_out
        ),
        *history.idle,
        *_apart(history),
        *(f"followed despite {each.fact}: {each.a} / {each.b}" for each in history.despite),
    ]


def _apart(history: History) -> list[str]:
    """Folders that lie far from their neighbours, and in how many series."""
    found = [point.label for series in history.series for point in series.points if point.apart]
    return [
        f"{label} lies far from its neighbours in {found.count(label)} of"
        f" {count(len(history.series), 'series', 'series')}: it counts as they do, and is no step"
        for label in dict.fromkeys(found)
    ]


def write_history(history: History, output: Path) -> Path:
    """Write the page, its data and its picture into `output`; RigError where that cannot be."""
    drawing = history_chart(history)
    page = template("history.html.j2").render(
        history=history,
        answer=summary(history),
        cautions=cautions(history),
        steps=step_lines(history),
        drawing=drawing,
        words=words,
    )
    return write_page("history", history, page, output, drawing)
