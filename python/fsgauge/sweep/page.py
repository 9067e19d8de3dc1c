"""The page of a sweep: rate against years, a line for each system, intervals over seeds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fsgauge.plain_files import SeenFolder
from fsgauge.report import vega, words
from fsgauge.report.charts import marks, panels
from fsgauge.report.charts.axes import Along, amount
from fsgauge.report.charts.marks import edges_of, whiskers
from fsgauge.report.draw import Drawing, chart_of, draw
from fsgauge.report.logged import write_page
from fsgauge.report.theme import template
from fsgauge.stats.sentence import model_words, proof_lines
from fsgauge.sweep.answer import SweepResults
from fsgauge.sweep.folder import YearPanel, YearPoint, years_words

PANELS_LIMIT = 12
_AIR = 1.06
_APART = 0.012
"""Of all years on the axis, from one system's points to the next: equal ones would be hidden."""


def write_sweep(results: SweepResults, directory: Path | SeenFolder) -> Path:
    drawing = years_chart(results)
    page = template("sweep.html.j2").render(
        results=results,
        simulated_line=model_words(results.simulation) if results.simulation else "",
        proofs=proof_lines(results.simulation, results.systems) if results.simulation else [],
        drawing=drawing,
        legend=legend(results),
        tables=[(panel, table_rows(panel)) for panel in results.panels],
    )
    return write_page("sweep", results, page, directory, drawing)


def years_chart(results: SweepResults) -> Drawing | None:
    rows = [(panel, _rows(results, panel)) for panel in results.panels[:PANELS_LIMIT]]
    shown = [(panel, each) for panel, each in rows if each]
    if not shown:
        return None
    label = "Rate against years, a line for each system, with the 95 % interval over seeds."
    left_out = len(results.panels) - PANELS_LIMIT
    note = f"{left_out} more are in the tables." if left_out > 0 else ""
    every = [row for _, each in shown for row in each]
    return draw("sweep", label, *panels.both(shown, _panel, most=2), every, note=note)


def _rows(results: SweepResults, panel: YearPanel) -> list[dict[str, Any]]:
    years = [point.years for line in panel.lines for point in line.points]
    apart_years = _APART * (max(years, default=0.0) - min(years, default=0.0))
    middle = (len(panel.lines) - 1) / 2
    found = [
        {
            "cell": panel.cell,
            "profile": panel.profile,
            "system": line.system,
            "years": point.years,
            "at_years": point.years + (number - middle) * apart_years,
            **_scaled(panel, {"value": point.value, **_interval(point)}),
            "tip": f"{line.system}, after {years_words(point.years)}: {panel.said(point.value)}"
            f" ({_range(panel, point)}), {point.lives} lives",
        }
        for number, line in enumerate(panel.lines)
        for point in line.points
    ]
    return panels.styled(results, found)


def _scaled(panel: YearPanel, values: dict[str, float | None]) -> dict[str, float | None]:
    divisor = 1 << 20 if panel.unit == "B/s" else 1
    return {name: None if value is None else value / divisor for name, value in values.items()}


def _interval(point: YearPoint) -> dict[str, float | None]:
    known = words.is_known(point.low, point.high, point.lives)
    return {"low": point.low if known else None, "high": point.high if known else None}


def _range(panel: YearPanel, point: YearPoint) -> str:
    if point.low is None or point.high is None:
        return "no interval"
    return words.value_range(point.low, point.high, panel.unit)


def _panel(shown: tuple[YearPanel, list[dict[str, Any]]], width: int) -> vega.Chart:
    panel, rows = shown
    top = _AIR * max([*(row["value"] for row in rows), *edges_of(rows, "low", "high")])
    scale = {"domain": [0, top], "nice": False}
    unit = "MiB/s" if panel.unit == "B/s" else panel.unit
    axis = {"title": unit, "labelExpr": amount(), "tickCount": 5, "domain": False}
    x = vega.field(
        "at_years:Q",
        scale={"padding": 8, "nice": False},
        axis={
            "title": "years",
            "values": sorted({row["years"] for row in rows}),
            "format": "~g",  # vega's own is "1.0", or "1", as the width has it
            "grid": False,
        },
    )

    def y(field: str) -> vega.Channel:
        return vega.field(f"{field}:Q", scale=scale, axis=axis)

    base = chart_of(rows)
    along = Along("y", (0, top), y, log=False)
    layers = [
        base.mark("line", strokeWidth=2).encode(
            x=x,
            y=y("value"),
            color=panels.colour(),
            strokeDash=panels.dash(),
            detail=vega.field("system:N"),
        ),
        *whiskers(rows, ("value", "low", "high"), along, width=1.5, x=x),
        marks.points(base, 40, x=x, y=y("value")),
    ]
    title = panels.heading(panel.cell, width, panel.profile)
    return vega.layer(*layers).properties(width=width, height=220, title=title)


def legend(results: SweepResults) -> list[tuple[str, str]]:
    rows = panels.styled(results, [{"system": system} for system in results.systems])
    return [(row["label"], row["colour"]) for row in rows]


def table_rows(panel: YearPanel) -> list[tuple[str, str, str, str, int, str]]:
    """System, years, rate, interval, lives, folder."""
    return [
        (
            line.system,
            f"{point.years:g}",
            panel.said(point.value),
            _range(panel, point),
            point.lives,
            point.results,
        )
        for line in panel.lines
        for point in line.points
    ]
