"""How noisy a study has turned out while it still runs, and what that leaves to be seen.

Takes the runs of whole blocks; the noise is that of a pilot (stats/pilot.py), from two blocks on.
What so many blocks can show comes from the code that `fsgauge plan` and `doctor` ask.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from fsgauge import kinds
from fsgauge.plan.power import blocks_needed, corrected, detectable_percent, paired_percent
from fsgauge.record.records import Plan, RunRecord
from fsgauge.stats.analysis import Analysis
from fsgauge.stats.noise import ASKED_PERCENT
from fsgauge.stats.ratio import t_quantile
from fsgauge.stats.samples import collect
from fsgauge.stats.verdict import BLOCKS_FOR_A_VERDICT

FEWEST_BLOCKS = 2


@dataclass(frozen=True)
class NoiseSoFar:
    """After `blocks` of `planned` blocks: how far the baseline differs from itself, in percent.

    `detectable_percent` is the smallest change that the planned blocks show in 80 of 100 studies,
    `asked_percent` the one that no study should miss, `blocks_needed` the blocks that show it
    (None above 10 000). `typical_percent` is how far from 1 an equal system may come out.
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
    plan: Plan, kind: str, runs: Sequence[RunRecord], margin_percent: float
) -> NoiseSoFar | None:
    """From the runs of whole blocks; None before there are two with the baseline twice."""
    named = [cell for cell in plan.cells if cell.id in plan.primary or cell.name in plan.primary]
    own = [run for run in runs if run.system == plan.baseline and not (run.over_path or run.struck)]
    paced = any(run.load is not None and run.load.rate is not None for run in own)
    analysis = cast(Analysis, kinds.part(kind, "analysis").ANALYSIS)
    samples = collect(plan, own)
    variances: list[tuple[float, int]] = []
    for cell in named or plan.cells:
        metric = analysis.primary_metric(cell, paced=paced)
        logs = list(samples.noise_log_ratios(metric, cell.id).values())
        if len(logs) >= FEWEST_BLOCKS:
            variances.append((statistics.variance(logs), len(logs)))
    if not variances:
        return None
    degrees = sum(blocks - 1 for _, blocks in variances)
    pooled = sum(variance * (blocks - 1) for variance, blocks in variances) / degrees
    noise_percent = 100 * math.sqrt(pooled)
    planned = max(len({turn.block for turn in plan.turns}), FEWEST_BLOCKS)
    asked = max(ASKED_PERCENT, 2 * margin_percent)
    spread, level = paired_percent(noise_percent), corrected(plan.comparisons)
    half = t_quantile(planned - 1) * spread / 100 / math.sqrt(planned)
    return NoiseSoFar(
        blocks=max(blocks for _, blocks in variances),
        planned=planned,
        noise_percent=noise_percent,
        typical_percent=100 * math.expm1(min(half, 100.0)),
        asked_percent=asked,
        detectable_percent=detectable_percent(planned, spread, level),
        blocks_needed=blocks_needed(asked, spread, level),
    )


def noise_words(found: NoiseSoFar, baseline: str, *, alone: bool) -> str:
    """One sentence; `alone` where the baseline is the only system and nothing is to be told."""
    head = (
        f"noise so far: {baseline} differs from itself by {_percent(found.noise_percent)}"
        f" ({found.blocks} blocks)"
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
    needed = "more than 10 000" if found.blocks_needed is None else f"{found.blocks_needed}"
    return (
        f"{head}: too noisy to answer; {needed} blocks or a quieter machine would show a change of"
        f" {_percent(found.asked_percent)}"
    )


def _percent(value: float) -> str:
    if value >= 1000:
        return "over 1000 %"
    return f"{value:.1f} %" if value < 9.95 else f"{value:.0f} %"
