"""How rates and responses go with the number of clients: a picture and a table.

A panel a test, rate above, mean response below, both on log scales; a line a system. Where rate
goes up no more, responses grow as the number of clients does.
"""

from __future__ import annotations

from typing import Any

from fsgauge.kinds.connections.analysis.model import ByClients, Connections
from fsgauge.report import vega, words
from fsgauge.report.charts import axes, marks, panels
from fsgauge.report.draw import Drawing, draw
from fsgauge.report.table_parts import (
    NOTHING,
    Rows,
    Table,
    TableCell,
    judged_cell,
    value_cell,
)
from fsgauge.stats.results import Results
from fsgauge.units import count

NAME = "by_clients"
PANELS_LIMIT = 6
RATE_PIXELS, RESPONSE_PIXELS = 170, 120
_AIR = 1.3
MOST_TICKS = 40
"""Of a log axis: 1, 2 and 5 times each power of ten."""


def by_clients_chart(results: Results) -> Drawing | None:
    """The drawing; None where the study has one number of clients, or nothing is known yet."""
    connections = Connections.of(results)
    if connections is None:
        return None
    rows = panels.drawn(results, map(_row, connections.by_clients))
    by_test = panels.by(rows, lambda row: row["test"]).values()
    swept = [rows for rows in by_test if len({row["clients"] for row in rows}) > 1]
    if not swept:
        return None
    shown = swept[:PANELS_LIMIT]
    label = "Rate and mean response of each test by number of clients."
    rows = [row for panel in shown for row in panel]
    return draw(NAME, label, *panels.both(shown, _panel), rows, note=panels.left_out(results))


def _row(each: ByClients) -> dict[str, Any]:
    rate = words.value(each.rate.value, each.unit)
    row: dict[str, Any] = {
        "test": each.test,
        "system": each.system,
        "clients": each.clients,
        "rate": each.rate.value,
        **marks.ends(each.rate, "rate_"),
        "unit": each.unit,
        "operation": each.operation,
        "response": None,
        "tip": f"{each.system}, {each.test}, {count(each.clients, 'client')}: {rate}",
    }
    response = each.response_ns
    if response is not None:
        row |= {
            "response": response.value,
            **marks.ends(response, "response_"),
            "tip": f"{row['tip']}; mean {each.operation} {words.value(response.value, 'ns')}",
        }
    return row


def _panel(rows: list[dict[str, Any]], width: int) -> vega.Chart:
    unit, operation = rows[0]["unit"], rows[0]["operation"]
    of_rate = "MiB/s" if unit == "B/s" else unit
    scaled = [_scaled(row, "rate", 1 << 20 if unit == "B/s" else 1) for row in rows]
    timed = [_scaled(row, "response", 1e6) for row in rows if row["response"] is not None]
    rate = _lines(scaled, "rate", of_rate, not timed, (width, RATE_PIXELS), rows[0]["test"])
    if not timed:
        return rate
    size = (width, RESPONSE_PIXELS)
    response = _lines(timed, "response", f"mean {operation}, ms", True, size)
    return vega.vconcat(rate, response, spacing=8)


def _scaled(row: dict[str, Any], number: str, unit: float) -> dict[str, Any]:
    fields = (number, f"{number}_low", f"{number}_high")
    scaled = {field: row[field] / unit for field in fields if row[field] is not None}
    return {**row, **scaled}


def _lines(
    rows: list[dict[str, Any]],
    number: str,
    title: str,
    last: bool,
    size: tuple[int, int],
    heading: str = "",
) -> vega.Chart:
    fields = (number, f"{number}_low", f"{number}_high")
    inside = [*(row[number] for row in rows), *marks.edges_of(rows, *fields[1:])]
    limits = (min(inside) / _AIR, max(inside) * _AIR)
    counts = sorted({row["clients"] for row in rows})
    ends = (counts[0] / _AIR, counts[-1] * _AIR)
    named = "clients" if last else None
    x = axes.along("x", ends, values=counts, title=named, labels=last, grid=False)
    ticks = axes.round_values(*limits, most=MOST_TICKS)
    along = axes.along("y", limits, title=title, values=ticks, format="~s")
    line = {"strokeWidth": 1.5, "opacity": 0.7}
    return vega.layer(
        *marks.measured(rows, fields, along, 46, line=line, x=x.channel("clients"))
    ).properties(width=size[0], height=size[1], title=panels.heading(heading, size[0]))


def by_clients_table(results: Results, connections: Connections) -> list[Table]:
    """Rates, responses, and each over that of the fewest clients; [] without a sweep."""
    fewest = min((each.clients for each in connections.by_clients), default=1)
    return Rows(connections.by_clients).tables(
        NAME,
        "By number of clients",
        f"Each system against itself with the fewest clients, {fewest}, in the same block. The last"
        f" column is what a system gains over {results.baseline}, over what it gains with {fewest}:"
        " where it is not 1, the number of clients decides how much a file system matters.",
        [
            ("test", "", lambda each: each.test),
            ("system", "", lambda each: each.system),
            ("clients", "", lambda each: f"{each.clients:,}"),
            ("rate", "bandwidth", lambda each: value_cell(each.rate, each.unit)),
            (f"over that of {fewest}", "ratio", lambda each: judged_cell(each.rate_ratio)),
            ("mean response", "mean", _response_cell),
            (f"over that with {fewest}", "ratio", lambda each: judged_cell(each.response_ratio)),
            (f"gain, over that with {fewest}", "ratio", lambda each: judged_cell(each.gain_ratio)),
        ],
        folded_from=33,
        drop_empty=True,
    )


def _response_cell(each: ByClients) -> TableCell:
    found = value_cell(each.response_ns, "ns")
    return found if found == NOTHING else TableCell(f"{each.operation} {found.text}", found.below)
