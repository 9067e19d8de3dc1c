"""Known answers of the robust second line: its interval holds the truth, and a burst does not move
it. Studies are planned by the plan; values are logs of runs, the baseline twice in each block.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from fsgauge.record.records import Plan
from fsgauge.stats.compare import compare_all
from fsgauge.stats.results import Comparison
from fsgauge.stats.robust import differs, fitted
from fsgauge.stats.samples import Samples
from tests.known.noise_models import MODELS
from tests.known.simulated_studies import NAMES, orders, plans

STUDIES = 600
PLANTED = math.log(0.9)


def values_of(noise: str, systems: int, blocks: int, studies: int) -> np.ndarray:
    """Logs [study, block, run] of equal systems: the systems, then the baseline's twin."""
    model = next(model for model in MODELS if model.name == noise)
    turns = model.logs(5 * blocks + systems, studies, blocks, systems + 1)
    places = np.resize(orders(systems, blocks), (studies, blocks, systems + 1))
    return np.take_along_axis(turns, places, axis=2)


def covered(values: np.ndarray) -> float:
    """The share of all intervals that hold the truth, of equal systems."""
    from scipy.special import stdtrit

    blocks, runs = values.shape[1:]
    systems = [*range(runs - 1), 0]
    inside = []
    for logs in values:
        fit = fitted(np.repeat(range(blocks), runs).tolist(), systems * blocks, logs.ravel())
        assert fit.errors is not None
        inside.append(np.abs(fit.effects) <= stdtrit(fit.freedom, 0.975) * fit.errors)
    return float(np.mean(inside))


@pytest.mark.parametrize("blocks", [3, 5, 8, 20])
@pytest.mark.parametrize("systems", [2, 4])
@pytest.mark.parametrize("noise", ["sd 5 %", "single bursts"])
def test_its_interval_holds_the_truth(noise: str, systems: int, blocks: int) -> None:
    assert 0.91 <= covered(values_of(noise, systems, blocks, STUDIES)) <= 0.985


def comparisons(plan: Plan, values: np.ndarray) -> list[Comparison]:
    """The public way, with a planted ratio of 0.9 of each system."""
    samples = Samples(plan)
    for turn in plan.turns:
        column = len(plan.systems) if turn.again else NAMES.index(turn.system)
        effect = 0.0 if turn.system == plan.baseline else PLANTED
        samples.put("iops", plan.cells[0].id, turn, float(values[turn.block, column]) + effect)
    return compare_all(samples, [plan.cells[0].id], 3.0)


def width(low: float | None, high: float | None) -> float:
    assert low is not None and high is not None
    return math.log(high / low)


@pytest.mark.parametrize("systems", [2, 4])
def test_one_burst_moves_the_main_interval_and_not_the_robust_one(systems: int) -> None:
    """One run of eight of the second system is at a third of its rate."""
    widths, moved, robustly_moved = [], [], []
    for study, calm in enumerate(values_of("sd 2 %", systems, 8, 40)):
        plan = plans(systems, 8)[study]
        burst = calm.copy()
        burst[3, 1] += math.log(1 / 3)
        before, after = comparisons(plan, calm)[0], comparisons(plan, burst)[0]
        assert 3 in after.robust_light and differs(after)
        moved.append(abs(math.log(after.ratio / before.ratio)))
        robustly_moved.append(abs(math.log(after.robust_ratio / before.robust_ratio)))
        widths.append(
            width(after.robust_low, after.robust_high) / width(after.alone_low, after.alone_high)
        )
        assert after.verdict == "undecided", "the robust line never decides"
        assert after.robust_high is not None and after.robust_high < 1
    assert min(moved) > 0.12
    assert max(robustly_moved) < 0.02
    assert max(widths) < 0.25


def test_without_runs_far_off_there_is_hardly_ever_a_second_line() -> None:
    shown = [
        differs(entry)
        for study, values in enumerate(values_of("sd 5 %", 4, 8, 150))
        for entry in comparisons(plans(4, 8)[study], values)
    ]
    assert np.mean(shown) <= 0.03


def test_a_system_that_stalls_by_itself_is_not_called_fast() -> None:
    """It is at a third of its rate in two of eight blocks: the verdict's ratio says so."""
    values = values_of("sd 2 %", 2, 8, 1)[0]
    values[[1, 6], 1] += math.log(1 / 3)
    (entry,) = comparisons(plans(2, 8)[0], values)
    assert entry.ratio < 0.75 and entry.robust_ratio > 0.85
