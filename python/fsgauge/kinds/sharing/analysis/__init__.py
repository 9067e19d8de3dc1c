"""What statistics say of sharing beside ratios: faults of systems, and what limited each rate."""

from __future__ import annotations

from collections.abc import Iterable

from fsgauge.kinds.sharing.analysis.answer import answer_with_faults
from fsgauge.kinds.sharing.analysis.faults import failed_finding, faults_of
from fsgauge.kinds.sharing.analysis.limits import limits_finding, limits_of
from fsgauge.kinds.sharing.analysis.model import Sharing
from fsgauge.kinds.sharing.factors import SharingFactors
from fsgauge.record import Cell
from fsgauge.stats.analysis import Analysis, Material
from fsgauge.stats.answer import Question
from fsgauge.stats.evidence import Evidence, finding
from fsgauge.stats.results import Finding


class SharingAnalysis(Analysis):
    """A test is judged by what its program prints."""

    own = Sharing
    said_better = frozenset({"runs.failed"})

    def primary_metric(self, cell: Cell, *, paced: bool) -> str:  # noqa: ARG002 - no test is
        """Bytes, seeks or files a second."""
        return SharingFactors.of(cell).metric

    def read(self, material: Material) -> Sharing:
        """Each system's faults, and the limit of each cell on each system."""
        return Sharing(faults=faults_of(material), limits=limits_of(material))

    def answer(self, question: Question) -> str | None:
        """The general one, and who failed."""
        return answer_with_faults(question)

    def findings(self, evidence: Evidence) -> Iterable[Finding]:
        """Systems that failed, rates that say more of the rig than of them, and cache tests."""
        own = Sharing.of(evidence)
        if own is not None:
            yield from failed_finding(own.faults)
            yield from limits_finding(own.limits, evidence.study.plan)
        of_memory = [c for c in evidence.study.plan.cells if SharingFactors.of(c).is_cache_test]
        if of_memory:
            yield finding(
                "sharing.cache_test",
                "note",
                "Writes that are not flushed end in memory: these cells are tests of caches.",
                "--set workload.include_flush=true counts fsync(2).",
                [cell.name for cell in of_memory],
            )


ANALYSIS = SharingAnalysis()
