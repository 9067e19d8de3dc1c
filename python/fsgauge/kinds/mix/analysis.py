"""Statistics of a mix: each group is judged by what the study names."""

from __future__ import annotations

from fsgauge.kinds.mix.factors import MixFactors
from fsgauge.record.records import Cell
from fsgauge.stats.analysis import Analysis


class MixAnalysis(Analysis):
    """Ratios of every group, each beside the others."""

    worker_advice = " Compare the group's jobs in the records."

    def primary_metric(self, cell: Cell, *, paced: bool) -> str:  # noqa: ARG002 - the keys decided
        """What the study says of the group."""
        return MixFactors.of(cell).judged_by


ANALYSIS = MixAnalysis()
