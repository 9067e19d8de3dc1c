"""What a pilot says for planning: its noise, and what its blocks took.

Takes the records of a study. The noise is the standard deviation of the baseline's log ratio to
itself, in percent, of single cells; its mean is left out, since a drift between turns moves no
ratio between systems on average. Times are seconds by the monotonic clock: of each turn its making
and filling, of each run its warm-up, its window and its reading back. What lies between runs
(caches dropped, the engine started) is in no record, so whoever plans adds that.

A study that still runs is a pilot of itself, from two whole blocks on: how noisy it has turned out,
and what that leaves to be seen.
"""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

from fsgauge import kinds
from fsgauge.errors import InputError
from fsgauge.plain_files.kept import Kept
from fsgauge.plan.levels import corrected
from fsgauge.plan.power import blocks_needed, paired_percent, planned_percent
from fsgauge.record import records
from fsgauge.stats.analysis import Analysis
from fsgauge.stats.curve.blocks import samples_of
from fsgauge.stats.differences import are_alike
from fsgauge.stats.noise import ASKED_PERCENT
from fsgauge.stats.planned import analysis_of, primary_cells
from fsgauge.stats.ratio import t_quantile
from fsgauge.stats.run_checks import rate_offered
from fsgauge.stats.samples import Samples
from fsgauge.stats.verdict import BLOCKS_FOR_A_VERDICT


class PilotNoise(Kept):
    """`noise_percent` pools the variances of the primary cells; `worst_percent` is one cell's. It
    holds for partners that stand as far apart as the pilot's did: `side_by_side` or not."""

    study: str
    blocks: int
    cells: int
    noise_percent: float
    worst_percent: float
    worst_cell: str
    side_by_side: bool = False


class _Variance(NamedTuple):
    """Of one cell's log ratios of the baseline to itself, over so many blocks."""

    variance: float
    blocks: int


def _variances(
    samples: Samples, cells: Iterable[records.Cell], analysis: Analysis, paced: bool, fewest: int
) -> dict[str, _Variance]:
    """By the names of those cells that have `fewest` blocks, each by its primary metric."""
    found = {}
    for cell in cells:
        metric = analysis.primary_metric(cell, paced=paced)
        logs = list(samples.noise_log_ratios(metric, cell.id).values())
        if len(logs) >= fewest:
            found[cell.name] = _Variance(statistics.variance(logs), len(logs))
    return found


def _pooled_percent(variances: Collection[_Variance]) -> float:
    """The deviation of them all, each variance weighted by its degrees of freedom."""
    degrees = sum(each.blocks - 1 for each in variances)
    return 100 * math.sqrt(sum(v.variance * (v.blocks - 1) for v in variances) / degrees)


def pilot_noise(study: records.StudyRecord, runs: Sequence[records.RunRecord]) -> PilotNoise:
    """The noise of a study's primary cells; InputError when it has fewer than three whole blocks.
    Each cell counts by its primary metric: the rate, or the p99 latency under a pace; a load curve
    by the rates at its limit."""
    samples, analysis = samples_of(study.plan, runs), analysis_of(study)
    paced = any(rate_offered(run) is not None for run in runs)
    primary = primary_cells(samples.plan)
    variances = _variances(samples, primary, analysis, paced, BLOCKS_FOR_A_VERDICT)
    if not variances:
        raise InputError(
            f'the pilot "{study.plan.study}" has fewer than {BLOCKS_FOR_A_VERDICT} whole blocks',
            cause="the noise is how far the baseline's two runs in a block differ, over blocks",
            next="run it with --set plan.blocks=5, or give the noise yourself: --noise '3 %'",
        )
    worst = max(variances, key=lambda cell: variances[cell].variance)
    return PilotNoise(
        study=study.plan.study,
        blocks=max(each.blocks for each in variances.values()),
        cells=len(variances),
        noise_percent=_pooled_percent(variances.values()),
        worst_percent=100 * math.sqrt(variances[worst].variance),
        worst_cell=worst,
        side_by_side=study.plan.side_by_side,
    )


class PilotTime(Kept):
    """Whole blocks: how many, their mean, and the shortest and the longest of them."""

    blocks: int
    block_seconds: float
    shortest_seconds: float
    longest_seconds: float


