"""The pictures of many clients: every number of each test, the spread of clients, extents.

The tests: one row per number and system, as in the first picture, as ratios to the baseline. The
clients: one panel per test, one line per system from the slowest client to the fastest, thick from
one in ten to nine in ten, with a mark at the middle one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fsgauge.kinds.connections.analysis import model
from fsgauge.kinds.connections.page.rows import PER_FILE, Row, TestRows, label_of, test_rows
from fsgauge.report import vega, words
from fsgauge.report.charts import axes, marks, panels
from fsgauge.report.charts.forest import forms, over_baseline, ratio_row
from fsgauge.report.charts.lengths import Limits, Panel, lengths_chart, limits_of, rows_of
from fsgauge.report.draw import Drawing, chart_of, draw
from fsgauge.report.table_parts import NOTHING, Rows, Table, TableCell, judged_cell, value_cell
from fsgauge.stats.results import JudgedRatio, Results
from fsgauge.units import count, figure

NAME = "by_clients"
RATE_PIXELS, RESPONSE_PIXELS = 170, 120
_AIR = 1.3
MOST_TICKS = 40
"""Ticks of a log axis: 1, 2 and 5 times each power of ten."""
ROWS_LIMIT = 60
FIRST_SCREEN_ROWS = 20


def tests_chart(results: Results) -> Drawing | None:
    """The drawing; None without tests or with nothing to compare. Extents per file are in a table:
    a ratio of 20 would press all others together."""
    found = [
        _ratio_row(results, test, row, system, value.change)
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
    return draw("tests", label, *forms(results, rows, over_baseline(results)), rows)


def is_short(drawing: Drawing | None) -> bool:
    """Whether it has room on the first screen, and says there what the first picture would."""
    return drawing is not None and len(drawing.rows) <= FIRST_SCREEN_ROWS


def _ratio_row(
    results: Results, test: TestRows, row: Row, system: str, change: JudgedRatio
) -> dict[str, Any]:
    of = (test.cell.id, system, row.kind.number)
    name = f"{test.cell.name}, {row.kind.name}"
    said = f"{change.verdict}; here {row.values[system].text}"
    blocks = [ratio for _, ratio in getattr(change, "blocks", ())]
    found = ratio_row(results, change, blocks, of, name, said)
    return {**found, "cell": f"{test.cell.name}: {label_of(row.kind)}"}


PANELS_LIMIT = 6
SharesPanel = tuple[str, list[dict[str, Any]], tuple[float, float]]


def clients_chart(results: Results) -> Drawing | None:
    connections = model.Connections.within(results)
    if not connections.shares:
        return None
    rows = panels.styled(results, [_shares_row(results, each) for each in connections.shares])
    low = min(95.0, *(row["smallest"] for row in rows))
    high = max(105.0, *(row["largest"] for row in rows))
    air = 0.04 * (high - low)
    limits = (max(0.0, low - air), high + air)
    by_test = panels.by(rows, lambda row: row["test"])
    shown: list[SharesPanel] = [(test, found, limits) for test, found in by_test.items()]
    shown = shown[:PANELS_LIMIT]
    label = "Pace of single clients as a share of their mean, by test and system."
    shown_rows = [row for _, panel, _ in shown for row in panel]
    return draw("clients", label, *panels.both(shown, _shares_panel), shown_rows)


def _shares_row(results: Results, shares: model.ClientShares) -> dict[str, Any]:
    percent = {
        name: 100 * getattr(shares, name).value
        for name in ("smallest", "tenth", "half", "nine_tenths", "largest")
    }
    return {
        "test": results.cell(shares.cell).name,
        "system": shares.system,
        **percent,
        "tip": f"{shares.system}, {count(shares.clients, 'client')}: slowest"
        f" {percent['smallest']:.0f} % of the mean, one in ten below {percent['tenth']:.0f} %,"
        f" half below {percent['half']:.0f} %, nine in ten below {percent['nine_tenths']:.0f} %,"
        f" fastest {percent['largest']:.0f} %",
    }


def _shares_panel(panel: SharesPanel, width: int) -> vega.Chart:
    name, rows, limits = panel
    systems = {row["system"] for row in rows}
    systems_y = panels.system_axis(rows, width)
    width = panels.next_to_labels(rows, width)
    title = "% of the clients' mean pace"
    along = axes.along("x", limits, log=False, title=title, tickCount=5)
    x = along.channel
    base = chart_of(rows).encode(
        y=systems_y, color=panels.colour(), description=vega.field("tip:N")
    )
    return vega.layer(
        marks.level(100, along, strokeWidth=1, strokeDash=[3, 3]),
        base.mark("rule", strokeWidth=1.5).encode(x=x("smallest"), x2=vega.field("largest:Q")),
        base.mark("rule", strokeWidth=6, opacity=0.5).encode(
            x=x("tenth"), x2=vega.field("nine_tenths:Q")
        ),
        base.mark("point", size=50, filled=True, opacity=1).encode(
            x=x("half"), shape=panels.shape()
        ),
    ).properties(width=width, height=28 * len(systems) + 8, title=panels.heading(name, width))


SMALLEST_BYTES = 4096
BYTES = "% of bytes"


def extents_chart(results: Results) -> Drawing | None:
    drawn = panels.drawn_systems(results)
    scanned = model.Connections.within(results).extents
    found = [each for each in scanned if each.lengths and each.system in drawn]
    if not found:
        return None
    limits = limits_of(SMALLEST_BYTES, [each.lengths for each in found])
    shown = [
        Panel(results.cell(cell).name, _lengths(results, of_cell, limits), limits, "extents", BYTES)
        for cell, of_cell in panels.by(found, lambda each: each.cell).items()
    ]
    label = "Share of bytes in extents of at least some length, by test and system."
    note = panels.left_out(results)
    return lengths_chart("extents", label, shown[:PANELS_LIMIT], note=note)


def _lengths(
    results: Results, found: Sequence[model.CellExtents], limits: Limits
) -> list[dict[str, Any]]:
    return panels.styled(
        results,
        [
            {**row, "tip": f"{row['tip']}; {figure(each.per_file.value)} extents per file"}
            for each in found
            for row in rows_of(each.system, "extents", each.lengths, limits)
        ],
    )


def by_clients_chart(results: Results) -> Drawing | None:
    rows = map(_row, model.Connections.within(results).by_clients)
    label = "Rate and mean response of each test by number of clients."
    return panels.swept(results, NAME, label, rows, "clients", _panel, PANELS_LIMIT, "test")


def _row(each: model.ByClients) -> dict[str, Any]:
    rate = words.value(each.rate.value, each.unit)
    unit, divisor = ("MiB/s", 1 << 20) if each.unit == "B/s" else (each.unit, 1)
    row: dict[str, Any] = {
        "test": each.test,
        "system": each.system,
        "clients": each.clients,
        "rate": each.rate.value / divisor,
        **marks.ends(each.rate, "rate_", divisor),
        "unit": unit,
        "operation": each.operation,
        "response": None,
        "tip": f"{each.system}, {each.test}, {count(each.clients, 'client')}: {rate}",
    }
    response = each.response_ns
    if response is not None:
        row |= {
            "response": response.value / 1e6,
            **marks.ends(response, "response_", 1e6),
            "tip": f"{row['tip']}; mean {each.operation} {words.value(response.value, 'ns')}",
        }
    return row


def _panel(rows: list[dict[str, Any]], width: int) -> vega.Chart:
    timed = [row for row in rows if row["response"] is not None]
    first, size = rows[0], (width, RESPONSE_PIXELS)
    rate = _lines(rows, "rate", first["unit"], not timed, (width, RATE_PIXELS), first["test"])
    if not timed:
        return rate
    response = _lines(timed, "response", f"mean {first['operation']}, ms", True, size)
    return vega.vconcat(rate, response, spacing=8)


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


def by_clients_table(results: Results, connections: model.Connections) -> list[Table]:
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
    )


def _response_cell(each: model.ByClients) -> TableCell:
    found = value_cell(each.response_ns, "ns")
    return found if found == NOTHING else TableCell(f"{each.operation} {found.text}", found.below)
