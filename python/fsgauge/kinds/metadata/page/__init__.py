"""What the page shows of metadata: rates by number of clients, and each operation's latencies."""

from __future__ import annotations

from typing import Any

from fsgauge.kinds.metadata.page.by_clients import by_clients_chart
from fsgauge.kinds.metadata.page.tables import rates_table
from fsgauge.report.draw import Drawing
from fsgauge.report.kind_page import KindPage
from fsgauge.report.table_parts import Table
from fsgauge.stats.results import Results
from fsgauge.store import StoredStudy


class MetadataPage(KindPage):
    """A picture and a table of operations a second."""

    sections = ("metadata/sections.html.j2",)
    operation = "operation"
    workers = "clients"

    def pictures(self, results: Results, stored: StoredStudy) -> list[Drawing | None]:  # noqa: ARG002
        """By number of clients, where there are several."""
        return [by_clients_chart(results)]

    def summary_tables(self, results: Results) -> list[Table]:
        """Every operation on every system."""
        return rates_table(results)

    def markdown_tables(self, results: Results) -> list[Table]:  # noqa: ARG002
        """That table has no ratios, which the answer is of."""
        return []

    def values(self, results: Results, stored: StoredStudy) -> dict[str, Any]:  # noqa: ARG002
        """Every operation on every system."""
        return {"metadata_rates": rates_table(results)}


PAGE = MetadataPage()
