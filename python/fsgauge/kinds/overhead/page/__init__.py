"""What the page shows of a study of kind overhead: the sweep of block sizes and queue depths."""

from __future__ import annotations

from fsgauge.kinds.overhead.page.heatmap import heatmap
from fsgauge.report.charts.depth import depth_curves
from fsgauge.report.draw import Drawing
from fsgauge.report.kind_page import KindPage
from fsgauge.stats.results import Results
from fsgauge.store import StoredStudy


class OverheadPage(KindPage):
    """A panel a system and pattern, and the cost against queue depth."""

    sections = ("overhead/sections.html.j2",)

    def pictures(self, results: Results, stored: StoredStudy) -> list[Drawing | None]:  # noqa: ARG002
        """Heatmap and curves."""
        return [heatmap(results), depth_curves(results)]


PAGE = OverheadPage()
