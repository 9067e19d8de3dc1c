"""The noise of a pilot: how far two equal runs in one block differed, for planning what follows.

Takes the records of a study; gives standard deviations of the baseline's log ratio to itself, in
percent, of single cells: `fsgauge plan` says what one cell can show. The mean is left out of them,
since a drift between turns moves no ratio between systems on average.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict

from fsgauge.errors import InputError
from fsgauge.record import RunRecord, StudyRecord
from fsgauge.stats.analysis import analysis_of
from fsgauge.stats.planned import primary_cells
from fsgauge.stats.samples import collect

FEWEST_BLOCKS = 3


class PilotNoise(BaseModel):
    """`noise_percent` pools the variances of the primary cells; `worst_percent` is one cell's."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    study: str
    blocks: int
    cells: int
    noise_percent: float
    worst_percent: float
    worst_cell: str


def pilot_noise(study: StudyRecord, runs: Sequence[RunRecord]) -> PilotNoise:
    """The noise of a study's primary cells; InputError when it has fewer than three whole blocks.

    Each cell counts by its primary metric: the rate, or the p99 latency under a pace.
    """
    samples, analysis = collect(study.plan, runs), analysis_of(study)
    paced = any(run.load is not None and run.load.rate is not None for run in runs)
    variances: dict[str, float] = {}
    degrees: dict[str, int] = {}
    for cell in primary_cells(study):
        metric = analysis.primary_metric(cell, paced=paced)
        ratios = list(samples.noise_log_ratios(metric, cell.id).values())
        if len(ratios) >= FEWEST_BLOCKS:
            variances[cell.name] = statistics.variance(ratios)
            degrees[cell.name] = len(ratios) - 1
    if not variances:
        raise InputError(
            f'the pilot "{study.plan.study}" has fewer than {FEWEST_BLOCKS} whole blocks',
            cause="the noise is how far the baseline's two runs in a block differ, over blocks",
            next="run it with --set plan.blocks=5, or give the noise yourself: --noise '3 %'",
        )
    pooled = sum(variances[cell] * degrees[cell] for cell in variances) / sum(degrees.values())
    worst = max(variances, key=lambda cell: variances[cell])
    return PilotNoise(
        study=study.plan.study,
        blocks=max(degrees.values()) + 1,
        cells=len(variances),
        noise_percent=100 * math.sqrt(pooled),
        worst_percent=100 * math.sqrt(variances[worst]),
        worst_cell=worst,
    )
