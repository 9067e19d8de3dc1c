"""Every system against the baseline in every cell, by every metric; and the noise floor (A/A).

Takes samples and the study's margin; gives comparisons, measurements and noise floors.

The noise floor is the baseline's later turn over its earlier one, pooled over the primary cells.
One test, not one per cell: cells of one turn share the turn's mkfs, temperature and neighbours, so
they are no independent samples. In each block the A/A log ratios of all primary cells are averaged
to one number, and the blocks' numbers get one t interval. It calls one good study in twenty
invalid, which is what its 95 % interval says; a test of each of many cells would call almost every
large study invalid. The A/A of single cells is judged apart, corrected for their number (Benjamini
and Hochberg), and gives a finding.

Later over earlier, whichever of them the plan calls the twin: with labels drawn by lot the ratio
would be 1 on average whatever happened. In order of time it shows what changes within a block: a
disk that heats up, wears or fills, or other load that grows. The random order of systems keeps such
drift out of their ratios on average and widens their intervals.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from fsgauge.stats.contrast import Contrast, Judged, Value, in_blocks
from fsgauge.stats.metrics import METRICS
from fsgauge.stats.ratio import Ratio, ratio_of_blocks
from fsgauge.stats.results import Comparison, Measurement, NoiseFloor
from fsgauge.stats.samples import Samples
from fsgauge.stats.verdict import ALPHA, benjamini_hochberg


@dataclass(frozen=True)
class Noise:
    """The A/A ratio of one metric, pooled over `cells`."""

    metric: str
    ratio: Ratio
    cells: list[str]

    @property
    def excludes_one(self) -> bool:
        """Whether the baseline differs from itself by more than chance explains."""
        low, high = self.ratio.low, self.ratio.high
        return low is not None and high is not None and (low > 1 or high < 1)


def pooled_noise(samples: Samples, metric: str, cells: Sequence[str]) -> Noise | None:
    """A/A of one metric over those of `cells` that have it; None where there is no A/A."""
    by_cell = {cell: samples.noise_log_ratios(metric, cell) for cell in cells}
    by_cell = {cell: ratios for cell, ratios in by_cell.items() if ratios}
    if not by_cell:
        return None
    complete = set.intersection(*(set(ratios) for ratios in by_cell.values()))
    blocks = [
        statistics.fmean(ratios[block] for ratios in by_cell.values()) for block in sorted(complete)
    ]
    reach = max(samples.noise_reach(metric, cell) for cell in by_cell)
    ratio = ratio_of_blocks(blocks, reach=reach)
    return None if ratio is None else Noise(metric, ratio, list(by_cell))


def cells_that_differ_from_themselves(samples: Samples, metric: str) -> list[str]:
    """Cells whose own A/A excludes 1 after correction for the number of cells."""
    ratios: dict[str, Ratio] = {}
    for cell in samples.plan.cells:
        logs = list(samples.noise_log_ratios(metric, cell.id).values())
        ratio = ratio_of_blocks(logs, reach=samples.noise_reach(metric, cell.id))
        if ratio is not None and ratio.n > 1:
            ratios[cell.id] = ratio
    adjusted = benjamini_hochberg([ratio.p for ratio in ratios.values()])
    return [cell for cell, p in zip(ratios, adjusted, strict=True) if p <= ALPHA]


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
    plan = samples.plan
    contrasts = {
        (cell.id, system, metric): Contrast(
            Value(metric, cell.id, system),
            Value(metric, cell.id, plan.baseline),
            family=(metric, is_primary),
        )
        for metric in measured_metrics(samples)
        for is_primary in (True, False)
        for cell in plan.cells
        if (cell.id in primary) == is_primary
        for system in plan.systems
        if system != plan.baseline
    }
    return [
        _comparison(key, judged, samples, is_primary=key[0] in primary)
        for key, judged in in_blocks(contrasts, samples, equivalence_percent).items()
    ]


def _comparison(
    key: tuple[str, str, str], judged: Judged[Ratio], samples: Samples, *, is_primary: bool
) -> Comparison:
    cell, system, metric = key
    ratio, robust = judged.ratio, judged.ratio.robust
    return Comparison(
        cell=cell,
        system=system,
        metric=metric,
        primary=is_primary,
        **judged.numbers(),
        p=ratio.p,
        alone_low=ratio.low,
        alone_high=ratio.high,
        pick_low=judged.of_pick[0],
        pick_high=judged.of_pick[1],
        family=judged.family,
        detectable_percent=judged.detectable_percent(),
        margin_percent=judged.margin_percent,
        robust_ratio=robust.ratio,
        robust_low=robust.low,
        robust_high=robust.high,
        robust_p=robust.p,
        left_out=[block for block in samples.blocks() if block not in judged.logs],
        blocks=judged.blocks,
    )


def measure_all(samples: Samples) -> list[Measurement]:
    """Each system's own numbers; of the baseline, both turns count as one value a block."""
    found = []
    for metric, cell, system in samples.logs:
        logs = list(samples.block_logs(metric, cell, system).values())
        reach = samples.reach(metric, cell, system)
        mean = ratio_of_blocks(logs, reach=reach, level=samples.level)
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
