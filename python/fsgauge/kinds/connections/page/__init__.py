"""What a report shows of many clients: the published rows, latency, extents, fairness, checks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fsgauge.kinds.connections.analysis.model import Connections
from fsgauge.kinds.connections.page.clients_chart import clients_chart
from fsgauge.kinds.connections.page.extents_chart import extents_chart
from fsgauge.kinds.connections.page.headline import headline
from fsgauge.kinds.connections.page.parts import connections_parts
from fsgauge.kinds.connections.page.serving import serving_parts
from fsgauge.kinds.connections.page.tests_chart import is_short, tests_chart
from fsgauge.report.draw import Drawing
from fsgauge.report.kind_page import KindPage, Line
from fsgauge.stats.results import Results
from fsgauge.store import StoredStudy


class ConnectionsPage(KindPage):
    """Tests, clients, servers, extents."""

    sections = ("connections/sections.html.j2", "connections/serving.html.j2")
    later_sections = ("connections/extents.html.j2",)
    facts = "connections/facts.html.j2"
    latency_tables = "connections/latency.html.j2"
    latency_panels = 12
    operation = "operation"
    workers = "clients"
    latency_caption = (
        "Response latency, from the moment the client asked: the wait for a turn is in it."
    )
    series_caption = (
        ": records read or written per second, from the first client's start to the last one's end."
    )
    series_remark = "The end falls off where the first clients are done. "

    def pictures(self, results: Results, stored: StoredStudy) -> list[Drawing | None]:  # noqa: ARG002
        """Of tests, of shares, of extents."""
        return [tests_chart(results), clients_chart(results), extents_chart(results)]

    def left_out(self, drawings: Mapping[str, Drawing]) -> set[str]:
        """The first picture, where the numbers of all tests fit the first screen."""
        return {"forest"} if is_short(drawings.get("tests")) else set()

    def lead(self, drawings: Mapping[str, Drawing]) -> str:
        """The numbers of all tests, where they fit."""
        short = "tests" in drawings and "forest" not in drawings
        return "connections/lead.html.j2" if short else ""

    def values(self, results: Results, stored: StoredStudy) -> dict[str, Any]:  # noqa: ARG002
        """Tables by section."""
        return {"connections": connections_parts(results), "serving": serving_parts(results)}

    def headline(self, results: Results) -> str:
        """What one system gives, where the shipped study has one."""
        return headline(results)

    def integrity(self, results: Results) -> Line | None:
        """Records that were read back."""
        connections = Connections.of(results)
        if connections is None or not connections.checked_records:
            return None
        good = connections.bad_records == 0
        text = "every record read back is right" if good else "records that were not as written"
        if good and results.sureness.client_errors:
            text = "what could be read is right; not everything could be written or read"
        whole = good and not results.sureness.client_errors
        return Line("Integrity", text, whole, "bad_records")


PAGE = ConnectionsPage()
