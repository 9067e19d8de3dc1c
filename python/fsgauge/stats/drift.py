"""What did not stay from the first turn to the last: rates, one system, the clock.

Drift: in each block that has them all, the logs of all systems and cells by the primary metric
are averaged to one number; a line through these has a slope, and Student's test says whether
that is more than the scatter of blocks. Most of a drift cancels in ratios inside blocks, and
what is left widens their intervals.

Turning point: of all places between two blocks, that with the largest Student's t of the blocks
before against those behind is tested against the largest t of as many numbers that only scatter
(simulated, seeded), so that the choice of the place is paid for. The level is divided by the
number of systems. The baseline runs in the same blocks, so the change is the system's.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fsgauge.plan.levels import ALPHA, LEVEL
from fsgauge.record.records import TurnRecord
from fsgauge.stats.estimate import ByBlock, block_means
from fsgauge.stats.evidence import Evidence, finding, name_of
from fsgauge.stats.metrics import METRICS
from fsgauge.stats.planned import margin_percent
from fsgauge.stats.ratio import p_of, ratio_of_log, t_quantile
from fsgauge.stats.results import Finding
from fsgauge.stats.verdict import log_margin
from fsgauge.stats.wording import blocks_in_words, factor_words, listed
from fsgauge.units import format_duration, format_size, grouped

STEP_NS = 1_000_000_000
"""What a clock that is kept by NTP does not move at once."""
FEWEST_BLOCKS_TO_TURN = 6
FEWEST_BESIDE = 2
"""Blocks on either side: of one alone the robust fit speaks."""
_DRAWS = 2_000
_LEAST_T = 3.0
"""Below it no number of blocks is surprising, and nothing is simulated."""
FEWEST_BLOCKS = 5
SURE = 0.01
"""Of studies without drift, one in a hundred is said to have one."""


@dataclass(frozen=True)
class Drift:
    """The log change from the first block to the last, its interval, and p of none."""

    change: float
    low: float
    high: float
    p: float


def drift_of_study(evidence: Evidence) -> Iterator[Finding]:
    """A drift that blocks show, where it is larger than what the study calls no difference."""
    samples, metric = evidence.samples, evidence.primary_metric
    systems, cells = samples.plan.systems, samples.plan.cells
    found = drift_of(
        [samples.block_logs(metric, cell.id, system) for cell in cells for system in systems],
        level=samples.level,
    )
    margin = log_margin(margin_percent(evidence.study))
    if found is None or found.p > SURE or abs(found.change) <= margin:
        return
    logs = (found.change, found.low, found.high)
    change, low, high = (100 * (ratio_of_log(log) - 1) for log in logs)
    yield finding(
        "study.drifted",
        "warning",
        f"The whole study drifted: from its first block to its last, {METRICS[metric].label} of all"
        f" systems together changed by {change:+.0f} % ({low:+.0f} to {high:+.0f} %).",
        "Ratios are taken inside blocks, where most of this cancels; the rest makes their intervals"
        " wider. A system's own rates hold for the average of the study alone. A disk that warms"
        " up, fills or wears, or other load that comes or goes, does this.",
    )


def drift_of(series: Sequence[ByBlock], *, level: float = LEVEL) -> Drift | None:
    """The drift of series of logs by block; None where fewer than five blocks have them all."""
    means = block_means([each for each in series if each])
    blocks = list(means)
    if len(blocks) < FEWEST_BLOCKS:
        return None
    middle = statistics.fmean(blocks)
    centre = statistics.fmean(means.values())
    spread = math.fsum((block - middle) ** 2 for block in blocks)
    slope = math.fsum((block - middle) * (means[block] - centre) for block in blocks) / spread
    squares = math.fsum((means[block] - centre - slope * (block - middle)) ** 2 for block in blocks)
    freedom = len(blocks) - 2
    error = math.sqrt(squares / freedom / spread)
    span = blocks[-1] - blocks[0]
    half = t_quantile(freedom, level) * error
    return Drift(
        change=span * slope,
        low=span * (slope - half),
        high=span * (slope + half),
        p=p_of(slope, error, freedom),
    )


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
        blocks = list(logs)
        found = turning_point(list(logs.values()))
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
    logs = [
        {block: math.log(ratio) for block, ratio in entry.blocks}
        for entry in evidence.comparisons
        if (entry.system, entry.metric) == (system, evidence.primary_metric)
        and entry.primary
        and entry.is_claimed
    ]
    return block_means(logs)


def turning_point(logs: Sequence[float]) -> TurningPoint | None:
    """The likeliest one; None of too few numbers, or where none can surprise."""
    if len(logs) < FEWEST_BLOCKS_TO_TURN:
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
    draws = np.random.default_rng(number).normal(size=(_DRAWS, number))
    return np.asarray(_t_values(draws).max(axis=1))


def _t_values(series: NDArray[np.float64]) -> NDArray[np.float64]:
    """[series, place]: Student's t of the numbers before a place against those behind it."""
    number = series.shape[1]
    centred = series - series.mean(axis=1, keepdims=True)
    before = np.arange(FEWEST_BESIDE, number - FEWEST_BESIDE + 1)
    sums = centred.cumsum(axis=1)[:, before - 1]
    between = sums**2 * (1 / before + 1 / (number - before))
    within = (centred**2).sum(axis=1, keepdims=True) - between
    least = np.finfo(float).tiny
    with np.errstate(over="ignore"):  # a step without any scatter
        return np.asarray(np.sqrt(between / np.maximum(within / (number - 2), least)))


