"""Where the trees and the free space lay, aged and fresh, and the extents of new files.

Takes the scans that followed each ageing and each writing cell; of the baseline, the mean of its
two turns counts in a block. Extents a file are a ratio scale, so they are averaged as logs; shares
and lengths may be 0, so they are averaged as they are.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterator, Sequence

from fsgauge.engine.wire import AgeJob, AgeResult
from fsgauge.kinds.churn.analysis.damages import cell_at, fills_of
from fsgauge.kinds.churn.analysis.model import ChurnLayout, ChurnWear, Tree
from fsgauge.kinds.churn.factors import ChurnFactors
from fsgauge.record.records import Cell, Plan, ScanRecord, StepRecord
from fsgauge.scan.numbers import Numbers, numbers_of
from fsgauge.stats.estimate import Estimate
from fsgauge.stats.evidence import turn_name
from fsgauge.stats.samples import Samples

WEARS: tuple[ChurnWear, ...] = ("aged", "fresh")
_PER_FILE = "extents_per_file"
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
    trees, written = _of_trees(plan, scans), _of_new_files(scans)
    logs = _collected(study.beside(), [*trees, *written], math.log, (_PER_FILE,))
    means = _collected(study.beside(), trees, float, _MEANS)
    found = []
    for fill in fills_of(plan):
        for system in plan.systems:
            for wear in WEARS:
                layout = _layout(plan, logs, means, fill, system, wear)
                if layout is not None:
                    found.append(layout)
    return found


def _of_trees(plan: Plan, scans: Sequence[ScanRecord]) -> list[tuple[ScanRecord, str]]:
    """Scans of trees, each with the name of its level and wear."""
    cells = {cell.id: cell for cell in plan.cells}
    turns = {(turn.block, turn.turn): turn for turn in plan.turns}
    found = []
    for scan in scans:
        turn = turns.get((scan.block, scan.turn))
        if scan.when == "aged" and turn is not None and turn.cells:
            found.append((scan, _tree_of(cells[turn.cells[0]])))
    return found


def _of_new_files(scans: Sequence[ScanRecord]) -> list[tuple[ScanRecord, str]]:
    return [(scan, scan.cell) for scan in scans if scan.when == "after cell" and scan.cell]


def _tree_of(cell: Cell) -> str:
    factors = ChurnFactors.of(cell)
    return f"tree-{factors.wear}-{factors.fill_percent}"


def _collected(
    samples: Samples,
    scans: Sequence[tuple[ScanRecord, str]],
    scale: Callable[[float], float],
    names: Sequence[str],
) -> Samples:
    """With the numbers of every whole scan, by block and turn."""
    for scan, of in scans:
        for name, value in _values(scan, names):
            samples.put(name, of, scan, scale(value))
    return samples


def _values(scan: ScanRecord, names: Sequence[str]) -> Iterator[tuple[str, float]]:
    if scan.result is None or scan.result.ended == "interrupted":
        return
    numbers: Numbers = numbers_of(scan.result)
    for name in names:
        value = numbers[name]
        if value is not None and (name != _PER_FILE or value > 0):
            yield name, float(value)


def _layout(
    plan: Plan, logs: Samples, means: Samples, fill: int, system: str, wear: ChurnWear
) -> ChurnLayout | None:
    tree = f"tree-{wear}-{fill}"
    per_file = logs.number(_PER_FILE, tree, system)
    if per_file is None:
        return None

    def mean(name: str) -> float | None:
        values = means.block_logs(name, tree, system).values()
        return statistics.fmean(values) if values else None

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
        new_extents_per_file=_new_files(plan, logs, fill, system, wear),
    )


def _new_files(
    plan: Plan, logs: Samples, fill: int, system: str, wear: ChurnWear
) -> Estimate | None:
    cell = cell_at(plan, "write", fill, wear)
    return logs.number(_PER_FILE, cell.id, system) if cell else None


MadeTrees = tuple[StepRecord, AgeJob, AgeResult]


def made_trees(steps: Sequence[StepRecord]) -> list[MadeTrees]:
    """The steps that made a tree, with what was asked for and what it gave."""
    return [(s, s.job, s.result) for s in steps if s.job is not None and s.result is not None]


def place_of(plan: Plan, step: StepRecord) -> tuple[int, ChurnWear] | None:
    """The level and wear that a step belongs to."""
    cell = next((cell for cell in plan.cells if cell.id == step.cell), None)
    if cell is None:
        return None
    factors = ChurnFactors.of(cell)
    return factors.fill_percent, factors.wear


def trees_of(plan: Plan, steps: Sequence[StepRecord]) -> list[Tree]:
    """A row a level, system and wear, in this order."""
    made = made_trees(steps)
    found = []
    for fill in fills_of(plan):
        for system in plan.systems:
            for wear in WEARS:
                of_place = [
                    each
                    for each in made
                    if each[0].system == system and place_of(plan, each[0]) == (fill, wear)
                ]
                if of_place:
                    found.append(_tree(system, fill, wear, of_place))
    return found


def different_trees(plan: Plan, steps: Sequence[StepRecord]) -> list[str]:
    """Where aged and fresh do not hold as many files and bytes, in words."""
    trees: dict[str, dict[ChurnWear, tuple[int, int]]] = {}
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


def _tree(system: str, fill: int, wear: ChurnWear, made: Sequence[MadeTrees]) -> Tree:
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
        operations=statistics.fmean(_done(result) for result in results),
        failed=sum(each.failed for result in results for each in result.operations),
        ended=sorted({result.ended for result in results}),
    )


def _done(result: AgeResult) -> int:
    return sum(each.done for each in result.operations)
