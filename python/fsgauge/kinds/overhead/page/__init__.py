"""What the page shows of a study of kind overhead: cost by block size and queue depth."""

from __future__ import annotations

from typing import Any

from fsgauge.kinds.overhead.page.heat_map import heat_map
from fsgauge.kinds.overhead.page.tables import (
    claims_table,
    fluctuation_table,
    host_files_table,
)
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
        """Heat map and curves."""
        return [heat_map(results), depth_curves(results)]

    def values(self, results: Results, stored: StoredStudy) -> dict[str, Any]:  # noqa: ARG002
        """Published claims beside its own numbers, and what varied over time."""
        return {
            "claims": claims_table(results, ledger_of("overhead")),
            "fluctuation": fluctuation_table(results),
            "host_files": host_files_table(results),
        }


PAGE = OverheadPage()
