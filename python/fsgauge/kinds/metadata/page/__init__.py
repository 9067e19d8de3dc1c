"""What the page shows of metadata: rates by number of clients, and each operation's latencies."""

from __future__ import annotations

from typing import Any

from fsgauge.kinds.metadata.factors import MetadataFactors
from fsgauge.record.records import Cell
from fsgauge.report import vega
from fsgauge.report.charts import axes, marks, panels
from fsgauge.report.draw import Drawing
from fsgauge.report.kind_page import KindPage
from fsgauge.report.table_parts import NOTHING, Rows, Table, TableCell, interval_text
from fsgauge.report.words import value
from fsgauge.stats.results import Measurement, Results

PANELS_LIMIT = 12
_FIELDS = ("value", "low", "high")
_PIXELS = 160
_OPERATIONS = {"record write": "write", "record read": "read", "read": "open"}
"""Whose latency is that of the operation; of whole files that are read, the way to them."""


class MetadataPage(KindPage):
    sections = ("metadata/sections.html.j2",)
    operation = "operation"
    workers = "clients"

    def pictures(self, results: Results) -> list[Drawing | None]:
        return [by_clients_chart(results)]

    def summary_tables(self, results: Results) -> list[Table]:
        return rates_table(results)

    def markdown_tables(self, results: Results) -> list[Table]:  # noqa: ARG002
        """That table has no ratios, which the answer is of."""
        return []

    def values(self, results: Results) -> dict[str, Any]:
        return {"metadata_rates": rates_table(results)}


PAGE = MetadataPage()


def by_clients_chart(results: Results) -> Drawing | None:
    cells = {cell.id: MetadataFactors.of(cell) for cell in results.cells}
    rows = (
        _row(cells[each.cell], each)
        for each in results.measurements
        if each.cell in cells and each.metric == cells[each.cell].metric
    )
    label = "Operations a second by number of clients."
    return panels.swept(results, "by_clients", label, rows, "clients", _panel, PANELS_LIMIT)


def _row(factors: MetadataFactors, each: Measurement) -> dict[str, Any]:
    return {
        "panel": factors.panel,
        "system": each.system,
        "clients": factors.clients,
        "value": each.value,
        **marks.ends(each),
        "tip": f"{each.system}, {factors.noun}: {_rate(each.value)}",
    }


def _panel(rows: list[dict[str, Any]], width: int) -> vega.Chart:
    counts = sorted({row["clients"] for row in rows})
    air = max(counts) ** 0.05
    x = axes.along(
        "x", (counts[0] / air, counts[-1] * air), values=counts, title="clients", grid=False
    )
    top = axes.AIR * max([row["value"] for row in rows] + marks.edges_of(rows, *_FIELDS[1:]))
    along = axes.along("y", (0.0, top), log=False, title="a second", format="~s", tickCount=5)
    line = {"strokeWidth": 1.5, "opacity": 0.7}
    layers = marks.measured(rows, _FIELDS, along, 46, line=line, x=x.channel("clients"))
    heading = panels.heading(rows[0]["panel"], width)
    return vega.layer(*layers).properties(width=width, height=_PIXELS, title=heading)


def rates_table(results: Results) -> list[Table]:
    found = results.measured

    def rate_of(cell: Cell, system: str) -> TableCell:
        factors = MetadataFactors.of(cell)
        rate = found.get((cell.id, system, factors.metric))
        if rate is None:
            return NOTHING
        name = _OPERATIONS.get(factors.operation, factors.operation)
        tails = [found.get((cell.id, system, f"{name}.{part}")) for part in ("p50", "p99")]
        below = [interval_text(rate, _rate), _latencies(tails, name, factors.operation)]
        return TableCell(_rate(rate.value), "; ".join(filter(None, below)))

    return Rows(results.cells).by_system(
        "operations",
        "By operation and system",
        "Operations a second of all clients together: files made, asked for, read or removed, names"
        " changed, whole folders listed, records. Geometric means over blocks with 95 % intervals;"
        " below them p50 and p99 of one call. A † marks a system that gives up durability.",
        ("operation", lambda cell: cell.name),
        results.systems,
        rate_of,
        page="files",
    )


def _rate(per_second: float) -> str:
    """ "41.2 k/s"."""
    return value(per_second, "IOPS").replace(" IOPS", "/s")


def _latencies(tails: list[Measurement | None], name: str, operation: str) -> str:
    known = [(part, each) for part, each in zip(("p50", "p99"), tails, strict=True) if each]
    of_call = "" if name == operation or operation.startswith("record") else f" of {name}"
    return ", ".join(f"{part}{of_call} {value(each.value, 'ns')}" for part, each in known)
