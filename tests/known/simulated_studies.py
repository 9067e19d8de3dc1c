"""Whole studies of a noise model: planned by the plan, analysed as the report's comparisons are.

All studies of a case at once in numpy; the first ones are held against `compare_all` itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

from fsgauge.kinds.overhead.keys import OverheadWorkload
from fsgauge.plan.levels import ALPHA
from fsgauge.plan.turns import make_plan
from fsgauge.record.records import Plan
from fsgauge.stats.compare import compare_all
from fsgauge.stats.noise import PAIRED
from fsgauge.stats.samples import Samples
from fsgauge.stats.verdict import WIDEST_INTERVAL, log_margin
from fsgauge.study.model import LoopStorage, PlanSettings, Study, System
from tests.known.noise_models import NoiseModel, Values

NAMES = ["raw", "ext4", "xfs", "btrfs"]
MARGIN_PERCENT = 3.0
PLANTED = math.log(0.9)
PLANS = 400
ALIKE = 3
GIB = 1 << 30


@dataclass(frozen=True)
class Rates:
    """Of one case: how often intervals hold a planted ratio of 0.9, and how often a study of equal
    systems calls any of them better or worse."""

    coverage: float
    false_alarms: float


@lru_cache
def plans(systems: int, blocks: int) -> tuple[Plan, ...]:
    """Plans of one cell by many seeds."""
    return tuple(
        make_plan(
            Study(
                format=1,
                name="known",
                question="?",
                storage=LoopStorage(size=GIB),
                systems=[System(name=name, kind=name) for name in NAMES[:systems]],
                workload=OverheadWorkload(
                    patterns=["randread"], block_sizes=[4096], queue_depths=[32]
                ),
                plan=PlanSettings(seed=seed, blocks=blocks, primary=[]),
            ),
            size_bytes=GIB,
        )
        for seed in range(PLANS)
    )


@lru_cache
def orders(systems: int, blocks: int) -> NDArray[np.int64]:
    """[plan, block, system]: the place of each system's turn in its block; last, the twin's."""
    found = np.zeros((PLANS, blocks, systems + 1), dtype=np.int64)
    for number, plan in enumerate(plans(systems, blocks)):
        for turn in plan.turns:
            column = systems if turn.again else NAMES.index(turn.system)
            found[number, turn.block, column] = turn.turn
    return found


def rates(model: NoiseModel, systems: int, blocks: int, studies: int) -> Rates:
    """Both rates of one case; raises AssertionError where numpy and the analysis differ."""
    turns = model.logs(17 * blocks + systems, studies, blocks, systems + 1)
    places = np.tile(orders(systems, blocks), (studies // PLANS, 1, 1))
    values = np.take_along_axis(turns, places, axis=2)
    analysed = Analysed.of(values)
    for study in range(ALIKE):
        _same_as_public(values[study], plans(systems, blocks)[study % PLANS], analysed, study)
    covered = np.abs(analysed.means) <= analysed.halves
    return Rates(float(covered.mean()), float(analysed.different.any(axis=1).mean()))


@dataclass(frozen=True)
class Analysed:
    """[study, system] of equal systems; a planted ratio moves `means` and the truth alike.

    Intervals are those of single ratios, without correction for their number; they scatter at least
    as the baseline does against itself.
    """

    means: Values
    halves: Values
    different: NDArray[np.bool_]

    @classmethod
    def of(cls, values: Values) -> Analysed:
        """From logs [study, block, system], the baseline first and its twin last."""
        baseline = (values[..., :1] + values[..., -1:]) / 2
        ratios = values[..., 1:-1] - baseline
        blocks = ratios.shape[1]
        means, scatter = ratios.mean(axis=1), ratios.std(axis=1, ddof=1)
        of_rig = (values[..., -1] - values[..., 0]).std(axis=1, ddof=1) * PAIRED
        errors = np.maximum(scatter, of_rig[:, None]) / math.sqrt(blocks)
        halves = stdtrit(blocks - 1, 0.975) * errors
        p = 2 * stdtr(blocks - 1, -np.abs(means) / errors)
        margin = log_margin(MARGIN_PERCENT)
        equivalent = np.abs(means) + halves <= margin
        drawn = 2 * halves <= math.log(WIDEST_INTERVAL)
        different = _rejected(p) & (np.abs(means) > halves) & ~equivalent & drawn
        return cls(means, halves, different)


def _rejected(p: Values) -> NDArray[np.bool_]:
    """Benjamini and Hochberg over the last axis."""
    count = p.shape[-1]
    ordered = np.sort(p, axis=-1)
    passing = ordered <= ALPHA * np.arange(1, count + 1) / count
    return np.asarray(p <= np.where(passing, ordered, -1).max(axis=-1, keepdims=True))


def _same_as_public(values: Values, plan: Plan, analysed: Analysed, study: int) -> None:
    """The comparisons of one study, with and without a planted ratio, as the report makes them."""
    for planted in (0.0, PLANTED):
        samples = Samples(plan)
        for turn in plan.turns:
            column = len(plan.systems) if turn.again else NAMES.index(turn.system)
            effect = planted if turn.system != plan.baseline else 0.0
            value = float(values[turn.block, column]) + effect
            samples.put("iops", plan.cells[0].id, turn, value)
        found = compare_all(samples, [plan.cells[0].id], MARGIN_PERCENT)
        assert [each.system for each in found] == NAMES[1 : len(plan.systems)]
        for place, each in enumerate(found):
            mean, half = analysed.means[study, place], analysed.halves[study, place]
            assert each.alone_low is not None and each.alone_high is not None
            assert math.isclose(math.log(each.alone_low), mean + planted - half, abs_tol=1e-9)
            assert math.isclose(math.log(each.alone_high), mean + planted + half, abs_tol=1e-9)
            if not planted:
                different = each.verdict in ("better", "worse")
                assert different == analysed.different[study, place]


def judged_in(tree: Any) -> Iterator[dict[str, Any]]:
    """Every ratio with a verdict in a report.json, wherever a kind keeps it."""
    if isinstance(tree, dict):
        if {"ratio", "low", "high", "verdict"} <= tree.keys():
            yield tree
        for value in tree.values():
            yield from judged_in(value)
    elif isinstance(tree, list | tuple):
        for value in tree:
            yield from judged_in(value)
