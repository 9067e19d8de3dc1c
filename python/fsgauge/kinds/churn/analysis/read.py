"""From a study's records to `Churn`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fsgauge.kinds.churn.analysis.damages import SIDES, damages_of, fills_of, noise_of_sides
from fsgauge.kinds.churn.analysis.layouts import churn_layouts
from fsgauge.kinds.churn.analysis.model import Churn
from fsgauge.kinds.churn.analysis.trees import different_trees, trees_of
from fsgauge.kinds.churn.factors import ChurnFactors
from fsgauge.record import EnvironmentRecord, ScanRecord, StepRecord, StudyRecord
from fsgauge.stats.samples import Samples
from fsgauge.stats.seeks import seeks_of


def read_churn(
    study: StudyRecord,
    samples: Samples,
    scans: Sequence[ScanRecord],
    steps: Sequence[StepRecord],
    environment: EnvironmentRecord,
    equivalence_percent: float,
) -> Churn:
    """All that only this study has."""
    plan = study.plan
    measured = {ChurnFactors.of(cell).side for cell in plan.cells}
    workload: dict[str, Any] = study.study["workload"]
    return Churn(
        fills=fills_of(plan),
        sides=[side for side in SIDES if side in measured],
        storage_age=float(workload.get("storage_age") or 0.0),
        mode=str(workload.get("mode") or ""),
        seeks=seeks_of(environment.storage),
        damages=damages_of(samples, equivalence_percent),
        noise=noise_of_sides(samples),
        layouts=churn_layouts(plan, scans),
        trees=trees_of(plan, steps),
        different_trees=different_trees(plan, steps),
        failed_scans=sum(scan.result is None for scan in scans),
    )
