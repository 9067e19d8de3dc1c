"""Steps of one series: edges of the method. Rates of errors are in tests/known."""

from __future__ import annotations

import pytest

from fsgauge.stats.folders.change_points import FEWEST, apart, change_points

WOBBLE = [0.001, -0.002, 0.002, -0.001, 0.0015, -0.0015]


def test_too_few_folders_have_no_steps() -> None:
    assert change_points([0.0, 0.001, 0.5, 0.501, 0.5][: FEWEST - 1]) == []


def test_equal_values_have_no_steps() -> None:
    assert change_points([0.3] * 12) == []


def test_a_step_is_the_new_level_over_the_old_one() -> None:
    (step,) = change_points([*WOBBLE, *(value - 0.1 for value in WOBBLE)])
    assert step.index == 6
    assert step.ratio.ratio == pytest.approx(0.9048, abs=0.001)
    assert step.ratio.low is not None and step.ratio.high is not None
    assert step.ratio.low < step.ratio.ratio < step.ratio.high < 1


def test_one_bad_folder_is_no_level() -> None:
    logs = [*WOBBLE, *WOBBLE]
    logs[5] -= 0.1
    assert change_points(logs) == []


@pytest.mark.parametrize("bad", [0, 2, 8, 11])
@pytest.mark.parametrize("by", [-0.7, 0.7])
def test_one_bad_folder_hides_no_step(bad: int, by: float) -> None:
    """It widened the noise until a step of 15 % was none."""
    logs = [*WOBBLE, *(value - 0.16 for value in WOBBLE)]
    (there,) = change_points(logs)
    logs[bad] += by
    (step,) = change_points(logs)
    assert step.index == there.index == 6
    assert step.ratio.ratio == pytest.approx(there.ratio.ratio, rel=0.01)
    assert [place for place, is_apart in enumerate(apart(logs)) if is_apart] == [bad]


def test_three_folders_are_a_level_and_two_are_not() -> None:
    for long, lie_apart in ((2, 2), (3, 0)):
        logs = [*WOBBLE, *(value - 0.7 for value in WOBBLE[:long]), *WOBBLE]
        assert sum(apart(logs)) == lie_apart


def test_few_folders_or_equal_ones_do_not_lie_apart() -> None:
    assert not any(apart([0.0, 0.0, 0.0, 0.0, 0.7]))
    assert not any(apart([0.3] * 12))


def test_the_same_folders_give_the_same_steps_and_backwards_the_mirrored_ones() -> None:
    logs = [*WOBBLE, *(value - 0.1 for value in WOBBLE), *WOBBLE]
    forwards = [step.index for step in change_points(logs)]
    backwards = [step.index for step in change_points(logs[::-1])]
    assert forwards == [6, 12]
    assert backwards == [len(logs) - place for place in reversed(forwards)]
    assert forwards == [step.index for step in change_points([value + 5 for value in logs])]


def test_more_series_ask_for_more_evidence() -> None:
    logs = [0.01, -0.02, 0.02, -0.01, 0.00, 0.07, 0.09, 0.06, 0.08, 0.07]
    assert change_points(logs)
    assert change_points(logs, series=100_000) == []


@pytest.mark.parametrize(
    ("step", "reach", "found"), [(0.012, 0.0, 1), (0.012, 0.007, 0), (0.05, 0.007, 1)]
)
def test_a_percentile_that_crosses_the_edge_of_a_bucket_has_not_taken_a_step(
    step: float, reach: float, found: int
) -> None:
    """All folders lay in one bucket, then all in the next: the truth may have moved by nothing."""
    logs = [1e-4 * (-1) ** day + (step if day >= 6 else 0.0) for day in range(12)]
    assert len(change_points(logs, reach=reach)) == found
