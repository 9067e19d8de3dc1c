"""What the page shows of several writers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fsgauge.kinds.writers.analysis.model import Scaling, ScalingLine
from fsgauge.kinds.writers.page.chart import law_chart, writers_chart
from fsgauge.kinds.writers.page.tables import every_count, scaling_tables
from fsgauge.report import words
from fsgauge.report.charts import marks
from fsgauge.report.charts.depth import depth_curves
from fsgauge.report.charts.forest import forms
from fsgauge.report.charts.law import no_law
from fsgauge.report.draw import Drawing, draw
from fsgauge.report.kind_page import KindPage
from fsgauge.report.table_parts import Table
from fsgauge.stats.results import Results
from fsgauge.units import count

FARTHEST_IDEAL = 16.0
"""An ideal beyond this would press all systems together at the left."""


class WritersPage(KindPage):
    sections = ("writers/sections.html.j2",)
    workers = "writers"

    def pictures(self, results: Results) -> list[Drawing | None]:
        return [
            gain_chart(results),
            writers_chart(results),
            law_chart(results),
            depth_curves(results),
        ]

    def lead(self, drawings: Mapping[str, Drawing]) -> str:
        return "writers/lead.html.j2" if "gain" in drawings else ""

    def summary_tables(self, results: Results) -> list[Table]:
        """By number of writers, where the answer is what several do in times of one."""
        scaling = Scaling.within(results)
        return every_count(results, scaling) if len(scaling.writer_counts) > 1 else []

    def values(self, results: Results) -> dict[str, Any]:
        return {
            "scaling_tables": scaling_tables(results),
            "no_law": no_law([line.fit for line in Scaling.within(results).lines]),
        }


def gain_chart(results: Results) -> Drawing | None:
    scaling = Scaling.within(results)
    if len(scaling.writer_counts) < 2:
        return None
    counts = min(scaling.writer_counts), max(scaling.writer_counts)
    found = (_row(scaling, counts, line) for line in scaling.lines)
    rows = [row for row in found if row is not None]
    if not rows:
        return None
    said, ideal = f"{count(counts[1], 'writer')}, in times of", counts[1] / counts[0]
    near = ideal if ideal <= FARTHEST_IDEAL else None
    return draw(
        "gain",
        f"Writes of {said} those of {counts[0]}, one row a system, with 95 % intervals.",
        *forms(results, rows, f"writes of {said} {counts[0]}", near),
        rows,
    )


def _row(scaling: Scaling, counts: tuple[int, int], line: ScalingLine) -> dict[str, Any] | None:
    by_writers = {point.writers: point for point in line.points}
    first, last = (by_writers.get(number) for number in counts)
    change = scaling.together(last.change) if last is not None else None
    if first is None or last is None or change is None:
        return None
    interval, said = words.interval_of(change), f"{change.value:.2f} times"
    alone = dict(first.blocks)
    place = f"{line.system}, {line.group}" if line.group else line.system
    return {
        "cell": line.group,
        "system": line.system,
        "also": ", device" if line.system == scaling.device else "",
        "ratio": change.value,
        **marks.ends(change),
        "blocks": [rate / alone[block] for block, rate in last.blocks if block in alone],
        "words": said,
        "interval": f"({interval})",
        "tip": f"{place}: {count(counts[1], 'writer')} do {said} the writes of {counts[0]}"
        f" ({interval}), {change.n} blocks",
    }


PAGE = WritersPage()
