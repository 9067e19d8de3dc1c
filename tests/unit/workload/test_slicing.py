"""How series are cut: a judgement of steadiness needs ten intervals, however short the run."""

import pytest

from fsgauge.workload.slicing import interval_ns, interval_of_work_ns

MS = 1_000_000


@pytest.mark.parametrize(
    ("duration_ms", "interval_ms"),
    [(600, 50), (1000, 50), (2000, 100), (10_000, 500), (60_000, 1000), (400, 33.3), (240, 20)],
)
def test_a_run_has_twenty_intervals_and_a_short_one_twelve(
    duration_ms: int, interval_ms: float
) -> None:
    assert interval_ns(duration_ms * MS) == pytest.approx(interval_ms * MS, rel=0.01)


@pytest.mark.parametrize("duration_ms", [130, 200, 300, 400, 500, 700, 1000])
def test_there_are_enough_to_judge_steadiness(duration_ms: int) -> None:
    assert duration_ms * MS // interval_ns(duration_ms * MS) >= 12


def test_no_interval_is_shorter_than_a_study_may_ask_for() -> None:
    assert interval_ns(20 * MS) == 10 * MS


def test_a_run_that_ends_with_its_work_has_no_more_intervals_than_a_page_draws() -> None:
    assert interval_of_work_ns(60_000 * MS) == 100 * MS
    assert interval_of_work_ns(3_600_000 * MS) == 600 * MS
