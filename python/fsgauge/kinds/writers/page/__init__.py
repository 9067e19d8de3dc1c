"""What the page shows of several writers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fsgauge.kinds.writers.page.chart import law_chart, writers_chart
from fsgauge.kinds.writers.page.gain import gain_chart
from fsgauge.kinds.writers.page.tables import no_law, scaling_tables
from fsgauge.kinds.writers.published import published_writers
from fsgauge.report.charts.depth import depth_curves
from fsgauge.report.draw import Drawing
from fsgauge.report.kind_page import KindPage
from fsgauge.stats.results import Results
from fsgauge.store import StoredStudy


class WritersPage(KindPage):
    """Gain, rates by number of writers, the scalability law."""

    sections = ("writers/sections.html.j2",)
    workers = "writers"

    def pictures(self, results: Results, stored: StoredStudy) -> list[Drawing | None]:  # noqa: ARG002
        """Of scaling, and the cost against queue depth."""
        return [
            gain_chart(results),
            writers_chart(results),
            law_chart(results),
            depth_curves(results),
        ]

    def lead(self, drawings: Mapping[str, Drawing]) -> str:
        """What the most writers do, in times of the fewest."""
        return "writers/lead.html.j2" if "gain" in drawings else ""

    def values(self, results: Results, stored: StoredStudy) -> dict[str, Any]:  # noqa: ARG002
        """Tables, and why no law is fitted."""
        return {
            "scaling_tables": scaling_tables(results, published_writers()),
            "no_law": no_law(results),
        }


PAGE = WritersPage()
