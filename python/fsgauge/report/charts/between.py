"""The picture of two results folders: B over A in each primary cell, with intervals. Filled: the
basis that decides. Hollow: the other one. Words at the right are the verdict."""

from __future__ import annotations

from typing import Any

from fsgauge.report import words
from fsgauge.report.charts.forest import forms
from fsgauge.report.draw import Drawing, draw
from fsgauge.report.theme import GLYPHS
from fsgauge.stats.folders.between import Between, Entry

ROWS_LIMIT = 24
TITLE_LETTERS = 24
"""Of each folder's name; with longer ones the axis has the letters of the page."""


def between_chart(between: Between) -> Drawing | None:
    entries = between.primary_entries(between.decides)[:ROWS_LIMIT]
    if not entries:
        return None
    rows = [_row(between, entry) for entry in entries]
    intervals = "" if between.ends else " with 95 % intervals"
    label = f"Ratios of {between.b.label} to {between.a.label}{intervals}."
    return draw("comparison", label, *forms(between, rows, _over(between)), rows)


def name_of(between: Between, entry: Entry) -> str:
    """Cell and, where it is not its rate, the metric."""
    name = between.cell(entry.cell).name
    return name if entry.metric == "iops" else f"{name}, {between.metric(entry.metric).label}"


def _row(between: Between, entry: Entry) -> dict[str, Any]:
    """The ratio with its interval and verdict; of two ends of a model's range the ratio alone,
    which is not judged."""
    name, other = name_of(between, entry), between.other(entry)
    ratio = words.ratio(entry.ratio, entry.low, entry.high)
    row = {
        "cell": name,
        "system": entry.system,
        "ratio": entry.ratio,
        "other": None if other is None else other.ratio,
        "blocks": (),
        "words": ratio,
        "interval": "",
        "tip": f"{entry.system}, {name}: {ratio}",
    }
    if between.ends is not None:
        return row
    verdict = entry.verdict or "undecided"
    low, high = entry.shown
    known = words.is_known(low, high, entry.blocks)
    interval = f"({words.interval(low, high, entry.blocks)})"
    return {
        **row,
        "low": low if known else None,
        "high": high if known else None,
        "verdict": verdict,
        "words": f"{ratio}  {GLYPHS[verdict]} {verdict}",
        "interval": interval,
        "tip": f"{row['tip']} {interval}, {verdict}",
    }


def _over(between: Between) -> str:
    """The names, where both are whole; a part of one says less than the letter defined below."""
    labels = between.b.label, between.a.label
    if any(len(label) > TITLE_LETTERS for label in labels):
        return "B over A"
    return " over ".join(labels)
