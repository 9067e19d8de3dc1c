"""What the report shows of a study of churn, and of no other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from fsgauge.kinds.churn.analysis.model import Churn
from fsgauge.kinds.churn.page.chart import damage_chart
from fsgauge.kinds.churn.page.tables import damage_table, layout_table, tree_table
from fsgauge.report.draw import Drawing
from fsgauge.report.kind_page import Assurance, KindPage
from fsgauge.report.table_parts import Table, all_said_once
from fsgauge.stats.evidence import count
from fsgauge.stats.results import Results
from fsgauge.store import StoredStudy


class ChurnParts(NamedTuple):
    """Tables by section."""

    damage: Sequence[Table] = ()
    layouts: Sequence[Table] = ()
    trees: Sequence[Table] = ()


def churn_parts(results: Results) -> ChurnParts:
    """Everything of a study of churn; nothing of other studies."""
    churn = Churn.of(results)
    if churn is None:
        return ChurnParts()
    damage, layouts = damage_table(results, churn), layout_table(churn)
    return ChurnParts(all_said_once(damage), all_said_once(layouts), tree_table(churn))


OF_SYSTEMS = {"forest", "depth", "latency", "cpu", "series"}
"""Pictures of systems side by side, which the picture of the damage replaces."""


class ChurnPage(KindPage):
    """Damage by fill level, layouts, trees."""

    sections = ("churn/sections.html.j2",)
    ranked = False
    workers = "clients"

    def pictures(self, results: Results, stored: StoredStudy) -> list[Drawing | None]:  # noqa: ARG002
        return [damage_chart(results)]

    def left_out(self, drawings: Mapping[str, Drawing], results: Results) -> set[str]:  # noqa: ARG002
        """All pictures of systems side by side, once there is a damage."""
        return OF_SYSTEMS if "damage" in drawings else set()

    def lead(self, drawings: Mapping[str, Drawing]) -> str:
        """What the aged system keeps."""
        return "churn/lead.html.j2" if "damage" in drawings else ""

    def summary_tables(self, results: Results) -> list[Table]:
        """Damage by fill level."""
        churn = Churn.of(results)
        return [] if churn is None else all_said_once(damage_table(results, churn))

    def values(self, results: Results, stored: StoredStudy) -> dict[str, Any]:  # noqa: ARG002
        """Tables by section."""
        return {"churn": churn_parts(results)}

    def comparisons(self, results: Results) -> Assurance | None:
        """Ratios of aged over fresh."""
        churn = Churn.of(results)
        if churn is None:
            return None
        text = f"{count(len(churn.damages), 'ratio')} of aged over fresh, corrected for"
        return Assurance("Comparisons", text, True, "damage")


PAGE = ChurnPage()
