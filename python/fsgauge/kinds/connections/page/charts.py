"""All published rows of all tests as ratios to the baseline: what became better, what worse.

One row a number and system, like the first picture, but for every number of a test; verdicts say
which direction is better.

How evenly clients got on: the spread of their own pace around its mean, by test.

One panel a test, one line a system: from the slowest client to the fastest, thick from one in ten
to nine in ten, with a mark at the middle one.

Lengths of the extents that each writing test left: the share of bytes in pieces that long.

One panel a test, one line a system; a line further up has its bytes in longer pieces.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fsgauge.kinds.connections.analysis.model import CellExtents, ClientShares, Connections
from fsgauge.kinds.connections.page.rows import PER_FILE, Change, Row, TestRows, label_of, test_rows
from fsgauge.report import words
from fsgauge.report.charts import panels
from fsgauge.report.charts.forest import forms
from fsgauge.report.draw import Drawing, chart_of, draw
from fsgauge.report.theme import GLYPHS, INK, system_colours, system_shapes
from fsgauge.stats.results import Results
from fsgauge.units import format_size

if TYPE_CHECKING:
    import altair as alt

ROWS_LIMIT = 60
FIRST_SCREEN_ROWS = 20


def tests_chart(results: Results) -> Drawing | None:
    """The drawing; None without tests or with nothing to compare.

    Extents a file stand in a table: beside them a ratio of 20 would press all others together.
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


PANELS_LIMIT = 6
SharesPanel = tuple[str, list[dict[str, Any]], tuple[float, float]]


def clients_chart(results: Results) -> Drawing | None:
    """The drawing; None where no test has several clients."""
    connections = Connections.of(results)
    if connections is None or not connections.shares:
        return None
    colours = system_colours(results.systems, results.baseline)
    shapes = system_shapes(results.systems, results.baseline)
    rows = panels.styled(
        [_shares_row(results, each) for each in connections.shares], colours, shapes
    )
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
    systems = list(dict.fromkeys(row["system"] for row in rows))
    scale = alt.Scale(domain=list(limits), nice=False, zero=False)
    axis = alt.Axis(title="% of the clients' mean pace", tickCount=5)

    def x(field: str) -> alt.X:
        return alt.X(f"{field}:Q", scale=scale, axis=axis)

    base = chart_of(rows).encode(
        y=alt.Y("system:N", sort=systems, title=None, axis=alt.Axis(ticks=False, domain=False)),
        color=alt.Color("colour:N", scale=None),
        description="tip:N",
    )
    one = chart_of([{"mean": 100}]).mark_rule(color=INK, strokeWidth=1, strokeDash=[3, 3])
    return alt.layer(
        one.encode(x=x("mean")),
        base.mark_rule(strokeWidth=1.5).encode(x=x("smallest"), x2="largest:Q"),
        base.mark_rule(strokeWidth=6, opacity=0.5).encode(x=x("tenth"), x2="nine_tenths:Q"),
        base.mark_point(size=50, filled=True, opacity=1).encode(
            x=x("half"), shape=alt.Shape("shape:N", scale=None)
        ),
    ).properties(width=width, height=28 * len(systems) + 8, title=panels.heading(name))


SMALLEST_BYTES = 4096
Panel = tuple[str, list[dict[str, Any]], tuple[int, int]]


def extents_chart(results: Results) -> Drawing | None:
    """The drawing; None where nothing was scanned."""
    connections = Connections.of(results)
    found = [each for each in connections.extents if each.lengths] if connections else []
    if not found:
        return None
    colours = system_colours(results.systems, results.baseline)
    shapes = system_shapes(results.systems, results.baseline)
    longest = max(at for each in found for at, _ in each.lengths)
    limits = (SMALLEST_BYTES, max(2 * longest, 16 * SMALLEST_BYTES))
    by_cell: dict[str, list[dict[str, Any]]] = {}
    for each in found:
        name = results.cell(each.cell).name
        rows = panels.styled(_rows(each, limits), colours, shapes)
        by_cell.setdefault(name, []).extend(rows)
    shown: list[Panel] = [(name, rows, limits) for name, rows in by_cell.items()][:PANELS_LIMIT]
    label = "Share of bytes in extents of at least some length, by test and system."
    rows = [row for _, panel, _ in shown for row in panel]
    return draw("extents", label, *panels.both(shown, _panel), rows)


def _rows(extents: CellExtents, limits: tuple[int, int]) -> list[dict[str, Any]]:
    """A point at each power of two: where nothing ends, the share stays."""
    shares = dict(extents.lengths)
    rows, at = [], limits[0]
    while at <= limits[1]:
        longer = [share for length, share in shares.items() if length >= at]
        share = max(longer, default=0.0)
        rows.append(
            {
                "system": extents.system,
                "at_least_bytes": at,
                "percent": 100 * share,
                "tip": f"{extents.system}: {100 * share:.3g} % of bytes in extents of at least"
                f" {format_size(at)}; {extents.per_file.value:.3g} extents a file",
            }
        )
        at *= 2
    return rows


def _panel(panel: Panel, width: int) -> alt.TopLevelMixin:
    import altair as alt

    name, rows, limits = panel
    sizes = [at for at in _powers(*limits) if at in _labelled(*limits)]
    names = " : ".join(f"datum.value == {at} ? '{format_size(at)}'" for at in sizes)
    x = alt.X(
        "at_least_bytes:Q",
        scale=alt.Scale(type="log", base=2, domain=list(limits), nice=False),
        axis=alt.Axis(title="extents of at least", values=sizes, labelExpr=f"{names} : ''"),
    )
    y = alt.Y(
        "percent:Q",
        scale=alt.Scale(domain=[0, 100], nice=False),
        axis=alt.Axis(title="% of bytes", tickCount=5),
    )
    base = chart_of(rows).encode(x=x, y=y, color=alt.Color("colour:N", scale=None))
    return alt.layer(
        base.mark_line(strokeWidth=1.5).encode(detail="system:N"),
        base.mark_point(filled=True, size=26, opacity=1).encode(
            shape=alt.Shape("shape:N", scale=None), description="tip:N"
        ),
    ).properties(width=width, height=150, title=panels.heading(name))


def _powers(low: int, high: int) -> list[int]:
    return [1 << bit for bit in range(low.bit_length() - 1, high.bit_length())]


def _labelled(low: int, high: int) -> set[int]:
    """At most six sizes have a name."""
    powers = _powers(low, high)
    return set(powers[:: max(1, -(-len(powers) // 6))])
