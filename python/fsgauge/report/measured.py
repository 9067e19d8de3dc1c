"""Table and chart of the one number that a kind measures (fsgauge.stats.measured)."""

from __future__ import annotations

from typing import Any

from fsgauge.record.factors import factors_of
from fsgauge.report import vega, words
from fsgauge.report.charts import axes, marks, panels
from fsgauge.report.draw import Drawing, draw
from fsgauge.report.kind_page import KindPage
from fsgauge.report.table_parts import Rows, Table, place_of
from fsgauge.stats.measured import Measured, MeasuredResults
from fsgauge.stats.results import Results
from fsgauge.units import exact_size

FIELDS = ("value", "low", "high")


class MeasuredPage(KindPage):
    """The number by the size of one operation: a chart, and a table of all cells."""

    sections = ("measured.html.j2",)

    def pictures(self, results: Results) -> list[Drawing | None]:
        return [measured_chart(results)]

    def summary_tables(self, results: Results) -> list[Table]:
        return measured_tables(results)

    def values(self, results: Results) -> dict[str, Any]:
        return {"measured_tables": measured_tables(results)}


def measured_tables(results: Results) -> list[Table]:
    """One line a cell and system; none where nothing was measured."""
    own = MeasuredResults.of(results)
    if own is None:
        return []
    return Rows(own.measured).tables(
        "measured",
        "",
        "The mean is over blocks, with its 95 % interval.",
        [
            *place_of(results),
            (own.label, "", lambda each: words.estimate(each.value, own.unit)),
        ],
    )


def measured_chart(results: Results) -> Drawing | None:
    """One panel for what is done; None where nothing was measured."""
    own = MeasuredResults.of(results)
    if own is None:
        return None
    title = f"{own.label}, {own.unit}"
    rows = panels.drawn(results, [_row(results, own, each) for each in own.measured])
    if not rows:
        return None
    by_panel = panels.by(rows, lambda row: row["panel"])

    def panel(item: tuple[str, list[dict[str, Any]]], width: int) -> vega.Chart:
        return _panel(*item, title, width)

    label = f"The {own.label} by the size of one operation."
    both = panels.both(list(by_panel.items()), panel, 3)
    return draw("measured", label, *both, rows, note=panels.left_out(results))


def _row(results: Results, own: MeasuredResults, each: Measured) -> dict[str, Any]:
    cell = results.cell(each.cell)
    factors = factors_of(cell)
    return {
        "system": each.system,
        "panel": factors.panel,
        "size": exact_size(factors.operation_bytes),
        "value": each.value.value,
        **marks.ends(each.value),
        "tip": f"{each.system}, {cell.name}: {words.estimate(each.value, own.unit)}",
    }


def _panel(name: str, rows: list[dict[str, Any]], title: str, width: int) -> vega.Chart:
    sizes = list(dict.fromkeys(row["size"] for row in rows))
    x = vega.field("size:O", sort=sizes, title="size", axis={"labelAngle": 0, "grid": False})
    top = axes.AIR * max(row["high"] or row["value"] for row in rows)
    along = axes.along("y", (0.0, top), log=False, title=title, labelExpr=axes.amount())
    line = {"strokeWidth": 1}
    layers = marks.measured(rows, FIELDS, along, 42, width=1.5, line=line, x=x)
    return vega.layer(*layers).properties(
        width=width, height=170, title=panels.heading(name, width)
    )
