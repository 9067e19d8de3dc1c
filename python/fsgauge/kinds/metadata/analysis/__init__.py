"""Statistics of metadata: operations a second, and what must be known before they are believed."""

from __future__ import annotations

from collections.abc import Iterator

from fsgauge.kinds.metadata.analysis.findings import (
    from_memory,
    never_full,
    no_stonewall,
    uneven_at_the_stonewall,
)
from fsgauge.kinds.metadata.factors import PACED, MetadataFactors
from fsgauge.record.records import Cell
from fsgauge.stats.analysis import Analysis
from fsgauge.stats.evidence import Evidence
from fsgauge.stats.results import Finding


class MetadataAnalysis(Analysis):
    """Each operation is judged by how many of it are done a second."""

    worker = "client"
    worker_advice = " Compare single clients in the records."

    def primary_metric(self, cell: Cell, *, paced: bool) -> str:
        """Files a second, or records; under a pace, which sets that, how long a file takes."""
        factors = MetadataFactors.of(cell)
        is_paced = paced and factors.operation in PACED
        return super().primary_metric(cell, paced=True) if is_paced else factors.metric

    def findings(self, evidence: Evidence) -> Iterator[Finding]:
        """Uneven clients, stonewalls out of reach, small folders, and answers from memory."""
        yield from uneven_at_the_stonewall(evidence.runs)
        yield from no_stonewall(evidence.runs)
        yield from never_full(evidence.runs)
        yield from from_memory(evidence.runs)


ANALYSIS = MetadataAnalysis()
