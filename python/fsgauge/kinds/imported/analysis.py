"""What statistics say of imported tests beside ratios: nothing; each is judged by its own rate."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from fsgauge.kinds.imported.factors import ImportedFactors
from fsgauge.record.records import Cell
from fsgauge.stats.analysis import Analysis
from fsgauge.stats.evidence import Evidence, finding
from fsgauge.stats.results import Finding


class ImportedAnalysis(Analysis):
    """Judged by the rate that its tool prints for the test."""

    said_better: ClassVar[frozenset[str]] = frozenset({"noise.unknown"})

    def primary_metric(self, cell: Cell, *, paced: bool) -> str:  # noqa: ARG002
        return ImportedFactors.of(cell).rated_in

    def findings(self, evidence: Evidence) -> Iterable[Finding]:
        tool = evidence.study.study.get("workload", {}).get("tool", "another tool")
        yield finding(
            "imported.order",
            "warning",
            f"{tool} measured this. The order of its runs was not drawn by lot and no system was"
            " measured twice, so noise is not known apart from differences, and a drift is not"
            " seen.",
            "Measure the systems in turns: fsgauge study from-fio JOB.fio makes a study of a job.",
        )


ANALYSIS = ImportedAnalysis()
