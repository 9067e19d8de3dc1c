"""Every system against the baseline in every cell, by every metric.

Takes samples and the study's margin; gives comparisons, measurements and noise floors.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fsgauge.plan.power import detectable_percent
from fsgauge.stats.metrics import METRICS
from fsgauge.stats.noise import Noise, pooled_noise
from fsgauge.stats.ratio import Ratio, ratio_of_blocks
from fsgauge.stats.results import Comparison, Measurement, NoiseFloor
from fsgauge.stats.samples import Samples
from fsgauge.stats.verdict import benjamini_hochberg, judge, log_margin


@dataclass(frozen=True)
class Pairing:
    """One system and the baseline in one cell, before it is judged."""

    cell: str
    system: str
    logs: dict[int, float]
    ratio: Ratio


def noise_floors(samples: Samples, primary: Sequence[str]) -> dict[str, Noise]:
    """The noise floor of each metric that the baseline has twice."""
    floors = {
        metric: pooled_noise(samples, metric, primary) for metric in measured_metrics(samples)
    }
    return {metric: floor for metric, floor in floors.items() if floor is not None}


def measured_metrics(samples: Samples) -> list[str]:
    """The metrics that any run has, in the order of METRICS."""
    present = {metric for metric, _, _ in samples.logs}
    return [metric for metric in METRICS if metric in present]


def describe_noise(noise: Noise) -> NoiseFloor:
    """A noise floor as it is stored."""
    ratio = noise.ratio
    return NoiseFloor(
        metric=noise.metric,
        ratio=ratio.ratio,
        low=ratio.low,
        high=ratio.high,
        n=ratio.n,
        cells=noise.cells,
        excludes_one=noise.excludes_one,
    )


def compare_all(
    samples: Samples,
    primary: Sequence[str],
    equivalence_percent: float,
) -> list[Comparison]:
    """All comparisons, metric by metric; primary cells and the others are separate families."""
    found: list[Comparison] = []
    margin = log_margin(equivalence_percent)
    for metric in measured_metrics(samples):
        pairings = _pairings(samples, metric)
        for is_primary in (True, False):
            family = [one for one in pairings if (one.cell in primary) == is_primary]
            found += _judged(samples, metric, family, margin, is_primary)
    return found


def _pairings(samples: Samples, metric: str) -> list[Pairing]:
    plan = samples.plan
    found = []
    for cell in plan.cells:
        for system in plan.systems:
            if system == plan.baseline:
                continue
            logs = samples.log_ratios(metric, cell.id, system)
            reach = samples.ratio_reach(metric, cell.id, system)
            ratio = ratio_of_blocks(list(logs.values()), reach=reach)
            if ratio is not None:
                found.append(Pairing(cell.id, system, logs, ratio))
    return found


def _judged(
    samples: Samples, metric: str, family: Sequence[Pairing], margin: float, is_primary: bool
) -> Iterable[Comparison]:
    adjusted = benjamini_hochberg([pairing.ratio.p for pairing in family])
    for pairing, p_adjusted in zip(family, adjusted, strict=True):
        ratio = pairing.ratio
        verdict = judge(
            ratio,
            log_margin=margin,
            p_adjusted=p_adjusted,
            higher_is_better=METRICS[metric].higher_is_better,
        )
        robust = ratio.robust
        yield Comparison(
            cell=pairing.cell,
            system=pairing.system,
            metric=metric,
            primary=is_primary,
            ratio=ratio.ratio,
            low=ratio.low,
            high=ratio.high,
            p=ratio.p,
            p_adjusted=p_adjusted,
            verdict=verdict,
            n=ratio.n,
            detectable_percent=_detectable_percent(ratio),
            margin_percent=100 * -math.expm1(-margin),
            robust_ratio=robust.ratio,
            robust_low=robust.low,
            robust_high=robust.high,
            robust_p=robust.p,
            left_out=[block for block in samples.blocks() if block not in pairing.logs],
            blocks=[(block, math.exp(log)) for block, log in sorted(pairing.logs.items())],
        )


def _detectable_percent(ratio: Ratio) -> float | None:
    """What so many blocks of this noise show in 80 of 100 studies; None from one block.

    An effect that the buckets of a percentile can hide is not seen, however many blocks there are.
    """
    if ratio.deviation is None:
        return None
    return detectable_percent(ratio.n, 100 * ratio.deviation) + 100 * math.expm1(ratio.reach)


def measure_all(samples: Samples) -> list[Measurement]:
    """Each system's own numbers; of the baseline, both turns count as one value a block."""
    found = []
    for metric, cell, system in samples.logs:
        logs = list(samples.block_logs(metric, cell, system).values())
        mean = ratio_of_blocks(logs, reach=samples.reach(metric, cell, system))
        if mean is not None:
            found.append(
                Measurement(
                    cell=cell,
                    system=system,
                    metric=metric,
                    value=mean.ratio,
                    low=mean.low,
                    high=mean.high,
                    n=mean.n,
                )
            )
    return found
