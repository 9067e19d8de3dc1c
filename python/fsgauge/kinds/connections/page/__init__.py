"""What a report shows of many clients: the published rows, latency, extents, fairness, checks."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from fsgauge.kinds.connections.analysis.findings import carried
from fsgauge.kinds.connections.analysis.model import Connections
from fsgauge.kinds.connections.factors import ConnectionsFactors
from fsgauge.kinds.connections.page import charts
from fsgauge.kinds.connections.page.serving import serving_parts
from fsgauge.kinds.connections.page.tables import (
    call_table,
    error_table,
    extents_table,
    extents_words,
    fairness_table,
    latency_table,
    little_table,
    published_tables,
    source_of_figures,
)
from fsgauge.report.draw import Drawing
from fsgauge.report.kind_page import Assurance, KindPage
from fsgauge.stats.results import Results
from fsgauge.units import count


def connections_parts(results: Results) -> dict[str, Any]:
    connections, tables = Connections.within(results), published_tables(results)
    beside = any(column.elsewhere for table in tables for column in table.columns)
    clients = [
        *fairness_table(results, connections),
        *little_table(results, connections),
        *call_table(connections),
    ]
    primary = _primary_extents(results, connections) if connections.extents_primary else []
    return {
        "published": tables,
        "pages": list(dict.fromkeys(page for table in tables for page in table.pages)),
        "source": source_of_figures() if beside else "",
        "carried": carried(connections),
        "errors": error_table(results, connections),
        "clients": clients,
        "latency": latency_table(results, connections),
        "swept": charts.by_clients_table(results, connections),
        "extents": extents_table(results, connections),
        "primary_extents": primary,
    }


def _primary_extents(results: Results, connections: Connections) -> list[tuple[str, str]]:
    """By primary test, every system's ratio of extents per file in words."""
    primary = {ConnectionsFactors.of(results.cell(cell)).test for cell in results.primary_cells}
    shown = primary | ({"backup fill"} if "backup" in primary else set())
    found: dict[str, list[str]] = {}
    for each in connections.extents:
        if each.ratio is not None and ConnectionsFactors.of(results.cell(each.cell)).test in shown:
            words = f"{each.system} {extents_words(each)}"
            found.setdefault(results.cell(each.cell).name, []).append(words)
    return [(name, ", ".join(ratios)) for name, ratios in found.items()]


@cache
def _shipped_question() -> str:
    text = (files("fsgauge.kinds.connections") / "studies" / "connections.toml").read_text("utf-8")
    return str(tomllib.loads(text)["question"])


class ConnectionsPage(KindPage):
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

    def pictures(self, results: Results) -> list[Drawing | None]:
        return [
            charts.tests_chart(results),
            charts.by_clients_chart(results),
            charts.clients_chart(results),
            charts.extents_chart(results),
        ]

    def left_out(self, drawings: Mapping[str, Drawing], results: Results) -> set[str]:  # noqa: ARG002
        """The first picture, where the numbers of all tests fit the first screen."""
        return {"forest"} if charts.is_short(drawings.get("tests")) else set()

    def lead(self, drawings: Mapping[str, Drawing]) -> str:
        short = "tests" in drawings and "forest" not in drawings
        return "connections/lead.html.j2" if short else ""

    def values(self, results: Results) -> dict[str, Any]:
        return {"connections": connections_parts(results), "serving": serving_parts(results)}

    def headline(self, results: Results) -> str:
        """The question; of a shipped study of clients with one system, what that one gives."""
        if len(results.systems) > 1:
            return results.question
        if results.question != _shipped_question():
            return results.question
        counts = (ConnectionsFactors.of(cell).at_once_on_all_hosts for cell in results.cells)
        clients = max(counts, default=1)
        many = "one client" if clients == 1 else count(clients, "client")
        verb = "does" if clients == 1 else "do"
        return f"What {verb} {many} get from {results.systems[0]}?"

    def integrity(self, results: Results) -> Assurance | None:
        connections = Connections.within(results)
        if not connections.checked_records:
            return None
        good = connections.bad_records == 0
        text = "every record read back is right" if good else "records that were not as written"
        if good and results.sureness.client_errors:
            text = "what could be read is right; not everything could be written or read"
        whole = good and not results.sureness.client_errors
        return Assurance("Integrity", text, whole, "bad_records")


PAGE = ConnectionsPage()
