"""Statistics of the study `aging`: rates against free space, layouts, predictions for a disk."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict

from fsgauge.kinds.aging.analysis.answer import aging_answer
from fsgauge.kinds.aging.analysis.findings import aging_findings
from fsgauge.kinds.aging.analysis.model import Aging
from fsgauge.kinds.aging.analysis.read import read_aging
from fsgauge.record import Cell, StudyRecord
from fsgauge.stats.analysis import Analysis, Material
from fsgauge.stats.answer import Question
from fsgauge.stats.evidence import Evidence
from fsgauge.stats.results import Finding


class AgingAnalysis(Analysis):
    """What each system keeps of its clean rate as its space is freed and used again."""

    own = Aging

    def primary_metric(self, cell: Cell, *, paced: bool) -> str:  # noqa: ARG002
        """Bytes per second, which is what others publish of aged file systems."""
        return "bandwidth"

    def read(self, material: Material) -> Aging:
        """Rates, layouts and predictions."""
        return read_aging(
            material.study,
            material.samples,
            material.scans,
            material.environment,
            material.equivalence_percent,
        )

    def findings(self, evidence: Evidence) -> Iterable[Finding]:
        """What its rates can say, and layouts as not asked for."""
        return aging_findings(evidence)

    def answer(self, question: Question) -> str | None:
        """What each system keeps of its clean rate."""
        aging = Aging.of(question)
        if aging is None:
            return None
        return aging_answer(aging, question.primary, question.margin_percent)

    def with_disk(self, study: StudyRecord, changes: Sequence[str]) -> StudyRecord:
        """The study with that disk in the place of its own; InputError for what is wrong."""
        from fsgauge.kinds.aging.disk_change import changed_disk

        workload = study.study.get("workload", {})
        disk = changed_disk(workload.get("disk") or {}, changes)
        workload = {**workload, "disk": asdict(disk)}
        return study.model_copy(update={"study": {**study.study, "workload": workload}})


ANALYSIS = AgingAnalysis()
