"""What a report shows of an aged file system: rates by free space, layouts, predictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fsgauge.kinds.aging.analysis.model import Aging
from fsgauge.kinds.aging.page.against_free import kept_chart, predicted_chart, rates_chart
from fsgauge.kinds.aging.page.aged_lengths import free_lengths, steps_of, written_lengths
from fsgauge.kinds.aging.page.claims import claims_table, source_of
from fsgauge.kinds.aging.page.maps import MapRow, legend, map_rows
from fsgauge.kinds.aging.page.tables import (
    disk_table,
    layout_tables,
    levels_tables,
    predicted_table,
    summary_table,
)
from fsgauge.kinds.aging.published import published_aging
from fsgauge.record.records import ScanRecord
from fsgauge.report.draw import Drawing
from fsgauge.report.kind_page import KindPage
from fsgauge.report.table_parts import Table, all_said_once
from fsgauge.stats.results import Results
from fsgauge.store import StoredStudy


@dataclass(frozen=True)
class AgingParts:
    """Tables by section, and the maps."""

    rates: list[Table] = field(default_factory=list)
    predicted: list[Table] = field(default_factory=list)
    layouts: list[Table] = field(default_factory=list)
    claims: list[Table] = field(default_factory=list)
    source: str = ""
    maps: list[MapRow] = field(default_factory=list)
    legend: list[tuple[str, str, float]] = field(default_factory=list)
    only_splitting: bool = False


def aging_parts(results: Results, scans: Sequence[ScanRecord]) -> AgingParts:
    """Everything of a study of aged file systems."""
    aging = Aging.of(results)
    if aging is None:
        return AgingParts()
    # The runs of a simulation were timed by a model already.
    is_measured = results.simulation is None
    predicted = predicted_table(results, aging, steps_of(aging.levels)) if is_measured else []
    claims = claims_table(results, aging, published_aging())

    return AgingParts(
        rates=all_said_once([*summary_table(results, aging), *levels_tables(results, aging)]),
        predicted=[*all_said_once(predicted), *disk_table(aging)] if predicted else [],
        layouts=all_said_once(layout_tables(results, aging)),
        claims=all_said_once(claims),
        source=source_of(published_aging()) if claims else "",
        maps=map_rows(results, scans),
        legend=legend(),
        only_splitting=aging.seeks == "no",
    )


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
            predicted_chart(results) if results.simulation is None else None,
            written_lengths(results),
            free_lengths(results),
        ]

    def lead(self, drawings: Mapping[str, Drawing]) -> str:
        """What is kept of the clean rate."""
        return "aging/lead.html.j2" if "kept" in drawings else ""

    def summary_tables(self, results: Results) -> list[Table]:
        aging = Aging.of(results)
        return [] if aging is None else all_said_once(summary_table(results, aging))

    def values(self, results: Results, stored: StoredStudy) -> dict[str, Any]:
        """Tables and maps by section."""
        return {"aging": aging_parts(results, stored.scans)}


PAGE = AgingPage()
