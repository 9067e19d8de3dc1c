"""Aged over fresh inside each block, at each fill level, reads and writes apart.

Takes the samples of every study: of the baseline, the mean of its two turns counts in a block. All
damages of one side are one family of comparisons, as one metric is; so are, apart, those against
the baseline's (Benjamini and Hochberg).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TypeVar

from fsgauge.kinds.churn.analysis.model import AgainstBaseline, ChurnWear, Damage, Side
from fsgauge.kinds.churn.factors import ChurnFactors
from fsgauge.plan.power import detectable_percent
from fsgauge.record import Cell, Plan
from fsgauge.stats.estimate import Estimate, estimate, over
from fsgauge.stats.noise import pooled_noise
from fsgauge.stats.ratio import Ratio, ratio_of_blocks
from fsgauge.stats.samples import Samples
from fsgauge.stats.verdict import Verdict, benjamini_hochberg, judge, log_margin

RATE = "bandwidth"
SIDES: tuple[Side, ...] = ("read", "write")
Key = TypeVar("Key")
Place = tuple[str, int]
"""System, fill level."""


def cell_at(plan: Plan, side: Side, fill_percent: int, wear: ChurnWear) -> Cell | None:
    """The cell of one side, level and wear."""
    cells = ((cell, ChurnFactors.of(cell)) for cell in plan.cells)
    wanted = (side, fill_percent, wear)
    return next((c for c, f in cells if (f.side, f.fill_percent, f.wear) == wanted), None)


def fills_of(plan: Plan) -> list[int]:
    """The levels, ascending."""
    return sorted({ChurnFactors.of(cell).fill_percent for cell in plan.cells})


def damages_of(samples: Samples, equivalence_percent: float) -> list[Damage]:
    """One entry a side, level and system that a block has aged and fresh."""
    return [
        damage for side in SIDES for damage in _damages_of_side(samples, side, equivalence_percent)
    ]


def noise_of_sides(samples: Samples) -> dict[Side, Estimate]:
    """A/A of the rate over all cells of a side."""
    found: dict[Side, Estimate] = {}
    for side in SIDES:
        cells = [cell.id for cell in samples.plan.cells if ChurnFactors.of(cell).side == side]
        noise = pooled_noise(samples, RATE, cells)
        if noise is not None:
            ratio = noise.ratio
            found[side] = Estimate(value=ratio.ratio, low=ratio.low, high=ratio.high, n=ratio.n)
    return found


def _damages_of_side(samples: Samples, side: Side, equivalence_percent: float) -> list[Damage]:
    plan, margin = samples.plan, log_margin(equivalence_percent)
    logs = {
        (system, fill): blocks
        for fill in fills_of(plan)
        for system in plan.systems
        if (blocks := _log_ratios(samples, side, fill, system))
    }
    ratios = {place: _ratio(found) for place, found in logs.items()}
    judged = _judged(ratios, margin)
    against = _against_baseline(plan.baseline, logs, margin)
    found: list[Damage] = []
    for (system, fill), ratio in ratios.items():
        aged, fresh = (_rate(samples, side, fill, wear, system) for wear in ("aged", "fresh"))
        if aged is None or fresh is None:
            continue
        p, verdict = judged[system, fill]
        spread = ratio.deviation
        found.append(
            Damage(
                system=system,
                side=side,
                fill_percent=fill,
                ratio=ratio.ratio,
                low=ratio.low,
                high=ratio.high,
                p_adjusted=p,
                verdict=verdict,
                n=ratio.n,
                detectable_percent=None
                if spread is None
                else detectable_percent(ratio.n, 100 * spread),
                margin_percent=equivalence_percent,
                aged=aged,
                fresh=fresh,
                against_baseline=against.get((system, fill)),
                left_out=[b for b in samples.blocks() if b not in logs[system, fill]],
                blocks=[(b, math.exp(log)) for b, log in sorted(logs[system, fill].items())],
            )
        )
    return found


def _log_ratios(samples: Samples, side: Side, fill: int, system: str) -> dict[int, float]:
    """By block, the log of aged over fresh."""
    cells = [cell_at(samples.plan, side, fill, wear) for wear in ("aged", "fresh")]
    aged, fresh = (samples.block_logs(RATE, c.id, system) if c else {} for c in cells)
    return over(aged, fresh)


def _rate(samples: Samples, side: Side, fill: int, wear: ChurnWear, system: str) -> Estimate | None:
    cell = cell_at(samples.plan, side, fill, wear)
    return estimate(samples.block_logs(RATE, cell.id, system)) if cell else None


def _ratio(logs: Mapping[int, float]) -> Ratio:
    ratio = ratio_of_blocks(list(logs.values()))
    if ratio is None:
        raise ValueError("a damage without blocks has no ratio")
    return ratio


def _judged(ratios: Mapping[Key, Ratio], margin: float) -> dict[Key, tuple[float, Verdict]]:
    """Each ratio's corrected p and verdict, in one family; a lower rate is worse."""
    adjusted = benjamini_hochberg([ratio.p for ratio in ratios.values()])
    return {
        key: (p, judge(ratio, log_margin=margin, p_adjusted=p, higher_is_better=True))
        for (key, ratio), p in zip(ratios.items(), adjusted, strict=True)
    }


def _against_baseline(
    baseline: str, logs: Mapping[Place, Mapping[int, float]], margin: float
) -> dict[Place, AgainstBaseline]:
    """Whether a system suffers more or less than the baseline at the same level."""
    ratios = {
        (system, fill): _ratio(own)
        for (system, fill), damage in logs.items()
        if system != baseline and (own := over(damage, logs.get((baseline, fill), {})))
    }
    judged = _judged(ratios, margin)
    return {
        place: AgainstBaseline(
            ratio=ratio.ratio,
            low=ratio.low,
            high=ratio.high,
            p_adjusted=judged[place][0],
            verdict=judged[place][1],
            n=ratio.n,
        )
        for place, ratio in ratios.items()
    }