def changed_midway(evidence: Evidence) -> Iterator[Finding]:
    yield from _made_otherwise(evidence)
    yield from _clock_set(evidence)


def _made_otherwise(evidence: Evidence) -> Iterator[Finding]:
    """One system must be made the same way in every turn, on whichever of several equal disks."""
    turns = grouped((turn.system, turn) for turn in evidence.turns)
    for system, own in turns.items():
        ways = [(_ways(turn), turn.block) for turn in own]
        told = [
            listed([f"{way} in {blocks_in_words(blocks)}" for way, blocks in by_way.items()])
            for fact in ways[0][0]
            if len(by_way := grouped((of_turn[fact], block) for of_turn, block in ways)) > 1
        ]
        if told:
            yield finding(
                "system.changed",
                "warning",
                f"{system} was not made the same way in every turn: {'; '.join(told)}.",
                "Find out who changed it, and repeat: its ratio is that of no one system.",
                told,
            )


def _ways(turn: TurnRecord) -> dict[str, str]:
    """What must be the same in every turn, in words."""
    facts = turn.facts
    command = [word for word in facts.mkfs_command if word != facts.mount_source]
    return {
        "mkfs": f"made by {' '.join(command)}",
        "mount": f"mounted {facts.mount_options or 'without options'}",
        "size": f"of {format_size(facts.size_bytes)} ({facts.size_bytes:,} bytes)",
    }


def _clock_set(evidence: Evidence) -> Iterator[Finding]:
    """A wall clock that was set: in a run, where it leaves the monotonic clock, or between runs,
    where it went back. A step forward between runs cannot be told from a wait."""
    if evidence.before.load.simulation is not None:
        return
    steps = [
        (f"in {name_of(run)}", run.result.pauses.wall_clock_step_ns)
        for run in evidence.runs
        if run.result is not None and run.result.pauses is not None
    ]
    # A block that a resumed study measured again may come after the blocks behind it.
    steps += [] if evidence.resumed else _between_blocks(evidence.turns)
    steps += _since_its_turn(evidence)
    found = [(where, ns) for where, ns in steps if abs(ns) > STEP_NS]
    if found:
        _, most_ns = max(found, key=lambda each: abs(each[1]))
        way = "back" if most_ns < 0 else "forward"
        yield finding(
            "clock.set",
            "warning",
            f"The machine's clock was set {way} by {format_duration(abs(most_ns))} or more while"
            " the study ran.",
            "Rates and latencies hold: they are timed by the monotonic clock. Which study came"
            " first, and which belong to one sitting, is not known of this one: see timedatectl,"
            " and repeat it where history or compare are to take it.",
            [f"{where}: {format_duration(abs(ns))}" for where, ns in found],
        )


def _between_blocks(turns: Sequence[TurnRecord]) -> list[tuple[str, int]]:
    """How far before the end of the block before it a block began, where it did."""
    begun = grouped((turn.block, turn.started_unix_ns) for turn in turns)
    return [
        (f"before block {block + 1}", min(0, min(begun[block]) - max(begun[before])))
        for before, block in pairwise(sorted(begun))
    ]


def _since_its_turn(evidence: Evidence) -> list[tuple[str, int]]:
    """How far before its turn a run began, where it did."""
    begun = {(turn.block, turn.turn): turn.started_unix_ns for turn in evidence.turns}
    return [
        (f"before {name_of(run)}", min(0, run.started_unix_ns - began_ns))
        for run in evidence.runs
        if (began_ns := begun.get((run.block, run.turn))) is not None
    ]
