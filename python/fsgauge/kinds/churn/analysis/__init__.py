"""What statistics say of systems on which files came and went, beside fresh copies of the same."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from fsgauge.kinds.churn.analysis.answer import churn_answer
from fsgauge.kinds.churn.analysis.damages import RATE, SIDES, damages_of, fills_of, noise_of_sides
from fsgauge.kinds.churn.analysis.findings import churn_findings
from fsgauge.kinds.churn.analysis.layouts import churn_layouts, different_trees, trees_of
from fsgauge.kinds.churn.analysis.model import Churn
from fsgauge.kinds.churn.factors import ChurnFactors
from fsgauge.record.records import Cell
from fsgauge.stats.analysis import Analysis, Interval, Material
from fsgauge.stats.evidence import Evidence, Question
from fsgauge.stats.layouts import seeks_of
from fsgauge.stats.results import Comparison, Finding
from fsgauge.stats.samples import Samples


class ChurnAnalysis(Analysis):
    """Damage: what an aged system keeps of a fresh copy's rate."""

    own = Churn
    compares_systems = False

    def primary_metric(self, cell: Cell, *, paced: bool) -> str:  # noqa: ARG002
        """Bytes per second."""
        return RATE

    def primary_ratios(
        self,
        comparisons: Sequence[Comparison],  # noqa: ARG002 - it is about damages, not systems
        metrics: dict[str, str],  # noqa: ARG002
        samples: Samples,
        equivalence_percent: float,
    ) -> list[Interval]:
        """All damages, each by itself."""
        found = [
            samples.over_blocks(
                {block: math.log(ratio) for block, ratio in damage.blocks},
                least=damage.rig_deviation,
            )
            for damage in damages_of(samples, equivalence_percent)
        ]
        return [Interval(each.value, each.low, each.high) for each in found if each is not None]

    def read(self, material: Material) -> Churn:
        """Damages, layouts, trees."""
        samples, scans, steps = material.samples, material.scans, material.steps
        plan = material.study.plan
        measured = {ChurnFactors.of(cell).side for cell in plan.cells}
        workload: dict[str, Any] = material.study.study["workload"]
        storage = material.environment.storage
        return Churn(
            fills=fills_of(plan),
            sides=[side for side in SIDES if side in measured],
            storage_age=float(workload.get("storage_age") or 0.0),
            mode=str(workload.get("mode") or ""),
            seeks=seeks_of(storage),
            damages=damages_of(samples, material.equivalence_percent),
            noise=noise_of_sides(samples),
            layouts=churn_layouts(samples, scans),
            trees=trees_of(plan, steps),
            different_trees=different_trees(plan, steps),
            failed_scans=sum(scan.result is None for scan in scans),
            folder_bytes=storage.size_bytes if storage.kind == "path" else None,
        )

    def findings(self, evidence: Evidence) -> Iterable[Finding]:
        """Trees that are not what was asked for, and what rates cannot say."""
        return churn_findings(evidence)

    def answer(self, question: Question) -> str | None:
        """What a fuller, older system keeps of a fresh copy's rate."""
        churn = Churn.of(question)
        return churn_answer(churn, question.primary) if churn is not None else None


ANALYSIS = ChurnAnalysis()
