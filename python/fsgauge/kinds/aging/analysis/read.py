"""From a study's records to `Aging`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fsgauge.kinds.aging.analysis.layouts import aged_files, aging_layouts
from fsgauge.kinds.aging.analysis.levels import levels_of
from fsgauge.kinds.aging.analysis.model import Aging, DiskParameter
from fsgauge.kinds.aging.analysis.rates import aging_lines, noise_of_sides
from fsgauge.kinds.aging.disk import disk_of, parameters_of
from fsgauge.kinds.aging.factors import AgingFactors
from fsgauge.record import EnvironmentRecord, ScanRecord, StudyRecord
from fsgauge.stats.samples import Samples
from fsgauge.stats.seeks import seeks_of


def read_aging(
    study: StudyRecord,
    samples: Samples,
    scans: Sequence[ScanRecord],
    environment: EnvironmentRecord,
    equivalence_percent: float,
) -> Aging:
    """All that only this study has."""
    plan = study.plan
    workload: dict[str, Any] = study.study["workload"]
    chunks = chunks_of(study)
    model = disk_of(workload.get("disk") or {})
    return Aging(
        files=int(workload.get("files") or 0),
        streams=max(AgingFactors.of(cell).streams for cell in plan.cells),
        aged_by=str(workload.get("aged_by") or ""),
        levels=levels_of(plan),
        chunks=chunks,
        seeks=seeks_of(environment.storage),
        lines=aging_lines(samples, equivalence_percent),
        noise=noise_of_sides(samples),
        layouts=aging_layouts(plan, scans, chunks, model),
        aged=aged_files(plan, scans, chunks),
        disk=[
            DiskParameter(name=each.name, value=each.value, is_default=each.is_default)
            for each in parameters_of(model)
        ],
        failed_scans=sum(scan.result is None for scan in scans),
    )


def chunks_of(study: StudyRecord) -> dict[str, int | None]:
    """Each system's allocation size, None where its file system decides."""
    tables = study.study.get("system", [])
    asked = {str(table.get("name")): table.get("allocation_chunk") for table in tables}
    return {system: asked.get(system) for system in study.plan.systems}