def pilot_time(
    study: records.StudyRecord,
    turns: Sequence[records.TurnRecord],
    runs: Sequence[records.RunRecord],
    steps: Sequence[records.StepRecord] = (),
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
    record: records.StudyRecord,
    environment: records.EnvironmentRecord,
    study: dict[str, Any],
    size_bytes: int,
) -> bool:
    """Whether a block of `study` on storage of `size_bytes` does what a block of the pilot did.
    `study` is the document, as in a record. A device or a folder may be another one."""
    return (
        all(
            _plain(record.study.get(key)) == _plain(study.get(key))
            for key in ("workload", "system", "access")
        )
        and record.study.get("storage", {}).get("kind") == study.get("storage", {}).get("kind")
        and are_alike([environment.storage.size_bytes, size_bytes])
    )


def _plain(value: object) -> str:
    return json.dumps(value, sort_keys=True)


def _run_seconds(run: records.RunRecord) -> float:
    result = run.result
    if result is None:
        return 0.0
    reading_ns = result.integrity.elapsed_ns if result.integrity else 0
    return (result.warm_up_ns + result.elapsed_ns + reading_ns) / 1e9


FEWEST_BLOCKS_SO_FAR = 2


@dataclass(frozen=True)
class NoiseSoFar:
    """After `blocks` of `planned` blocks: how far the baseline differs from itself, in percent.

    `detectable_percent` is the smallest change that the planned blocks show in 80 of 100 studies,
    `asked_percent` the one that no study should miss, `blocks_needed` the blocks that show it
    (None above 10,000). `typical_percent` is how far from 1 an equal system may come out.
    """

    blocks: int
    planned: int
    noise_percent: float
    typical_percent: float
    asked_percent: float
    detectable_percent: float
    blocks_needed: int | None

    @property
    def is_too_noisy(self) -> bool:
        """Whether the study, as planned, would end with "too noisy to answer"."""
        return self.typical_percent > self.asked_percent


def noise_so_far(
    plan: records.Plan, kind: str, runs: Sequence[records.RunRecord], margin_percent: float
) -> NoiseSoFar | None:
    """From the runs of whole blocks; None before there are two with the baseline twice."""
    own = [run for run in runs if run.system == plan.baseline and not (run.over_path or run.struck)]
    paced = any(rate_offered(run) is not None for run in own)
    analysis = cast(Analysis, kinds.part(kind, "analysis").ANALYSIS)
    variances = _variances(
        samples_of(plan, own), primary_cells(plan), analysis, paced, FEWEST_BLOCKS_SO_FAR
    ).values()
    if not variances:
        return None
    noise_percent = _pooled_percent(variances)
    planned = max(len({turn.block for turn in plan.turns}), FEWEST_BLOCKS_SO_FAR)
    asked = max(ASKED_PERCENT, 2 * margin_percent)
    spread, level = paired_percent(noise_percent), corrected(plan.comparisons)
    half = t_quantile(planned - 1) * spread / 100 / math.sqrt(planned)
    return NoiseSoFar(
        blocks=max(each.blocks for each in variances),
        planned=planned,
        noise_percent=noise_percent,
        typical_percent=100 * math.expm1(min(half, 100.0)),
        asked_percent=asked,
        detectable_percent=planned_percent(planned, spread, level),
        blocks_needed=blocks_needed(asked, spread, level),
    )


def noise_words(found: NoiseSoFar, baseline: str, *, alone: bool) -> str:
    """One sentence; `alone` where the baseline is the only system and nothing is to be told."""
    head = (
        f"noise so far: {_percent(found.noise_percent)} ({baseline} against itself,"
        f" {found.blocks} blocks)"
    )
    if found.noise_percent == 0:
        return f"noise so far: none, {baseline} equals itself ({found.blocks} blocks)"
    if alone:
        return head
    if not found.is_too_noisy:
        if found.planned < BLOCKS_FOR_A_VERDICT:
            return f"{head}; a verdict takes {BLOCKS_FOR_A_VERDICT} blocks or more"
        return (
            f"{head}; {found.planned} blocks show changes of"
            f" {_percent(found.detectable_percent)} or more"
        )
    needed = "over 10,000" if found.blocks_needed is None else f"{found.blocks_needed:,}"
    return (
        f"{head}: too noisy to answer; {needed} blocks or a quieter machine would show a change of"
        f" {_percent(found.asked_percent)}"
    )


def _percent(value: float) -> str:
    if value >= 1000:
        return "over 1,000 %"
    return f"{value:.1f} %" if value < 9.95 else f"{value:.0f} %"
