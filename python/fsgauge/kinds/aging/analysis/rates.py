"""Rates at each level, and what they are of the same turn's clean rate.

Takes the samples of every study: of the baseline, the mean of its two turns counts in a block. All
levels, systems and both sides are one family of comparisons (Benjamini and Hochberg).
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Mapping

from fsgauge.kinds.aging.analysis.model import AgingLine, AgingPoint
from fsgauge.kinds.aging.factors import AgingFactors, Side
from fsgauge.record.records import Cell, Plan
from fsgauge.stats.contrast import Contrast, ContrastResult, Value, in_blocks
from fsgauge.stats.estimate import Estimate, over
from fsgauge.stats.ratio import Ratio
from fsgauge.stats.samples import Samples

SIDES: tuple[Side, ...] = ("write", "read")


def cells_of_side(plan: Plan, side: Side) -> dict[int | None, Cell]:
    """The cells of one side by percent free; the clean one, under None, comes first."""
    cells = ((cell, AgingFactors.of(cell)) for cell in plan.cells)
    found = {factors.free_percent: cell for cell, factors in cells if factors.side == side}
    order = sorted(found, key=lambda level: -1 if level is None else level)
    return {level: found[level] for level in order}


def levels_of(plan: Plan) -> list[int]:
    found = {AgingFactors.of(cell).free_percent for cell in plan.cells}
    return sorted(level for level in found if level is not None)


def written_cells(plan: Plan) -> Iterator[Cell]:
    """The cells after which files are scanned, clean first."""
    yield from cells_of_side(plan, "write").values()


RATE = "bandwidth"
Key = tuple[str, Side, int | None]
"""System, side, level."""


def aging_lines(samples: Samples, equivalence_percent: float) -> list[AgingLine]:
    judged = in_blocks(_contrasts(samples.plan), samples, equivalence_percent)
    found = []
    for side in SIDES:
        for system in samples.plan.systems:
            points = _points(samples, system, side, judged)
            if points:
                found.append(_line(system, side, points))
    return found


def noise_of_sides(samples: Samples) -> dict[Side, Estimate]:
    """The relative rate of the baseline's later turn over that of its earlier one, by side. In each
    block the mean over all levels, as levels of a turn are no independent samples."""
    found: dict[Side, Estimate] = {}
    for side in SIDES:
        cells = cells_of_side(samples.plan, side)
        clean = cells.get(None)
        if clean is None:
            continue
        before = samples.noise_log_ratios(RATE, clean.id)
        by_level = [
            over(samples.noise_log_ratios(RATE, cell.id), before)
            for level, cell in cells.items()
            if level is not None
        ]
        blocks = set(before).intersection(*by_level) if by_level else set()
        means = {block: statistics.fmean(each[block] for each in by_level) for block in blocks}
        noise = samples.over_blocks(means)
        if noise is not None:
            found[side] = noise
    return found


def _contrasts(plan: Plan) -> dict[Key, Contrast]:
    return {
        (system, side, level): Contrast(Value(RATE, cell.id, system), Value(RATE, clean.id, system))
        for side in SIDES
        if (clean := cells_of_side(plan, side).get(None))
        for level, cell in cells_of_side(plan, side).items()
        if level is not None
        for system in plan.systems
    }


def _points(
    samples: Samples, system: str, side: Side, judged: Mapping[Key, ContrastResult[Ratio]]
) -> list[AgingPoint]:
    points = []
    for level, cell in cells_of_side(samples.plan, side).items():
        rates = samples.block_logs(RATE, cell.id, system)
        rate = samples.over_blocks(rates)
        if rate is None:
            continue
        found = judged.get((system, side, level))
        points.append(
            AgingPoint(
                cell=cell.id,
                free_percent=level,
                rate=rate,
                relative=_relative(found) if found else None,
                verdict=found.verdict if found else None,
                blocks=[(block, math.exp(log)) for block, log in sorted(rates.items())],
                relative_blocks=found.blocks if found else [],
                detectable_percent=found.detectable_percent() if found else None,
            )
        )
    return points


def _relative(found: ContrastResult[Ratio]) -> Estimate:
    """With the interval that its verdict rests on."""
    low, high = found.interval
    return Estimate(value=found.ratio.ratio, low=low, high=high, n=found.ratio.n)


def _line(system: str, side: Side, points: list[AgingPoint]) -> AgingLine:
    lost = [p.free_percent for p in points if p.verdict == "worse" and p.free_percent is not None]
    levels = [p.free_percent for p in points if p.relative and p.free_percent is not None]
    above = [level for level in levels if level > max(lost, default=-1)]
    return AgingLine(
        system=system,
        side=side,
        points=points,
        lost_at=lost,
        whole_from=above[0] if above else None,
    )
