"""What the page shows of a study of kind overhead: the sweep of block sizes and queue depths."""

from __future__ import annotations

from typing import Any

from fsgauge.kinds.overhead.page.claims import claims_table
from fsgauge.kinds.overhead.page.heatmap import heatmap
from fsgauge.published.ledger import ledger_of
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

    def values(self, results: Results, stored: StoredStudy) -> dict[str, Any]:  # noqa: ARG002
        """Published claims beside its own numbers."""
        return {"claims": claims_table(results, ledger_of("overhead"))}


PAGE = OverheadPage()
