"""Known answers: load curves of queues whose rate at the limit is known.

Size: 16 studies a case, seeded. Of intervals that promise 95 %, so many hold their truth that fewer
are found in one of a thousand such cases.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping

import pytest

from fsgauge.stats import Results
from fsgauge.stats.curve.model import Capacity, CurveResults
from tests.synthetic_curve import QUEUES, Queue, make_curve

STUDIES = 16
LOAD = "randread-4KiB-depth32"
FEWEST = 13
"""Of 16 that are held with 95 % each: P(fewer) is below 0.001."""
CASES: dict[str, tuple[Mapping[str, Queue], float]] = {
    "a little faster": (QUEUES, 0.1),
    "later knee": ({"ext4": Queue(50_000.0), "xfs": Queue(50_000.0, 2.0)}, 0.1),
    "beyond the steps": ({"ext4": Queue(50_000.0), "xfs": Queue(120_000.0)}, 0.1),
    "noisy tails": (QUEUES, 0.3),
}


def capacity(results: Results, system: str) -> Capacity:
    found = CurveResults.of(results)
    assert found is not None
    each = found.capacity(LOAD, system)
    assert each is not None
    return each


@pytest.mark.parametrize("case", CASES)
def test_rates_and_ratios_are_recovered_within_their_intervals(case: str) -> None:
    queues, p99_noise = CASES[case]
    held, logs = {"ext4": 0, "xfs": 0, "ratio": 0}, []
    for seed in range(STUDIES):
        results = make_curve(queues, seed=seed, p99_noise=p99_noise).results()
        for system, queue in queues.items():
            number = capacity(results, system).number
            assert number is not None and number.low is not None and number.high is not None
            held[system] += number.low <= queue.limit() <= number.high
            logs.append(math.log(number.value / queue.limit()))
        (ratio,) = results.comparisons
        assert ratio.low is not None and ratio.high is not None
        held["ratio"] += ratio.low <= queues["xfs"].limit() / queues["ext4"].limit() <= ratio.high
    assert min(held.values()) >= FEWEST, held
    assert abs(statistics.fmean(logs)) < 0.02


def test_of_equal_systems_no_difference_is_claimed() -> None:
    equal = {"ext4": Queue(50_000.0), "xfs": Queue(50_000.0)}
    decided = 0
    for seed in range(STUDIES):
        (ratio,) = make_curve(equal, seed=seed).results().comparisons
        decided += ratio.verdict in ("better", "worse")
    assert decided <= 3  # of 16 at 5 %: more in fewer than one of 100


def test_one_stalled_run_does_not_move_the_rate() -> None:
    """At the second step of block 3 a run has a p99 fifty times as long."""

    def stalls(place: object) -> bool:
        return getattr(place, "block", 0) == 3 and "step2" in str(getattr(place, "cell", ""))

    calm = capacity(make_curve(QUEUES).results(), "xfs").number
    stalled = {**QUEUES, "xfs": Queue(54_000.0, stalls=stalls)}
    moved = capacity(make_curve(stalled).results(), "xfs").number
    assert calm is not None and moved is not None
    assert moved.value == pytest.approx(calm.value, rel=0.03)


def test_above_the_limit_from_the_first_rate_on_nothing_is_served() -> None:
    results = make_curve({"ext4": Queue(50_000.0), "xfs": Queue(30_000.0, 6.0)}).results()
    found = capacity(results, "xfs")
    assert (found.state, found.number) == ("less than", None)
    assert results.comparisons == []
    assert "On xfs even 600 IOPS have a p99 of " in results.answer
    assert "nothing is served below 5 ms. Next, lower rates: --set workload.duration=8s." in (
        results.answer
    )
    assert "curve.first_over" in {each.code for each in results.findings}


def test_a_limit_that_is_never_reached_is_a_bound_and_no_sample() -> None:
    """The engine's own pace ends below the limit of xfs."""
    offered = {"ext4": Queue(50_000.0), "xfs": Queue(200_000.0, offers=60_000.0)}
    results = make_curve(offered).results()
    found = capacity(results, "xfs")
    assert (found.state, found.number, found.limited_by) == ("at least", None, "engine")
    assert found.bound is not None and 40_000 < found.bound <= 60_000
    assert results.comparisons == []
    assert "xfs serves at least" in results.answer
    codes = {each.code for each in results.findings}
    assert {"curve.unreached", "curve.not_offered"} <= codes
