"""Variances that few blocks know badly, and the words for a misfit."""

from __future__ import annotations

import numpy as np
import pytest

from fsgauge.stats.scaling import usl

WRITERS = np.array([1, 2, 4, 8, 16, 32], dtype=np.float64)


def test_what_a_block_does_to_all_its_runs_is_no_variance() -> None:
    logs = np.log(usl.throughput(WRITERS, np.array([1000, 0.05, 0.001])))
    blocks = logs + np.linspace(-1, 1, 8)[:, None]
    assert usl.variances(blocks) == pytest.approx(np.zeros(6), abs=1e-9)


def test_variances_are_found_and_drawn_together() -> None:
    """Twice the noise at the last count: with 1000 blocks it is seen, with 5 mostly not."""
    chance = np.random.default_rng(1)
    deviations = np.array([0.05] * 5 + [0.1])
    many = usl.variances(chance.normal(0, 1, (1000, 6)) * deviations)
    assert many[-1] / many[0] > 2.5
    few = usl.variances(chance.normal(0, 1, (5, 6)) * deviations)
    assert few.max() / few.min() < (usl.SHARED_FREEDOM + 4 * 6) / usl.SHARED_FREEDOM


@pytest.mark.parametrize(
    ("bend", "refused"), [(usl.RELEVANT_RESIDUAL / 2, False), (4 * usl.RELEVANT_RESIDUAL, True)]
)
def test_a_bend_is_refused_where_it_matters(bend: float, refused: bool) -> None:
    logs = np.log(usl.throughput(WRITERS, np.array([1000, 0.05, 0.001])))
    logs = logs + np.where(WRITERS == 4, bend, 0.0)
    blocks = logs + np.random.default_rng(2).normal(0, 0.002, (8, 6))
    best = usl.fit(WRITERS, blocks.mean(axis=0)[None], 8 / usl.variances(blocks))[0]
    assert bool(usl.misfit(WRITERS, blocks, best).reason) == refused


def test_a_rate_that_grows_faster_than_the_writers_is_no_such_law() -> None:
    logs = np.log(1000 * WRITERS**1.3)
    blocks = logs + np.random.default_rng(3).normal(0, 0.02, (8, 6))
    best = usl.fit(WRITERS, blocks.mean(axis=0)[None], 8 / usl.variances(blocks))[0]
    assert "best curve" in usl.misfit(WRITERS, blocks, best).reason
