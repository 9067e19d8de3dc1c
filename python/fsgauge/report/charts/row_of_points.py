"""One number of each system where there is one level: a line a system, its estimate and interval.

A chart of lines over one level would be an empty box with all marks on top of one another.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from fsgauge.report.charts import panels
from fsgauge.report.charts.whiskers import Along, whiskers
from fsgauge.report.draw import chart_of

if TYPE_CHECKING:
    import altair as alt

LINE_PIXELS = 18


def row_of_points(
    rows: Sequence[dict[str, Any]],
    fields: tuple[str, str, str],
    along: Along,
    width: int,
    name: str = "",
    under: Sequence[alt.Chart] = (),
) -> alt.LayerChart | alt.FacetChart:
    """The panel; `fields` name value, low and high, `along` is the x axis.

    Single blocks are drawn where rows have `blocks`; `under` is drawn first.
    """
    import altair as alt

    y = panels.system_axis(rows, width)
    width = panels.next_to_labels(rows, width)
    value = fields[0]
    measured = [row for row in rows if row.get("blocks")]
    blocks = [panels.dots(measured, "label", value, along.channel(value), y)] if measured else []
    title = {"title": panels.heading(name, width)} if name else {}
    return alt.layer(
        *under,
        *blocks,
        *whiskers(rows, fields, along, y=y),
        panels.points(chart_of(rows), 50, x=along.channel(value), y=y),
    ).properties(width=width, height=LINE_PIXELS * len({row["label"] for row in rows}) + 8, **title)
