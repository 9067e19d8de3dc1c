"""The pictures of many clients: every number of each test, the spread of clients, extents.

The tests: one row per number and system, as in the first picture, as ratios to the baseline. The
clients: one panel per test, one line per system from the slowest client to the fastest, thick from
one in ten to nine in ten, with a mark at the middle one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fsgauge.kinds.connections.analysis.model import ClientShares, Connections
from fsgauge.kinds.connections.page.rows import PER_FILE, Change, Row, TestRows, label_of, test_rows
from fsgauge.report import words
from fsgauge.report.charts import panels
from fsgauge.report.charts.forest import forms, over_baseline
from fsgauge.report.charts.lengths import Panel, lengths_chart, limits_of, rows_of
from fsgauge.report.draw import Drawing, chart_of, draw
from fsgauge.report.theme import GLYPHS, INK
from fsgauge.stats.results import Results

if TYPE_CHECKING:
    import altair as alt

ROWS_LIMIT = 60
FIRST_SCREEN_ROWS = 20


def tests_chart(results: Results) -> Drawing | None:
    """The drawing; None without tests or with nothing to compare.

    Extents per file are in a table: a ratio of 20 would press all others together.
    """
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


def _noise(results: Results, metric: str, cell: str) -> tuple[float, float] | None:
    floor = results.noise_of(metric)
    band = floor.band_of(cell) if floor else None
    return (band.low, band.high) if band else None


def _ratio_row(
    results: Results, test: TestRows, row: Row, system: str, change: Change
) -> dict[str, Any]:
    known = words.is_known(change.low, change.high, change.n)
    name = f"{test.cell.name}: {label_of(row.kind)}"
    interval = words.interval(change.low, change.high, change.n)
    value = row.values[system]
    return {
        "cell": name,
        "system": system,
        "ratio": change.ratio,
        "low": change.low if known else None,
        "high": change.high if known else None,
        "blocks": change.blocks,
        "noise": _noise(results, row.kind.number, test.cell.id),
        "verdict": change.verdict,
        "words": f"{words.ratio(change.ratio)}  {GLYPHS[change.verdict]} {change.verdict}",
        "interval": f"({interval})",
        "tip": f"{system}, {test.cell.name}, {row.kind.name}: {words.ratio(change.ratio)} of"
        f" {results.baseline} ({interval}), {change.verdict}; here {value.text}",
    }


PANELS_LIMIT = 6
SharesPanel = tuple[str, list[dict[str, Any]], tuple[float, float]]


def clients_chart(results: Results) -> Drawing | None:
    """The drawing; None where no test has several clients."""
    connections = Connections.of(results)
    if connections is None or not connections.shares:
        return None
    rows = panels.styled(results, [_shares_row(results, each) for each in connections.shares])
    low = min(95.0, *(row["smallest"] for row in rows))
    high = max(105.0, *(row["largest"] for row in rows))
    air = 0.04 * (high - low)
    limits = (max(0.0, low - air), high + air)
    by_test: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        by_test.setdefault(row["test"], []).append(row)
    shown: list[SharesPanel] = [(test, found, limits) for test, found in by_test.items()][
        :PANELS_LIMIT
    ]
    label = "Pace of single clients as a share of their mean, by test and system."
    shown_rows = [row for _, panel, _ in shown for row in panel]
    return draw("clients", label, *panels.both(shown, _shares_panel), shown_rows)


def _shares_row(results: Results, shares: ClientShares) -> dict[str, Any]:
    percent = {
        name: 100 * getattr(shares, name).value
        for name in ("smallest", "tenth", "half", "nine_tenths", "largest")
    }
    return {
        "test": results.cell(shares.cell).name,
        "system": shares.system,
        **percent,
        "tip": f"{shares.system}, {shares.clients} clients: slowest {percent['smallest']:.0f} % of"
        f" the mean, one in ten below {percent['tenth']:.0f} %, half below"
        f" {percent['half']:.0f} %, nine in ten below {percent['nine_tenths']:.0f} %, fastest"
        f" {percent['largest']:.0f} %",
    }


def _shares_panel(panel: SharesPanel, width: int) -> alt.TopLevelMixin:
    import altair as alt

    name, rows, limits = panel
    systems = {row["system"] for row in rows}
    systems_y = panels.system_axis(rows, width)
    width = panels.next_to_labels(rows, width)
    scale = alt.Scale(domain=list(limits), nice=False, zero=False)
    axis = alt.Axis(title="% of the clients' mean pace", tickCount=5)

    def x(field: str) -> alt.X:
        return alt.X(f"{field}:Q", scale=scale, axis=axis)

    base = chart_of(rows).encode(
        y=systems_y,
        color=panels.colour(),
        description="tip:N",
    )
    one = chart_of([{"mean": 100}]).mark_rule(color=INK, strokeWidth=1, strokeDash=[3, 3])
    return alt.layer(
        one.encode(x=x("mean")),
        base.mark_rule(strokeWidth=1.5).encode(x=x("smallest"), x2="largest:Q"),
        base.mark_rule(strokeWidth=6, opacity=0.5).encode(x=x("tenth"), x2="nine_tenths:Q"),
        base.mark_point(size=50, filled=True, opacity=1).encode(x=x("half"), shape=panels.shape()),
    ).properties(width=width, height=28 * len(systems) + 8, title=panels.heading(name, width))


SMALLEST_BYTES = 4096


def extents_chart(results: Results) -> Drawing | None:
    """Lengths of the extents that each writing test left; None where nothing was scanned."""
    connections = Connections.of(results)
    drawn = panels.drawn_systems(results)
    scanned = connections.extents if connections else []
    found = [each for each in scanned if each.lengths and each.system in drawn]
    if not found:
        return None
    limits = limits_of(SMALLEST_BYTES, [each.lengths for each in found])
    by_test: dict[str, list[dict[str, Any]]] = {}
    for each in found:
        rows = [
            {**row, "tip": f"{row['tip']}; {each.per_file.value:.3g} extents per file"}
            for row in rows_of(each.system, "extents", each.lengths, limits)
        ]
        test = results.cell(each.cell).name
        by_test.setdefault(test, []).extend(panels.styled(results, rows))
    shown = [Panel(test, rows, limits, "extents", "% of bytes") for test, rows in by_test.items()]
    label = "Share of bytes in extents of at least some length, by test and system."
    note = panels.left_out(results)
    return lengths_chart("extents", label, shown[:PANELS_LIMIT], note=note)
