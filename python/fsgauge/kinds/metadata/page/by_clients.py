"""Operations a second by number of clients: a panel an operation and set of files."""

from __future__ import annotations

from typing import Any

from fsgauge.kinds.metadata.factors import MetadataFactors
from fsgauge.report import vega, words
from fsgauge.report.charts import axes, marks, panels
from fsgauge.report.draw import Drawing, draw
from fsgauge.stats.results import Measurement, Results

NAME = "by_clients"
PANELS_LIMIT = 12
_FIELDS = ("value", "low", "high")
_PIXELS = 160


def by_clients_chart(results: Results) -> Drawing | None:
    """The drawing; None where no operation was done by two numbers of clients."""
    cells = {cell.id: MetadataFactors.of(cell) for cell in results.cells}
    found = [
        _row(cells[each.cell], each)
        for each in results.measurements
        if each.cell in cells and each.metric == cells[each.cell].metric
    ]
    by_panel = panels.by(panels.drawn(results, found), lambda row: row["panel"]).values()
    swept = [rows for rows in by_panel if len({row["clients"] for row in rows}) > 1]
    if not swept:
        return None
    shown = swept[:PANELS_LIMIT]
    rows = [row for panel in shown for row in panel]
    label = "Operations a second by number of clients."
    return draw(NAME, label, *panels.both(shown, _panel), rows, note=panels.left_out(results))


def _row(factors: MetadataFactors, each: Measurement) -> dict[str, Any]:
    rate = words.value(each.value, "IOPS").replace(" IOPS", "/s")
    return {
        "panel": factors.panel,
        "system": each.system,
        "clients": factors.clients,
        "value": each.value,
        **marks.ends(each),
        "tip": f"{each.system}, {factors.noun}: {rate}",
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
