"""Statistics of the study `aging`: rates against free space, layouts, predictions for a disk."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from fsgauge.kinds.aging.analysis.answer import aging_answer
from fsgauge.kinds.aging.analysis.findings import aging_findings
from fsgauge.kinds.aging.analysis.layouts import aged_files, aging_layouts, predictions
from fsgauge.kinds.aging.analysis.model import Aging, DiskParameter
from fsgauge.kinds.aging.analysis.rates import aging_lines, levels_of, noise_of_sides
from fsgauge.kinds.aging.disk import disk_of, parameters_of
from fsgauge.kinds.aging.factors import AgingFactors
from fsgauge.record.records import Cell, StudyRecord
from fsgauge.stats.analysis import Analysis, Material
from fsgauge.stats.evidence import Evidence, Question
from fsgauge.stats.layouts import seeks_of
from fsgauge.stats.results import Finding


class AgingAnalysis(Analysis):
    """What each system keeps of its clean rate as its space is freed and used again."""

    own = Aging
    compares_systems = False

    def primary_metric(self, cell: Cell, *, paced: bool) -> str:  # noqa: ARG002
        """Bytes per second, which is what others publish of aged file systems."""
        return "bandwidth"

    def read(self, material: Material) -> Aging:
        """Rates, layouts and predictions."""
        study, samples, scans = material.study, material.samples, material.scans
        plan = study.plan
        workload: dict[str, Any] = study.study["workload"]
        chunks = chunks_of(study)
        model = disk_of(workload.get("disk") or {})
        predicted, unpredicted = predictions(samples, scans, model)
        return Aging(
            files=int(workload.get("files") or 0),
            streams=max(AgingFactors.of(cell).streams for cell in plan.cells),
            aged_by=str(workload.get("aged_by") or ""),
            levels=levels_of(plan),
            chunks=chunks,
            seeks=seeks_of(material.environment.storage),
            lines=aging_lines(samples, material.equivalence_percent),
            noise=noise_of_sides(samples),
            layouts=aging_layouts(samples, scans, chunks, predicted),
            aged=aged_files(samples, scans, chunks),
            disk=[
                DiskParameter(name=each.name, value=each.value, is_default=each.is_default)
                for each in parameters_of(model)
            ],
            unpredicted=unpredicted,
            failed_scans=sum(scan.result is None for scan in scans),
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
BLOCK_BYTES = 4096
"""The block of ldiskfs, in which its preallocation table counts."""


def chunks_of(study: StudyRecord) -> dict[str, int | None]:
    """Each system's allocation size in bytes, None where its file system decides.

    Of ldiskfs it is the largest window of its table, which a stream of large files gets.
    """
    tables = study.study.get("system", [])
    asked = {str(table.get("name")): _chunk_of(table) for table in tables}
    return {system: asked.get(system) for system in study.plan.systems}


def _chunk_of(table: dict[str, Any]) -> int | None:
    windows = str((table.get("settings") or {}).get("prealloc_table") or "").split()
    if windows:
        return max(map(int, windows)) * BLOCK_BYTES
    chunk: int | None = table.get("allocation_chunk")
    return chunk
