"""All published rows of all tests as ratios to the baseline: what became better, what worse.

One row a number and system, like the first picture, but for every number of a test; verdicts say
which direction is better.
"""

from __future__ import annotations

from typing import Any

from fsgauge.kinds.connections.page.rows import PER_FILE, Change, Row, TestRows, label_of, test_rows
from fsgauge.report import words
from fsgauge.report.charts.forest import forms
from fsgauge.report.draw import Drawing, draw
from fsgauge.report.theme import GLYPHS
from fsgauge.stats.results import Results

ROWS_LIMIT = 60
FIRST_SCREEN_ROWS = 20


def tests_chart(results: Results) -> Drawing | None:
    """The drawing; None without tests or with nothing to compare.

    Extents a file stand in a table: beside them a ratio of 20 would press all others together.
    """
    found = [
        _row(results, test, row, system, value.change)
        for test in test_rows(results)
        for row in test.rows
        for system, value in row.values.items()
        if value.change is not None and row.kind.number != PER_FILE
    ]
    rows = found[:ROWS_LIMIT]
    if not rows:
        return None
    label = f"Ratio of every number of each test to {results.baseline}, with 95 % intervals."
    if len(found) > len(rows):
        label += f" {len(found) - len(rows)} more are in the tables."
    title = f"ratio to {results.baseline}"
    return draw("tests", label, *forms(results, rows, None, title), rows)


def is_short(drawing: Drawing | None) -> bool:
    """Whether it has room on the first screen, and says there what the first picture would."""
    return drawing is not None and len(drawing.rows) <= FIRST_SCREEN_ROWS


def _noise(results: Results, metric: str) -> tuple[float, float] | None:
    floor = results.noise_of(metric)
    if floor is None or floor.low is None or floor.high is None:
        return None
    return floor.low, floor.high


def _row(results: Results, test: TestRows, row: Row, system: str, change: Change) -> dict[str, Any]:
    known = words.is_known(change.low, change.high, change.n)
    name = f"{test.cell.name}: {label_of(row.kind)}"
    interval = words.interval(change.low, change.high, change.n)
    value = row.values[system]
    return {
        "cell": name,
        "system": system,
        "ratio": change.ratio,
        "low": change.low if known else change.ratio,
        "high": change.high if known else change.ratio,
        "blocks": change.blocks,
        "noise": _noise(results, row.kind.number),
        "verdict": change.verdict,
        "words": f"{words.ratio(change.ratio)}  {GLYPHS[change.verdict]} {change.verdict}",
        "interval": f"({interval})",
        "tip": f"{system}, {test.cell.name}, {row.kind.name}: {words.ratio(change.ratio)} of"
        f" {results.baseline} ({interval}), {change.verdict}; here {value.text}",
    }
