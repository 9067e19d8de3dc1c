"""How the trees were made: what the records of ageing say, a row a level, system and wear."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from fsgauge.kinds.churn.analysis.damages import fills_of
from fsgauge.kinds.churn.analysis.layouts import WEARS
from fsgauge.kinds.churn.analysis.model import ChurnWear, Tree
from fsgauge.kinds.churn.factors import ChurnFactors
from fsgauge.record import Plan, StepRecord
from fsgauge.wire import AgeJob, AgeResult

Made = tuple[StepRecord, AgeJob, AgeResult]


def made_trees(steps: Sequence[StepRecord]) -> list[Made]:
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
    trees: dict[tuple[int, str, bool, int], dict[ChurnWear, tuple[int, int]]] = {}
    for step, _, result in made_trees(steps):
        place = place_of(plan, step)
        if place is not None:
            key = (step.block, step.system, step.again, place[0])
            trees.setdefault(key, {})[place[1]] = (result.live_files, result.live_bytes)
    return [
        f"block {block + 1}, {system}{' (second turn)' if again else ''}, {fill} % full"
        for (block, system, again, fill), by_wear in trees.items()
        if len(by_wear) == 2 and by_wear["aged"] != by_wear["fresh"]
    ]


def live_share(job: AgeJob, result: AgeResult) -> float | None:
    """The tree's bytes over what the system had available when it was empty."""
    return result.live_bytes / job.space_bytes if job.space_bytes else None


def _tree(system: str, fill: int, wear: ChurnWear, made: Sequence[Made]) -> Tree:
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
