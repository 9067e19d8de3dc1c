"""What the page shows of many clients, section by section; empty for other studies."""

from __future__ import annotations

from dataclasses import dataclass, field

from fsgauge.kinds.connections.analysis.findings import carried
from fsgauge.kinds.connections.analysis.model import Connections
from fsgauge.kinds.connections.factors import ConnectionsFactors
from fsgauge.kinds.connections.page.tables import (
    call_table,
    error_table,
    extents_table,
    extents_words,
    fairness_table,
    latency_table,
    little_table,
    published_tables,
    source_of,
)
from fsgauge.kinds.connections.published import published_connections
from fsgauge.report.few_blocks import said_once
from fsgauge.report.table_parts import Table
from fsgauge.stats.results import Results


@dataclass(frozen=True)
class ConnectionsParts:
    """Tables by section, and what stands between them in words."""

    published: list[Table] = field(default_factory=list)
    source: str = ""
    carried: str = ""
    errors: list[Table] = field(default_factory=list)
    clients: list[Table] = field(default_factory=list)
    latency: list[Table] = field(default_factory=list)
    extents: list[Table] = field(default_factory=list)
    primary_extents: list[tuple[str, str]] = field(default_factory=list)

    @property
    def pages(self) -> list[str]:
        """The pages that explain the published rows, each once."""
        return list(dict.fromkeys(page for table in self.published for page in table.pages))


def connections_parts(results: Results) -> ConnectionsParts:
    """Everything of a study of many clients."""
    connections = Connections.of(results)
    if connections is None:
        return ConnectionsParts()
    published = published_connections()
    tables = published_tables(results, published)
    beside = any(column.elsewhere for table in tables for column in table.columns)
    return ConnectionsParts(
        published=_once(tables),
        source=source_of(published) if beside else "",
        carried=carried(connections),
        errors=error_table(results),
        clients=_once([*fairness_table(results), *little_table(results), *call_table(results)]),
        latency=_once(latency_table(results)),
        extents=_once(extents_table(results)),
        primary_extents=_primary_extents(results) if connections.extents_primary else [],
    )


def _once(tables: list[Table]) -> list[Table]:
    return [said_once(table) for table in tables]


def _primary_extents(results: Results) -> list[tuple[str, str]]:
    """By primary test, every system's ratio of extents a file in words."""
    connections = Connections.of(results)
    if connections is None:
        return []
    primary = {ConnectionsFactors.of(results.cell(cell)).test for cell in results.primary_cells}
    shown = primary | ({"backup fill"} if "backup" in primary else set())
    found: dict[str, list[str]] = {}
    for each in connections.extents:
        if each.ratio is not None and ConnectionsFactors.of(results.cell(each.cell)).test in shown:
            words = f"{each.system} {extents_words(connections, each.cell, each.system)}"
            found.setdefault(results.cell(each.cell).name, []).append(words)
    return [(name, ", ".join(ratios)) for name, ratios in found.items()]
