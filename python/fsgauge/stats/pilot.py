"""What a pilot says for planning: its noise, and what its blocks took.

Takes the records of a study. The noise is the standard deviation of the baseline's log ratio to
itself, in percent, of single cells; its mean is left out, since a drift between turns moves no
ratio between systems on average. Times are seconds by the monotonic clock: of each turn its making
and filling, of each run its warm-up, its window and its reading back. What lies between runs
(caches dropped, the engine started) is in no record, so whoever plans adds that.
"""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict

from fsgauge.errors import InputError
from fsgauge.record.records import EnvironmentRecord, RunRecord, StepRecord, StudyRecord, TurnRecord
from fsgauge.stats.analysis import analysis_of
from fsgauge.stats.planned import primary_cells
from fsgauge.stats.samples import collect

FEWEST_BLOCKS = 3


class PilotNoise(BaseModel):
    """`noise_percent` pools the variances of the primary cells; `worst_percent` is one cell's.

    It holds for partners that stand as far apart as the pilot's did: `side_by_side` or not.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    study: str
    blocks: int
    cells: int
    noise_percent: float
    worst_percent: float
    worst_cell: str
    side_by_side: bool = False


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
        side_by_side=study.plan.side_by_side,
    )


SIZE_TOLERANCE = 0.01


class PilotTime(BaseModel):
    """Whole blocks: how many, their mean, and the shortest and the longest of them."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    blocks: int
    block_seconds: float
    shortest_seconds: float
    longest_seconds: float


def pilot_time(
    study: StudyRecord,
    turns: Sequence[TurnRecord],
    runs: Sequence[RunRecord],
    steps: Sequence[StepRecord] = (),
) -> PilotTime | None:
    """What a block took; None where no block has every planned run measured."""
    wanted: dict[int, int] = {}
    for turn in study.plan.turns:
        wanted[turn.block] = wanted.get(turn.block, 0) + len(turn.cells)
    measured = dict.fromkeys(wanted, 0)
    seconds = dict.fromkeys(wanted, 0.0)
    for made in turns:
        seconds[made.block] += made.prepare_ns / 1e9
    for step in steps:
        seconds[step.block] += step.elapsed_ns / 1e9
    for run in runs:
        if run.result is not None:
            measured[run.block] += 1
            seconds[run.block] += _run_seconds(run)
    whole = [seconds[block] for block in wanted if measured[block] == wanted[block]]
    if not whole:
        return None
    return PilotTime(
        blocks=len(whole),
        block_seconds=statistics.fmean(whole),
        shortest_seconds=min(whole),
        longest_seconds=max(whole),
    )


def is_of_same_work(
    record: StudyRecord, environment: EnvironmentRecord, study: dict[str, Any], size_bytes: int
) -> bool:
    """Whether a block of `study` on storage of `size_bytes` does what a block of the pilot did.

    `study` is the document, as in a record. A device or a folder may be another one.
    """
    there = environment.storage.size_bytes
    return (
        all(
            _plain(record.study.get(key)) == _plain(study.get(key))
            for key in ("workload", "system", "access")
        )
        and record.study.get("storage", {}).get("kind") == study.get("storage", {}).get("kind")
        and abs(there - size_bytes) <= SIZE_TOLERANCE * max(there, size_bytes)
    )


def _plain(value: object) -> str:
    return json.dumps(value, sort_keys=True)


def _run_seconds(run: RunRecord) -> float:
    result = run.result
    if result is None:
        return 0.0
    reading_ns = result.integrity.elapsed_ns if result.integrity else 0
    return (result.warm_up_ns + result.elapsed_ns + reading_ns) / 1e9
