"""Whether a system changed against the baseline in the middle of a study, and at which block.

Takes the primary log ratios of each block; gives one finding a system. Of all places between two
blocks, that with the largest Student's t of the blocks before against those behind is tested
against the largest t of as many numbers that only scatter (simulated, seeded): so that the choice
of the place is paid for. The level is divided by the number of systems. The baseline runs in the
same blocks, so what the machine did is in no ratio: the change is the system's.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from fsgauge.plan.levels import ALPHA
from fsgauge.stats.evidence import Evidence, finding
from fsgauge.stats.metrics import METRICS
from fsgauge.stats.planned import margin_percent
from fsgauge.stats.results import Finding
from fsgauge.stats.verdict import log_margin
from fsgauge.stats.wording import blocks_in_words, factor_words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FEWEST_BLOCKS = 6
FEWEST_BESIDE = 2
"""Blocks on either side: of one alone the robust fit speaks."""
_DRAWS = 2_000
_LEAST_T = 3.0
"""Below it no number of blocks is surprising, and nothing is simulated."""


class TurningPoint(NamedTuple):
    """The first `before` numbers differ from the others by `change`; p of one that scatters."""

    before: int
    change: float
    p: float


def turning_points(evidence: Evidence) -> Iterator[Finding]:
    """Systems that were another thing in the first blocks than in the last."""
    plan, metric = evidence.study.plan, evidence.primary_metric
    margin = log_margin(margin_percent(evidence.study))
    others = [system for system in plan.systems if system != plan.baseline]
    for system in others:
        logs = _logs_of(evidence, system)
        blocks = sorted(logs)
        found = turning_point([logs[block] for block in blocks])
        if found is None or found.p > ALPHA / len(others) or abs(found.change) <= margin:
            continue
        halves = blocks[: found.before], blocks[found.before :]
        first, last = (
            f"{factor_words(math.exp(statistics.fmean(logs[block] for block in half)))}"
            for half in halves
        )
        yield finding(
            "system.moved",
            "warning",
            f"{system} changed while the study ran: in {METRICS[metric].label} it was at {first}"
            f" times {plan.baseline} in {blocks_in_words(halves[0])}, at {last} in"
            f" {blocks_in_words(halves[1])}.",
            f"It is the system and not the machine, which {plan.baseline} ran on in the same"
            " blocks: look for what was begun, filled up or set at that time (dmesg | tail), and"
            " measure it apart. The ratio of the whole study is of neither.",
        )


def _logs_of(evidence: Evidence, system: str) -> dict[int, float]:
    """The mean log ratio of the primary cells in each block that has them all."""
    ratios = [
        dict(entry.blocks)
        for entry in evidence.comparisons
        if (entry.system, entry.metric) == (system, evidence.primary_metric)
        and entry.primary
        and entry.is_claimed
    ]
    shared = set.intersection(*map(set, ratios)) if ratios else set()
    return {block: statistics.fmean(math.log(each[block]) for each in ratios) for block in shared}


def turning_point(logs: Sequence[float]) -> TurningPoint | None:
    """The likeliest one; None of too few numbers, or where none can surprise."""
    import numpy as np

    if len(logs) < FEWEST_BLOCKS:
        return None
    series = np.asarray(logs)
    t = _t_values(series[None, :])[0]
    place = int(t.argmax())
    if t[place] < _LEAST_T:
        return None
    before = place + FEWEST_BESIDE
    change = float(series[before:].mean() - series[:before].mean())
    reached = int((_by_chance(len(logs)) >= t[place]).sum())
    return TurningPoint(before, change, (1 + reached) / (1 + _DRAWS))


@lru_cache
def _by_chance(number: int) -> NDArray[np.float64]:
    import numpy as np

    draws = np.random.default_rng(number).normal(size=(_DRAWS, number))
    return np.asarray(_t_values(draws).max(axis=1))


def _t_values(series: NDArray[np.float64]) -> NDArray[np.float64]:
    """[series, place]: Student's t of the numbers before a place against those behind it."""
    import numpy as np

    number = series.shape[1]
    centred = series - series.mean(axis=1, keepdims=True)
    before = np.arange(FEWEST_BESIDE, number - FEWEST_BESIDE + 1)
    sums = centred.cumsum(axis=1)[:, before - 1]
    between = sums**2 * (1 / before + 1 / (number - before))
    within = (centred**2).sum(axis=1, keepdims=True) - between
    least = np.finfo(float).tiny
    with np.errstate(over="ignore"):  # a step without any scatter
        return np.asarray(np.sqrt(between / np.maximum(within / (number - 2), least)))
