"""What statistics say of systems on which files came and went, beside fresh copies of the same."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from fsgauge.kinds.churn.analysis import layouts
from fsgauge.kinds.churn.analysis.answer import churn_answer
from fsgauge.kinds.churn.analysis.damages import RATE, SIDES, damages_of, fills_of, noise_of_sides
from fsgauge.kinds.churn.analysis.model import Churn
from fsgauge.kinds.churn.factors import ChurnFactors
from fsgauge.record.records import Cell
from fsgauge.stats.analysis import Analysis, Interval, Material
from fsgauge.stats.client_errors import unfinished_work
from fsgauge.stats.evidence import Evidence, Question, count, finding, part_of, turn_name
from fsgauge.stats.layouts import seeks_of
from fsgauge.stats.results import Comparison, Finding
from fsgauge.stats.samples import Samples
from fsgauge.stats.storage_findings import failed_scans, no_seeks, sparse_storage
from fsgauge.units import format_size

FILL_TOLERANCE = 0.03
"""How far a tree's bytes may be from the level, as a share of the space."""


class ChurnAnalysis(Analysis):
    own = Churn
    compares_systems = False

    def primary_metric(self, cell: Cell, *, paced: bool) -> str:  # noqa: ARG002
        return RATE

    def primary_ratios(
        self,
        comparisons: Sequence[Comparison],  # noqa: ARG002 - it is about damages, not systems
        metrics: dict[str, str],  # noqa: ARG002
        samples: Samples,
        equivalence_percent: float,
    ) -> list[Interval]:
        found = [
            samples.over_blocks(
                {block: math.log(ratio) for block, ratio in damage.blocks},
                least=damage.rig_deviation,
            )
            for damage in damages_of(samples, equivalence_percent)
        ]
        return [Interval(each.value, each.low, each.high) for each in found if each is not None]

    def read(self, material: Material) -> Churn:
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
            layouts=layouts.churn_layouts(samples, scans),
            trees=layouts.trees_of(plan, steps),
            different_trees=layouts.different_trees(plan, steps),
            failed_scans=sum(scan.result is None for scan in scans),
            folder_bytes=storage.size_bytes if storage.kind == "path" else None,
        )

    def findings(self, evidence: Evidence) -> Iterator[Finding]:
        churn = Churn.within(evidence)
        made = layouts.made_trees(evidence.steps)
        yield from _refused(evidence, made)
        yield from _ended_early(evidence, made)
        yield from _not_filled(evidence, made)
        yield from _different_trees(churn)
        yield from unfinished_work(evidence, "A longer workload.time_limit.", grave_share=None)
        yield from failed_scans(evidence, "those turns are missing from the layouts")
        if churn.mode != "fast":  # in that mode no tree writes anything, so both begin alike
            yield from sparse_storage(
                evidence,
                "A fresh copy writes more such blocks than an aged system, so the aged system looks"
                " better than it is.",
            )
        if churn.seeks == "no" and "read" in churn.sides:
            yield no_seeks(
                "The storage has no moving heads. Read damage shows that requests are split where"
                " extents end, and caches that miss, not what seeks cost.",
                "Measure on a disk: --storage /dev/disk/by-id/NAME. Extents per file and the layout"
                " score hold anywhere.",
            )

    def answer(self, question: Question) -> str | None:
        return churn_answer(Churn.within(question), question.primary)


ANALYSIS = ChurnAnalysis()


def _refused(evidence: Evidence, made: list[layouts.MadeTrees]) -> Iterator[Finding]:
    broken = [each for each in made if each[2].errors]
    if not broken:
        return
    _, _, first = broken[0]
    is_measured = evidence.before.load.simulation is None
    error = max(first.errors, key=lambda each: each.count)
    failed = sum(each.failed for _, _, result in broken for each in result.operations)
    yield finding(
        "churn.refused",
        "warning",
        f"While trees were made, {count(failed, 'operation')} failed, in"
        f" {part_of(len(broken), len(made), 'tree')}; the first: {error.operation or 'syncfs'},"
        f" {error.text}. Ageing went on without them: these trees lack files.",
        "A lower level in workload.fills, or larger storage: metadata takes space too."
        + (" For an I/O error, dmesg | tail." if is_measured else ""),
        [
            f"{_place(evidence, each)}: {sum(e.count for e in each[2].errors)} failed"
            for each in broken
        ],
    )


def _ended_early(evidence: Evidence, made: list[layouts.MadeTrees]) -> Iterator[Finding]:
    early = [each for each in made if each[2].ended != "complete"]
    if early:
        how = ", ".join(sorted({result.ended.replace("_", " ") for _, _, result in early}))
        yield finding(
            "churn.ended_early",
            "warning",
            f"Ageing was cut short in {part_of(len(early), len(made), 'tree')} ({how})."
            " These systems are younger than was asked for, and their fresh copies hold another"
            " tree.",
            "A longer workload.age_time_limit, or a smaller workload.storage_age.",
            [
                f"{_place(evidence, each)}: storage age {each[2].storage_age or 0:.2f}"
                for each in early
            ],
        )


def _not_filled(evidence: Evidence, made: list[layouts.MadeTrees]) -> Iterator[Finding]:
    off = [
        (each, share)
        for each in made
        if (share := layouts.live_share(each[1], each[2])) is not None
        and abs(share - each[1].fill_percent / 100) > FILL_TOLERANCE
    ]
    if off:
        each, share = max(off, key=lambda pair: abs(pair[1] - pair[0][1].fill_percent / 100))
        yield finding(
            "churn.not_filled",
            "warning",
            f"{part_of(len(off), len(made), 'tree')} {'is' if len(off) == 1 else 'are'} not as full"
            f" as asked: {_place(evidence, each)} holds {100 * share:.0f} % of what was"
            " available.",
            "Small files take whole blocks, and a large one may no longer fit: a smaller"
            " workload.largest_size, or larger storage.",
            [
                f"{_place(evidence, each)}: {format_size(each[2].live_bytes)}, {100 * share:.1f} %"
                for each, share in off
            ],
        )


def _different_trees(churn: Churn) -> Iterator[Finding]:
    if churn.different_trees:
        yield finding(
            "churn.different_trees",
            "warning",
            "Aged and fresh do not hold the same tree in"
            f" {count(len(churn.different_trees), 'pair')} of turns: their ratio shows more than"
            " the effect of ageing.",
            "See the findings about ageing: operations failed, or ageing ended early.",
            churn.different_trees,
        )


def _place(evidence: Evidence, made: layouts.MadeTrees) -> str:
    step = made[0]
    found = layouts.place_of(evidence.study.plan, step)
    return turn_name(step) + (f", {found[1]}, {found[0]} % full" if found else "")
