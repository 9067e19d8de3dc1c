"""What the page shows of churn, section by section; empty for other studies."""

from __future__ import annotations

from dataclasses import dataclass, field

from fsgauge.kinds.churn.page.tables import damage_table, layout_table, tree_table
from fsgauge.report.few_blocks import said_once
from fsgauge.report.table_parts import Table
from fsgauge.stats.results import Results


@dataclass(frozen=True)
class ChurnParts:
    """Tables by section."""

    damage: list[Table] = field(default_factory=list)
    layouts: list[Table] = field(default_factory=list)
    trees: list[Table] = field(default_factory=list)


def churn_parts(results: Results) -> ChurnParts:
    """Everything of a study of churn."""
    return ChurnParts(
        damage=[said_once(table) for table in damage_table(results)],
        layouts=[said_once(table) for table in layout_table(results)],
        trees=tree_table(results),
    )
