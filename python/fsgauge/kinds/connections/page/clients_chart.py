"""How evenly clients got on: the spread of their own pace around its mean, by test.

One panel a test, one line a system: from the slowest client to the fastest, thick from one in ten
to nine in ten, with a mark at the middle one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fsgauge.kinds.connections.analysis.model import ClientShares, Connections
from fsgauge.report.charts import panels
from fsgauge.report.charts.rows import chart_of
from fsgauge.report.draw import Drawing, draw
from fsgauge.report.theme import INK, system_colours, system_shapes
from fsgauge.stats.results import Results

if TYPE_CHECKING:
    import altair as alt

PANELS_LIMIT = 6
Panel = tuple[str, list[dict[str, Any]], tuple[float, float]]


def clients_chart(results: Results) -> Drawing | None:
    """The drawing; None where no test has several clients."""
    connections = Connections.of(results)
    if connections is None or not connections.shares:
        return None
    colours = system_colours(results.systems, results.baseline)
    shapes = system_shapes(results.systems, results.baseline)
    rows = panels.styled([_row(results, each) for each in connections.shares], colours, shapes)
    low = min(95.0, *(row["smallest"] for row in rows))
    high = max(105.0, *(row["largest"] for row in rows))
    air = 0.04 * (high - low)
    limits = (max(0.0, low - air), high + air)
    by_test: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        by_test.setdefault(row["test"], []).append(row)
    shown: list[Panel] = [(test, found, limits) for test, found in by_test.items()][:PANELS_LIMIT]
    label = "Pace of single clients as a share of their mean, by test and system."
    shown_rows = [row for _, panel, _ in shown for row in panel]
    return draw("clients", label, *panels.both(shown, _panel), shown_rows)


def _row(results: Results, shares: ClientShares) -> dict[str, Any]:
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


def _panel(panel: Panel, width: int) -> alt.TopLevelMixin:
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
