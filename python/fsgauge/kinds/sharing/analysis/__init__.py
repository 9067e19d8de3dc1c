"""What statistics say of sharing beside ratios: faults of systems, and what limited each rate."""

from __future__ import annotations

from collections.abc import Iterable

from fsgauge.kinds.sharing.analysis.answer import sharing_answer
from fsgauge.kinds.sharing.analysis.cautions import (
    cache_test_finding,
    memory_of,
    one_node_finding,
    with_local_locks,
)
from fsgauge.kinds.sharing.analysis.faults import after_cut, failed_finding, faults_of
from fsgauge.kinds.sharing.analysis.limits import limits_finding, limits_of, ratios_to_nfs
from fsgauge.kinds.sharing.analysis.model import Sharing
from fsgauge.kinds.sharing.factors import SharingFactors
from fsgauge.record.records import Cell
from fsgauge.stats.analysis import Analysis, Material
from fsgauge.stats.client_errors import unfinished_work
from fsgauge.stats.evidence import Evidence, Question, count
from fsgauge.stats.results import Finding


class SharingAnalysis(Analysis):
    own = Sharing
    said_better = frozenset({"runs.failed", "cache.file_set", "disk.limit"})

    def primary_metric(self, cell: Cell, *, paced: bool) -> str:  # noqa: ARG002 - no test is
        return SharingFactors.of(cell).metric

    def read(self, material: Material) -> Sharing:
        """Each system's faults, the limit of each cell on each system, whose memory could hold each
        cell's file, and how each system compares with NFS."""
        limits = limits_of(material)
        return Sharing(
            faults=faults_of(material),
            limits=limits,
            memory=memory_of(material),
            local_locks=with_local_locks(material),
            to_nfs=ratios_to_nfs(material, limits),
        )

    def answer(self, question: Question) -> str | None:
        return sharing_answer(question)

    def findings(self, evidence: Evidence) -> Iterable[Finding]:
        own, plan = Sharing.within(evidence), evidence.study.plan
        yield from failed_finding(own.faults)
        advice = "A longer workload.time_limit, smaller files, or fewer folder_files."
        if short := after_cut(evidence.runs):
            advice += f" {count(len(short), 'later run')} failed, as the file was short."
        yield from unfinished_work(evidence, advice)
        yield from limits_finding(own.limits, plan)
        storage = evidence.study.study.get("storage", {}).get("kind", "")
        yield from cache_test_finding(own.memory, plan, storage)
        yield from one_node_finding(own.local_locks)


ANALYSIS = SharingAnalysis()
