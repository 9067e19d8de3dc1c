"""What a report shows of an aged file system: rates by free space, layouts, predictions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fsgauge.kinds.aging.page.against_free import kept_chart, predicted_chart, rates_chart
from fsgauge.kinds.aging.page.aged_lengths import free_lengths, written_lengths
from fsgauge.kinds.aging.page.parts import aging_parts
from fsgauge.report.draw import Drawing
from fsgauge.report.kind_page import KindPage
from fsgauge.stats.results import Results
from fsgauge.store import StoredStudy


class AgingPage(KindPage):
    """Rates against free space, predictions for a disk, layouts, maps, published claims."""

    sections = ("aging/sections.html.j2",)
    facts = "aging/facts.html.j2"
    workers = "streams"

    def pictures(self, results: Results, stored: StoredStudy) -> list[Drawing | None]:  # noqa: ARG002
        """Of rates and of lengths."""
        return [
            kept_chart(results),
            rates_chart(results),
            predicted_chart(results),
            written_lengths(results),
            free_lengths(results),
        ]

    def lead(self, drawings: Mapping[str, Drawing]) -> str:
        """What is kept of the clean rate."""
        return "aging/lead.html.j2" if "kept" in drawings else ""

    def values(self, results: Results, stored: StoredStudy) -> dict[str, Any]:
        """Tables and maps by section."""
        return {"aging": aging_parts(results, stored.scans)}


PAGE = AgingPage()
