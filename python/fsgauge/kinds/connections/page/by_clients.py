"""How rates and responses go with the number of clients: a picture and a table.

A panel a test, rate above, mean response below, both on log scales; a line a system. Where rate
goes up no more, responses grow as the number of clients does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fsgauge.kinds.connections.analysis.model import ByClients, Connections
from fsgauge.report import words
from fsgauge.report.charts import panels
from fsgauge.report.charts.whiskers import Along, edges_of, whiskers
from fsgauge.report.draw import Drawing, chart_of, draw
from fsgauge.report.table_parts import (
    NOTHING,
    Rows,
    Table,
    TableCell,
    judged_cell,
    value_cell,
    without_empty_columns,
)
from fsgauge.stats.estimate import Estimate
from fsgauge.stats.results import Results

if TYPE_CHECKING:
    import altair as alt

NAME = "by_clients"
PANELS_LIMIT = 6
RATE_PIXELS, RESPONSE_PIXELS = 170, 120
_AIR = 1.3
_TICKS = (1, 2, 5)


def by_clients_chart(results: Results) -> Drawing | None:
    """The drawing; None where the study has one number of clients, or nothing is known yet."""
    connections = Connections.of(results)
    if connections is None or not connections.by_clients:
        return None
    systems = panels.drawn_systems(results)
    drawn = [each for each in connections.by_clients if each.system in systems]
    rows = panels.styled(results, [_row(each) for each in drawn])
    tests = list(dict.fromkeys(row["test"] for row in rows))
    by_test = [[row for row in rows if row["test"] == test] for test in tests]
    swept = [rows for rows in by_test if len({row["clients"] for row in rows}) > 1]
    if not swept:
        return None
    shown = swept[:PANELS_LIMIT]
    label = "Rate and mean response of each test by number of clients."
    all_rows = [row for panel in shown for row in panel]
    note = panels.left_out(results)
    return draw(NAME, label, *panels.both(shown, _panel), all_rows, note=note)


def _row(each: ByClients) -> dict[str, Any]:
    rate = words.value(each.rate.value, each.unit)
    row: dict[str, Any] = {
        "test": each.test,
        "system": each.system,
        "clients": each.clients,
        "rate": each.rate.value,
        "rate_low": _edge(each.rate, each.rate.low),
        "rate_high": _edge(each.rate, each.rate.high),
        "unit": each.unit,
        "operation": each.operation,
        "response": None,
        "tip": f"{each.system}, {each.test}, {each.clients} clients: {rate}",
    }
    response = each.response_ns
    if response is not None:
        row |= {
            "response": response.value,
            "response_low": _edge(response, response.low),
            "response_high": _edge(response, response.high),
            "tip": f"{row['tip']}; mean {each.operation} {words.value(response.value, 'ns')}",
        }
    return row


def _edge(number: Estimate, edge: float | None) -> float | None:
    return edge if words.is_known(number.low, number.high, number.n) else None


def _panel(rows: list[dict[str, Any]], width: int) -> alt.TopLevelMixin:
    import altair as alt

    unit, operation = rows[0]["unit"], rows[0]["operation"]
    of_rate = "MiB/s" if unit == "B/s" else unit
    scaled = [_scaled(row, "rate", 1 << 20 if unit == "B/s" else 1) for row in rows]
    timed = [_scaled(row, "response", 1e6) for row in rows if row["response"] is not None]
    rate = _lines(scaled, "rate", of_rate, not timed, (width, RATE_PIXELS), rows[0]["test"])
    if not timed:
        return rate
    size = (width, RESPONSE_PIXELS)
    response = _lines(timed, "response", f"mean {operation}, ms", True, size)
    return alt.vconcat(rate, response, spacing=8)


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
) -> alt.LayerChart | alt.FacetChart:
    import altair as alt

    low, high = f"{number}_low", f"{number}_high"
    inside = [*(row[number] for row in rows), *edges_of(rows, low, high)]
    domain = (min(inside) / _AIR, max(inside) * _AIR)
    counts = sorted({row["clients"] for row in rows})
    ends = [counts[0] / _AIR, counts[-1] * _AIR]
    x = alt.X(
        "clients:Q",
        scale=alt.Scale(type="log", domain=ends, nice=False),
        axis=alt.Axis(values=counts, title="clients" if last else None, labels=last, grid=False),
    )

    def y(field: str) -> alt.Y:
        axis = alt.Axis(title=title, values=_round_between(*domain), format="~s")
        scale = alt.Scale(type="log", domain=list(domain), nice=False)
        return alt.Y(f"{field}:Q", scale=scale, axis=axis)

    base = chart_of(rows)
    colour = panels.colour()
    return alt.layer(
        *whiskers(rows, (number, low, high), Along("y", domain, y), x=x),
        base.mark_line(strokeWidth=1.5, opacity=0.7).encode(
            x=x, y=y(number), color=colour, detail="system:N", strokeDash=panels.dash()
        ),
        panels.points(base, 46, x=x, y=y(number)),
    ).properties(width=size[0], height=size[1], title=panels.heading(heading, size[0]))


def _round_between(low: float, high: float) -> list[float]:
    """1, 2 and 5 times powers of ten between two edges; the edges where there are none."""
    found = [
        digit * 10.0**power
        for power in range(-9, 13)
        for digit in _TICKS
        if low <= digit * 10.0**power <= high
    ]
    return found or [low, high]


def by_clients_table(results: Results, connections: Connections) -> list[Table]:
    """Rates, responses, and each over that of the fewest clients; [] without a sweep."""
    if not connections.by_clients:
        return []
    fewest = min(each.clients for each in connections.by_clients)
    table = Rows(connections.by_clients).table(
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
    )
    return [without_empty_columns(table)]


def _response_cell(each: ByClients) -> TableCell:
    found = value_cell(each.response_ns, "ns")
    return found if found == NOTHING else TableCell(f"{each.operation} {found.text}", found.below)
