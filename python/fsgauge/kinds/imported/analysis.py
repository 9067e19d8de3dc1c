"""What statistics say of imported tests beside ratios: nothing; each is judged by its own rate."""

from __future__ import annotations

from fsgauge.kinds.imported.factors import ImportedFactors
from fsgauge.record.records import Cell
from fsgauge.stats.analysis import Analysis


class ImportedAnalysis(Analysis):
    """Judged by the rate that its tool prints for the test."""

    def primary_metric(self, cell: Cell, *, paced: bool) -> str:  # noqa: ARG002
        """Operations or bytes per second."""
        return ImportedFactors.of(cell).rated_in


ANALYSIS = ImportedAnalysis()
