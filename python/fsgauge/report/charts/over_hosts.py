"""Rates against the number of hosts, with the ideal and, where it fits, the scalability law.

One panel a system in each group of cells that differ in their hosts alone; of many groups those
that the answer is about.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fsgauge.report import words
from fsgauge.report.charts import marks, panels
from fsgauge.report.charts.law import LawPanel, law_panel
from fsgauge.report.draw import Drawing, draw
from fsgauge.stats.estimate import Estimate
from fsgauge.stats.metrics import METRICS
from fsgauge.stats.results import HostPoint, HostScaling, Results

if TYPE_CHECKING:
    import altair as alt

MOST_PANELS = 12


def over_hosts(results: Results) -> Drawing | None:
    """The drawing; None where the study does not vary the number of hosts."""
    systems = panels.drawn_systems(results)
    lines = [
        each
        for each in results.host_scaling
        if each.system in systems and any(point.rate for point in each.points)
    ]
    of_answer = [
        each for each in lines if any(point.cell in results.primary_cells for point in each.points)
    ]
    shown = of_answer if len(lines) > MOST_PANELS and of_answer else lines
    if not shown:
        return None
    grouped = len({each.group for each in shown}) > 1
    rows = panels.styled(
        results, [_row(line, at) for line in shown for at in line.points if at.rate]
    )
    note = panels.left_out(results)
    if len(shown) < len(lines):
        note = f"{note} Drawn are the primary cells; the table has all.".strip()

    def panel(line: HostScaling, width: int) -> alt.TopLevelMixin:
        own = [row for row in rows if (row["system"], row["group"]) == (line.system, line.group)]
        return law_panel(_panel(line, own, grouped=grouped), width)

    label = "The rate of all hosts together, by the number of hosts."
    return draw("over-hosts", label, *panels.both(shown, panel, 3), rows, note=note)


def _panel(line: HostScaling, rows: list[dict[str, Any]], *, grouped: bool) -> LawPanel:
    counts = [row["x"] for row in rows]
    label = rows[0]["label"]
    fits = line.fit.state == "fits"
    first = rows[0]
    rate = line.fit.rate.value if fits and line.fit.rate else first["iops"] / first["x"]
    return LawPanel(
        rows=rows,
        fit=line.fit,
        counts=counts,
        of="hosts",
        edge=max([*counts, *(each[0] for each in line.fit.curve)]),
        title=f"{label}, {line.group}" if grouped else label,
        subtitle=line.fit.words if line.fit.was_tried else _reached(line),
        ideal=rate,
        unit=METRICS[line.metric].unit,
    )


def _reached(line: HostScaling) -> str:
    """ "4 hosts: 3.12 times, 78 % of ideal"."""
    last = line.points[-1]
    if last.change is None or last.efficiency is None:
        return ""
    share = words.share(last.efficiency)
    return f"{last.hosts} hosts: {last.change.value:.2f} times, {share} of ideal"


def _row(line: HostScaling, point: HostPoint) -> dict[str, Any]:
    rate = point.rate
    assert rate is not None  # noqa: S101 - those without are left out
    return {
        "system": line.system,
        "group": line.group,
        "cell": point.cell,
        "x": point.hosts,
        "iops": rate.value,
        **marks.ends(rate, "iops_"),
        "blocks": [rate for _, rate in point.blocks],
        "tip": _tip(line, point, rate),
    }


def _tip(line: HostScaling, point: HostPoint, rate: Estimate) -> str:
    unit = METRICS[line.metric].unit
    hosts = f"{point.hosts} host{'' if point.hosts == 1 else 's'}"
    parts = [f"{line.system}, {line.group}, {hosts}: {words.estimate(rate, unit)}"]
    if point.efficiency is not None:
        parts.append(f"{words.share(point.efficiency)} of ideal")
    return "; ".join(parts)
