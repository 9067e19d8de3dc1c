"""Aged over fresh inside each block, at each fill level, reads and writes apart.

Takes the samples of every study: of the baseline, the mean of its two turns counts in a block. All
damages of one side are one family of comparisons, as one metric is; so are, apart, those against
the baseline's (Benjamini and Hochberg).
"""

from __future__ import annotations

from fsgauge.kinds.churn.analysis.model import Damage
from fsgauge.kinds.churn.factors import ChurnFactors, Side, Wear
from fsgauge.record.records import Cell, Plan
from fsgauge.stats.contrast import Contrast, Value, in_blocks, judged_ratio, logs_of
from fsgauge.stats.estimate import Estimate
from fsgauge.stats.noise import pooled_noise
from fsgauge.stats.samples import Samples

RATE = "bandwidth"
SIDES: tuple[Side, ...] = ("read", "write")


def cell_at(plan: Plan, side: Side, fill_percent: int, wear: Wear) -> Cell | None:
    cells = ((cell, ChurnFactors.of(cell)) for cell in plan.cells)
    wanted = (side, fill_percent, wear)
    return next((c for c, f in cells if (f.side, f.fill_percent, f.wear) == wanted), None)


def fills_of(plan: Plan) -> list[int]:
    return sorted({ChurnFactors.of(cell).fill_percent for cell in plan.cells})


def damages_of(samples: Samples, equivalence_percent: float) -> list[Damage]:
    """One entry a side, level and system that a block has aged and fresh."""
    return [
        damage for side in SIDES for damage in _damages_of_side(samples, side, equivalence_percent)
    ]


def noise_of_sides(samples: Samples) -> dict[Side, Estimate]:
    found: dict[Side, Estimate] = {}
    for side in SIDES:
        cells = [cell.id for cell in samples.plan.cells if ChurnFactors.of(cell).side == side]
        noise = pooled_noise(samples, RATE, cells, equivalence_percent=0.0)
        if noise is not None:
            ratio = noise.in_time
            found[side] = Estimate(value=ratio.ratio, low=ratio.low, high=ratio.high, n=ratio.n)
    return found


def _damages_of_side(samples: Samples, side: Side, equivalence_percent: float) -> list[Damage]:
    plan = samples.plan
    contrasts = {
        (system, fill): Contrast(Value(RATE, aged.id, system), Value(RATE, fresh.id, system))
        for fill in fills_of(plan)
        if (aged := cell_at(plan, side, fill, "aged"))
        and (fresh := cell_at(plan, side, fill, "fresh"))
        for system in plan.systems
    }
    against = {
        (system, fill): Contrast(damage, contrasts[plan.baseline, fill])
        for (system, fill), damage in contrasts.items()
        if system != plan.baseline
    }
    compared = in_blocks(against, samples, equivalence_percent)
    return [
        Damage(
            system=system,
            side=side,
            fill_percent=fill,
            **judged.numbers(),
            detectable_percent=judged.detectable_percent(),
            margin_percent=equivalence_percent,
            aged=_rate(samples, judged.contrast.numerator),
            fresh=_rate(samples, judged.contrast.denominator),
            against_baseline=judged_ratio(compared.get((system, fill))),
            left_out=[b for b in samples.blocks() if b not in judged.logs],
            blocks=judged.blocks,
        )
        for (system, fill), judged in in_blocks(contrasts, samples, equivalence_percent).items()
    ]


def _rate(samples: Samples, side: Value | Contrast) -> Estimate:
    rate = samples.over_blocks(logs_of(side, samples))
    if rate is None:
        raise ValueError("a damage without blocks has no rate")
    return rate
