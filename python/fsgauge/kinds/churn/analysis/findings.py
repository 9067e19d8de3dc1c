"""Findings about churn: trees other than those asked for, and what rates cannot say.

Nothing here changes or drops a number.
"""

from __future__ import annotations

from collections.abc import Iterator

from fsgauge.kinds.churn.analysis.layouts import MadeTrees, live_share, made_trees, place_of
from fsgauge.kinds.churn.analysis.model import Churn
from fsgauge.stats.client_findings import cut_runs, failed_operations, work_given_up
from fsgauge.stats.evidence import Evidence, count, finding, part_of, turn_name
from fsgauge.stats.results import Finding
from fsgauge.stats.storage_findings import failed_scans, no_seeks, sparse_storage
from fsgauge.units import format_size

FILL_TOLERANCE = 0.03
"""How far a tree's bytes may be from the level, as a share of the space."""


def churn_findings(evidence: Evidence) -> Iterator[Finding]:
    churn = Churn.of(evidence)
    if churn is None:
        return
    made = made_trees(evidence.steps)
    yield from _refused(evidence, made)
    yield from _ended_early(evidence, made)
    yield from _not_filled(evidence, made)
    yield from _different_trees(churn)
    yield from work_given_up(evidence)
    yield from failed_operations(evidence)
    yield from cut_runs(evidence, "A longer workload.time_limit.")
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


def _refused(evidence: Evidence, made: list[MadeTrees]) -> Iterator[Finding]:
    """Ageing that failed part of its operations."""
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


def _ended_early(evidence: Evidence, made: list[MadeTrees]) -> Iterator[Finding]:
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


def _not_filled(evidence: Evidence, made: list[MadeTrees]) -> Iterator[Finding]:
    off = [
        (each, share)
        for each in made
        if (share := live_share(each[1], each[2])) is not None
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


def _place(evidence: Evidence, made: MadeTrees) -> str:
    step = made[0]
    found = place_of(evidence.study.plan, step)
    return turn_name(step) + (f", {found[1]}, {found[0]} % full" if found else "")
