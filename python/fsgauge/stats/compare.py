"""Every system against the baseline in every cell, by every metric. Takes samples and the study's
margin; gives comparisons and measurements."""

from __future__ import annotations

from collections.abc import Sequence

from fsgauge.stats.contrast import Contrast, ContrastResult, Value, in_blocks
from fsgauge.stats.metrics import METRICS
from fsgauge.stats.ratio import Ratio
from fsgauge.stats.results import Comparison, Measurement
from fsgauge.stats.robust import RobustRatio, robust_ratios
from fsgauge.stats.samples import Samples


def measured_metrics(samples: Samples) -> list[str]:
    """The metrics that any run has, in the order of METRICS."""
    present = {metric for metric, _, _ in samples.logs}
    return [metric for metric in METRICS if metric in present]


def compare_all(
    samples: Samples, primary: Sequence[str], equivalence_percent: float
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
    judged = in_blocks(contrasts, samples, equivalence_percent)
    robust = {
        (metric, cell): robust_ratios(samples, metric, cell)
        for metric, cell in dict.fromkeys((metric, cell) for cell, _, metric in judged)
    }
    return [
        _comparison(
            key, each, robust[key[2], key[0]][key[1]], samples, is_primary=key[0] in primary
        )
        for key, each in judged.items()
    ]


def _comparison(
    key: tuple[str, str, str],
    judged: ContrastResult[Ratio],
    robust: RobustRatio,
    samples: Samples,
    *,
    is_primary: bool,
) -> Comparison:
    cell, system, metric = key
    ratio = judged.ratio
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
        **{f"robust_{name}": each for name, each in vars(robust).items()},
        left_out=[block for block in samples.blocks() if block not in judged.logs],
        blocks=judged.blocks,
    )


def measure_all(samples: Samples) -> list[Measurement]:
    """Each system's own numbers; of the baseline, both turns count as one value a block. What is
    not compared in a cell follows: see `Withheld`."""
    found = _measured(samples)
    for each in samples.withheld:
        found += _measured(each.alone)
        found += [
            Measurement(
                cell=each.cell,
                system=system,
                metric=each.metric,
                value=of_all.value,
                low=None,
                high=None,
                n=of_all.runs,
                short_runs=of_all.short_runs,
            )
            for system, of_all in each.together.items()
        ]
    return found


def _measured(samples: Samples) -> list[Measurement]:
    return [
        Measurement(cell=cell, system=system, metric=metric, **number.model_dump())
        for metric, cell, system in samples.logs
        if (number := samples.number(metric, cell, system)) is not None
    ]
