"""Who was left when, and why, by rank: the blocks that each ran, and its ratio to the leader."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fsgauge.durability import MARK
from fsgauge.report import vega
from fsgauge.report.charts import axes, marks, panels
from fsgauge.report.charts.forest import noise_band
from fsgauge.report.draw import Drawing, chart_of, draw
from fsgauge.report.labels import in_two_lines, labels_of
from fsgauge.report.race import why
from fsgauge.report.theme import GAIN, INK, MUTED
from fsgauge.stats.race.model import Place, Race
from fsgauge.stats.results import Results

_LINE, _TWO_LINES = 16, 28
"""Pixels of a system, and of one where names of two lines are drawn."""
_LETTER = 6.6
_LONGEST = 38
_NARROW_LETTERS = 17
_APART = 0.45
"""Between two lines of a name, in rows."""
_COLOURS = {"leader": INK, "in the race": GAIN, "parked": GAIN}
"""Of those that were never dropped."""


def survival(results: Results) -> Drawing | None:
    race = results.race
    if race is None:
        return None
    labels = labels_of([each.system for each in race.places], 2 * _LONGEST)
    rows = [_row(at, each, race, labels[each.system]) for at, each in enumerate(race.places)]
    cell = results.primary_cells[0]
    band = noise_band(results, results.primary_metrics[cell], cell)
    return draw(
        "race",
        "How many blocks each system ran, and its ratio to the leader when it left the race.",
        lambda: _chart(rows, band, _LONGEST, 300, 330),
        lambda: _chart(rows, band, _NARROW_LETTERS, 70, 100),
        rows,
    )


def _row(at: int, place: Place, race: Race, label: str) -> dict[str, Any]:
    leads = place.state == "leader"
    return {
        "system": place.system,
        "label": f"{label} {MARK}" if place.system in race.weaker else label,
        "colour": _COLOURS.get(place.state, MUTED),
        "shape": "circle",
        "y": at,
        "ran": place.blocks,
        "state": place.state,
        "ratio": place.ratio,
        "low": place.ratio if leads else place.low,
        "high": place.ratio if leads else place.high,
        "tip": f"{place.system}: {place.blocks} blocks, {why(race, place)}",
    }


def _chart(
    rows: Sequence[dict[str, Any]],
    band: tuple[float, float] | None,
    letters: int,
    left: int,
    right: int,
) -> dict[str, Any]:
    names = [in_two_lines(row["label"], letters) for row in rows]
    y = vega.field("y:Q", scale={"domain": [len(rows) - 0.4, -0.6]}, axis=None)
    room = round(max(len(line) for name in names for line in name) * _LETTER) + 12
    height = len(rows) * (_TWO_LINES if any(name[1:] for name in names) else _LINE)
    words = [
        {"line": line, "y": row["y"] + _APART * (place - (len(name) - 1) / 2)}
        for row, name in zip(rows, names, strict=True)
        for place, line in enumerate(name)
    ]
    bars = vega.layer(
        _bars(rows, y, max(row["ran"] for row in rows)),
        marks.text(words, "line", y, -room, room - 6),
        marks.rules([], y, -room, left),
    ).properties(width=left, height=height)
    measured = [row for row in rows if row["ratio"] is not None]
    edges = [each for row in measured for each in (row["ratio"], row["low"], row["high"]) if each]
    along = axes.ratios(
        "x",
        axes.ratio_domain(edges),
        8 if right > 200 else 4,
        clamp=True,
        title="ratio to the leader",
        grid=True,
        domain=False,
    )
    spans = [] if band is None else [{"from": band[0], "to": band[1]}]
    intervals = vega.layer(
        *marks.bands(spans, along, 0.55),
        marks.level(1, along, strokeWidth=1),
        *marks.measured(measured, ("ratio", "low", "high"), along, 40, y=y),
    ).properties(width=right, height=height)
    return {
        "hconcat": [bars.specification, intervals.specification],
        "spacing": 16,
        "padding": marks.FRAME,
    }


def _bars(rows: Sequence[dict[str, Any]], y: vega.Channel, most: int) -> vega.Chart:
    x = vega.field(
        "start:Q",
        scale={"domain": [0, most], "nice": False},
        axis={"title": "blocks", "tickMinStep": 1, "format": "d", "grid": True, "domain": False},
    )
    drawn = chart_of([{**row, "start": 0} for row in rows])
    bars = drawn.mark("rule", strokeWidth=_LINE - 6, opacity=0.85)
    return bars.encode(x=x, x2="ran:Q", y=y, color=panels.colour(), description="tip:N")
