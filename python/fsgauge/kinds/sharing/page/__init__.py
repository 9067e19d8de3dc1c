"""What the page shows of a study of kind sharing: faults of systems, and what limited each rate."""

from __future__ import annotations

from typing import Any

from fsgauge.kinds.sharing.analysis.cautions import MEASURED_BY, words
from fsgauge.kinds.sharing.analysis.model import Sharing
from fsgauge.kinds.sharing.page.tables import (
    elsewhere,
    faults_table,
    limits_table,
    memory_table,
    processor_table,
    published_tables,
    rates_table,
    tests_table,
)
from fsgauge.published.ledger import ledger_of
from fsgauge.report.kind_page import KindPage
from fsgauge.stats.results import Results
from fsgauge.store import StoredStudy


class SharingPage(KindPage):
    """Tables; the pictures are those of every study."""

    sections = ("sharing/sections.html.j2",)
    facts = "sharing/facts.html.j2"
    draws_every_ratio = True

    def values(self, results: Results, stored: StoredStudy) -> dict[str, Any]:  # noqa: ARG002
        """What tests do, how systems failed, what limited them, and which are of caches."""
        own = Sharing.of(results)
        local = own.local_locks if own is not None else []
        return {
            "sharing_one_node": words(local) if local else "",
            "sharing_cluster_command": MEASURED_BY,
            "sharing_elsewhere": elsewhere(local),
            "sharing_published": published_tables(results, ledger_of("sharing")),
            "sharing_faults": faults_table(results),
            "sharing_tests": tests_table(results),
            "sharing_limits": limits_table(results),
            "sharing_memory": memory_table(results),
            "sharing_rates": rates_table(results),
            "sharing_processor": processor_table(results),
        }


PAGE = SharingPage()
