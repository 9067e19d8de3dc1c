"""Each system by its scalability law: blocks, means, curve with band, ideal, device and peak.

One panel a system and group, each on its own scale.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fsgauge.kinds.writers.analysis.model import Scaling, ScalingLine
from fsgauge.kinds.writers.page.points import points_of
from fsgauge.report.charts import panels
from fsgauge.report.charts.law import LawPanel, law_panel
from fsgauge.report.draw import Drawing, draw
from fsgauge.stats.results import Results

if TYPE_CHECKING:
    import altair as alt


def law_chart(results: Results) -> Drawing | None:
    """Each system with its scalability law; None when no system has enough writer counts."""
    scaling = Scaling.of(results)
    if scaling is None:
        return None
    systems = panels.drawn_systems(results)
    shown = [line for line in scaling.lines if line.fit.was_tried and line.system in systems]
    shown = [line for line in shown if any(point.iops for point in line.points)]
    if not shown:
        return None
    rows = [row for line in shown for row in points_of(results, scaling, line)]
    label = "The Universal Scalability Law, fitted to each system's rates."

    def panel(line: ScalingLine, width: int) -> alt.TopLevelMixin:
        own = [row for row in rows if (row["system"], row["group"]) == (line.system, line.group)]
        return law_panel(_panel(scaling, line, own), width)

    return draw("law", label, *panels.both(shown, panel, 3), rows, note=panels.left_out(results))


def _panel(scaling: Scaling, line: ScalingLine, rows: list[dict[str, Any]]) -> LawPanel:
    """One system, with the device's own rates behind where that is another one."""
    counts = scaling.writer_counts
    edge = max([*counts, *(each[0] for other in scaling.lines for each in other.fit.curve)])
    label = rows[0]["label"]
    rate = line.fit.rate
    return LawPanel(
        rows=[{**row, "x": row["writers"]} for row in rows],
        fit=line.fit,
        counts=counts,
        of="writers",
        edge=edge,
        title=f"{label}, {line.group}" if line.group else label,
        subtitle=line.fit.words,
        ideal=rate.value if rate is not None and line.fit.state == "fits" else None,
        device=_device_means(scaling, line.group) if line.system != scaling.device else (),
    )


def _device_means(scaling: Scaling, group: str) -> list[dict[str, float]]:
    return [
        {"x": point.writers, "iops": point.iops.value}
        for line in scaling.lines
        if (line.system, line.group) == (scaling.device, group)
        for point in line.points
        if point.iops is not None
    ]
