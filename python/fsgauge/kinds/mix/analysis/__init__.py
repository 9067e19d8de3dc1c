"""Statistics of a mix: each group is judged by what the study names."""

from __future__ import annotations

from collections.abc import Iterator

from fsgauge.engine.wire import LoadResult
from fsgauge.kinds.mix.factors import MixFactors
from fsgauge.record.records import Cell
from fsgauge.stats.analysis import Analysis
from fsgauge.stats.evidence import Evidence, finding
from fsgauge.stats.results import Finding

STARVED_SHARE = 0.5
"""Of the operations that were due: less than that, and the pace is not the group's any more."""


class MixAnalysis(Analysis):
    """Ratios of every group, each beside the others."""

    worker_advice = " Compare the group's jobs in the records."

    def primary_metric(self, cell: Cell, *, paced: bool) -> str:  # noqa: ARG002 - the keys decided
        """What the study says of the group."""
        return MixFactors.of(cell).judged_by

    def findings(self, evidence: Evidence) -> Iterator[Finding]:
        """Groups that the others left nothing."""
        starved = [
            f"{run.system}, {run.cell.name}, block {run.block + 1}: {words}"
            for run in evidence.runs
            if run.result is not None and (words := starves(run.result))
        ]
        if starved:
            yield finding(
                "group_starved",
                "warning",
                f"A group starved in {len(starved)} of {len(evidence.runs)} runs: {starved[0]}.",
                "Judge the mix by that group, or give the others a rate.",
                starved,
            )


def starves(result: LoadResult) -> str:
    """What the group was left to do, in words; "" where it did its part."""
    sides = [side for side in (result.read, result.write) if side is not None]
    done, dropped = (
        sum(side.operations for side in sides),
        sum(side.backlog_dropped for side in sides),
    )
    if done == 0:
        return "it did nothing in the measured time"
    if done < STARVED_SHARE * (done + dropped):
        return f"it did {done} of {done + dropped} operations that were due"
    return ""


ANALYSIS = MixAnalysis()
