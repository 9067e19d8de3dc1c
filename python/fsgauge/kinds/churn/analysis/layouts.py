"""Where the trees and the free space lay, aged and fresh, and the extents of new files.

Takes the scans that followed each ageing and each writing cell; of the baseline, the mean of its
two turns counts in a block. Extents a file are a ratio scale, so they are averaged as logs; shares
and lengths may be 0, so they are averaged as they are.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from itertools import product

from fsgauge.engine.wire import AgeJob, AgeResult
from fsgauge.kinds.churn.analysis.damages import cell_at, fills_of
from fsgauge.kinds.churn.analysis.model import ChurnLayout, Tree
from fsgauge.kinds.churn.factors import ChurnFactors, Wear
from fsgauge.record.records import Plan, ScanRecord, StepRecord
from fsgauge.stats.evidence import turn_name
from fsgauge.stats.layouts import PER_FILE, with_numbers
from fsgauge.stats.samples import Samples

WEARS: tuple[Wear, ...] = ("aged", "fresh")
_MEANS = (
    "files",
    "used_percent",
    "fragmented_percent",
    "layout_score",
    "free_extents",
    "largest_free_bytes",
    "free_at_least_1_mib_percent",
)


def churn_layouts(study: Samples, scans: Sequence[ScanRecord]) -> list[ChurnLayout]:
    """One entry a level, system and wear whose tree was scanned whole."""
    plan = study.plan
    trees = _of_trees(plan, scans)
    written = [(scan, scan.cell) for scan in scans if scan.when == "after cell" and scan.cell]
    logs = with_numbers(study.beside(), [*trees, *written], (PER_FILE,))
    means = with_numbers(study.beside(), trees, _MEANS, float)
    found = (_layout(plan, logs, means, *place) for place in _places(plan))
    return [each for each in found if each is not None]


def _places(plan: Plan) -> list[tuple[int, str, Wear]]:
    return list(product(fills_of(plan), plan.systems, WEARS))


def _of_trees(plan: Plan, scans: Sequence[ScanRecord]) -> list[tuple[ScanRecord, str]]:
    """Scans of trees, each with the name of its level and wear."""
    cells = {cell.id: cell for cell in plan.cells}
    turns = {(turn.block, turn.turn): turn for turn in plan.turns}
    found = []
    for scan in scans:
        turn = turns.get((scan.block, scan.turn))
        if scan.when == "aged" and turn is not None and turn.cells:
            factors = ChurnFactors.of(cells[turn.cells[0]])
            found.append((scan, _tree(factors.wear, factors.fill_percent)))
    return found


def _tree(wear: Wear, fill: int) -> str:
    return f"tree-{wear}-{fill}"


def _layout(
    plan: Plan, logs: Samples, means: Samples, fill: int, system: str, wear: Wear
) -> ChurnLayout | None:
    tree = _tree(wear, fill)
    per_file = logs.number(PER_FILE, tree, system)
    if per_file is None:
        return None

    def mean(name: str) -> float | None:
        values = means.block_logs(name, tree, system).values()
        return statistics.fmean(values) if values else None

    cell = cell_at(plan, "write", fill, wear)
    large, used = mean("free_at_least_1_mib_percent"), mean("used_percent")
    return ChurnLayout(
        system=system,
        fill_percent=fill,
        wear=wear,
        files=mean("files") or 0.0,
        used_share=None if used is None else used / 100,
        extents_per_file=per_file,
        fragmented_share=(mean("fragmented_percent") or 0.0) / 100,
        layout_score=mean("layout_score"),
        free_extents=mean("free_extents"),
        largest_free_bytes=mean("largest_free_bytes"),
        free_at_least_1_mib_share=None if large is None else large / 100,
        new_extents_per_file=logs.number(PER_FILE, cell.id, system) if cell else None,
    )


MadeTrees = tuple[StepRecord, AgeJob, AgeResult]


def made_trees(steps: Sequence[StepRecord]) -> list[MadeTrees]:
    """The steps that made a tree, with what was asked for and what it gave."""
    return [(s, s.job, s.result) for s in steps if s.job is not None and s.result is not None]


def place_of(plan: Plan, step: StepRecord) -> tuple[int, Wear] | None:
    cell = next((cell for cell in plan.cells if cell.id == step.cell), None)
    if cell is None:
        return None
    factors = ChurnFactors.of(cell)
    return factors.fill_percent, factors.wear


def trees_of(plan: Plan, steps: Sequence[StepRecord]) -> list[Tree]:
    made = made_trees(steps)
    found = []
    for fill, system, wear in _places(plan):
        own = [each for each in made if each[0].system == system]
        of_place = [each for each in own if place_of(plan, each[0]) == (fill, wear)]
        if of_place:
            found.append(_made(system, fill, wear, of_place))
    return found


def different_trees(plan: Plan, steps: Sequence[StepRecord]) -> list[str]:
    """Where aged and fresh do not hold as many files and bytes, in words."""
    trees: dict[str, dict[Wear, tuple[int, int]]] = {}
    for step, _, result in made_trees(steps):
        if place := place_of(plan, step):
            name = f"{turn_name(step)}, {place[0]} % full"
            trees.setdefault(name, {})[place[1]] = (result.live_files, result.live_bytes)
    return [
        name
        for name, by_wear in trees.items()
        if len(by_wear) == 2 and by_wear["aged"] != by_wear["fresh"]
    ]


def live_share(job: AgeJob, result: AgeResult) -> float | None:
    """The tree's bytes over what the system had available when it was empty."""
    return result.live_bytes / job.space_bytes if job.space_bytes else None


def _made(system: str, fill: int, wear: Wear, made: Sequence[MadeTrees]) -> Tree:
    results = [result for _, _, result in made]
    shares = [share for _, job, result in made if (share := live_share(job, result)) is not None]
    ages = [result.storage_age for result in results if result.storage_age is not None]
    return Tree(
        system=system,
        fill_percent=fill,
        wear=wear,
        turns=len(made),
        live_files=statistics.fmean(result.live_files for result in results),
        live_bytes=statistics.fmean(result.live_bytes for result in results),
        live_share=statistics.fmean(shares) if shares else None,
        written_bytes=statistics.fmean(result.written_bytes for result in results),
        storage_age=statistics.fmean(ages) if ages else None,
        operations=statistics.fmean(sum(e.done for e in each.operations) for each in results),
        failed=sum(each.failed for result in results for each in result.operations),
        ended=sorted({result.ended for result in results}),
    )
