"""Rates at each level, and what they are of the same turn's clean rate.

Takes the samples of every study: of the baseline, the mean of its two turns counts in a block. All
levels, systems and both sides are one family of comparisons (Benjamini and Hochberg).
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping

from fsgauge.kinds.aging.analysis.levels import SIDES, cells_of_side
from fsgauge.kinds.aging.analysis.model import AgingLine, AgingPoint, Side
from fsgauge.stats.estimate import Estimate, estimate, over
from fsgauge.stats.ratio import Ratio, ratio_of_blocks
from fsgauge.stats.samples import Samples
from fsgauge.stats.verdict import Verdict, benjamini_hochberg, judge, log_margin

RATE = "bandwidth"
Key = tuple[str, Side, int | None]
"""System, side, level."""


def aging_lines(samples: Samples, equivalence_percent: float) -> list[AgingLine]:
    """One line a system and side that has a rate."""
    verdicts = _verdicts(samples, equivalence_percent)
    found = []
    for side in SIDES:
        for system in samples.plan.systems:
            points = _points(samples, system, side, verdicts)
            if points:
                found.append(_line(system, side, points))
    return found


def noise_of_sides(samples: Samples) -> dict[Side, Estimate]:
    """The relative rate of the baseline's later turn over that of its earlier one, by side.

    In each block the mean over all levels, as levels of a turn are no independent samples.
    """
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
        noise = estimate(means)
        if noise is not None:
            found[side] = noise
    return found


def _relative(samples: Samples, system: str, side: Side, level: int | None) -> dict[int, float]:
    """Log of the relative rate, by block; empty for the clean cell."""
    cells = cells_of_side(samples.plan, side)
    clean = cells.get(None)
    if clean is None or level is None:
        return {}
    return over(
        samples.block_logs(RATE, cells[level].id, system),
        samples.block_logs(RATE, clean.id, system),
    )


def _verdicts(samples: Samples, equivalence_percent: float) -> Mapping[Key, Verdict]:
    ratios: dict[Key, Ratio] = {}
    for side in SIDES:
        for level in cells_of_side(samples.plan, side):
            for system in samples.plan.systems:
                logs = _relative(samples, system, side, level)
                ratio = ratio_of_blocks(list(logs.values()))
                if ratio is not None:
                    ratios[system, side, level] = ratio
    adjusted = benjamini_hochberg([ratio.p for ratio in ratios.values()])
    margin = log_margin(equivalence_percent)
    return {
        key: judge(ratio, log_margin=margin, p_adjusted=p, higher_is_better=True)
        for (key, ratio), p in zip(ratios.items(), adjusted, strict=True)
    }


def _points(
    samples: Samples, system: str, side: Side, verdicts: Mapping[Key, Verdict]
) -> list[AgingPoint]:
    points = []
    for level, cell in cells_of_side(samples.plan, side).items():
        rates = samples.block_logs(RATE, cell.id, system)
        rate = estimate(rates)
        if rate is None:
            continue
        relative = _relative(samples, system, side, level)
        points.append(
            AgingPoint(
                cell=cell.id,
                free_percent=level,
                rate=rate,
                relative=estimate(relative),
                verdict=verdicts.get((system, side, level)),
                blocks=_values(rates),
                relative_blocks=_values(relative),
            )
        )
    return points


def _values(logs: Mapping[int, float]) -> list[tuple[int, float]]:
    return [(block, math.exp(log)) for block, log in sorted(logs.items())]


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
