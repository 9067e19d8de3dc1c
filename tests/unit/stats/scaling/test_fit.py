"""When the law is fitted, when it is refused, and what is said then."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest

from fsgauge.stats.scaling.fit import REACH, REFITS, fit_law, peak_of
from fsgauge.stats.scaling.model import UslFit

MIXED = (1, 2, 4, 8, 16, 32)


def rates(
    values: dict[int, float], blocks: int = 8, noise: float = 0.01, seed: int = 1
) -> dict[int, dict[int, float]]:
    chance = np.random.default_rng(seed)
    return {
        writers: {block: math.log(value) + chance.normal(0, noise) for block in range(blocks)}
        for writers, value in values.items()
    }


def law(contention: float, coherency: float, writers: tuple[int, ...] = MIXED) -> dict[int, float]:
    return {n: 1000 * n / (1 + contention * (n - 1) + coherency * n * (n - 1)) for n in writers}


def test_five_numbers_of_writers_are_too_few() -> None:
    found = fit_law(rates(law(0.05, 0.002, MIXED[:5])))
    assert found.state == "too few counts" and "5 numbers" in found.reason
    assert found.rate is None and found.curve == []


def test_a_number_without_a_run_does_not_count() -> None:
    assert fit_law({**rates(law(0.05, 0, MIXED[:5])), 32: {}}).state == "too few counts"


def test_four_blocks_are_too_few() -> None:
    found = fit_law(rates(law(0.05, 0.002), blocks=4))
    assert found.state == "too few blocks" and found.rate is None


def test_only_whole_blocks_count() -> None:
    logs = rates(law(0.05, 0.002))
    del logs[4][2]
    found = fit_law(logs)
    assert found.rate is not None and found.rate.n == 7


def test_a_fit_has_intervals_residuals_and_a_curve_to_draw() -> None:
    found = fit_law(rates(law(0.05, 0.002)))
    assert found.state == "fits"
    for estimate, truth in ((found.rate, 1000), (found.contention, 0.05), (found.coherency, 0.002)):
        assert estimate is not None and estimate.low is not None and estimate.high is not None
        assert estimate.low <= truth <= estimate.high
    assert found.residual_deviation is not None and found.largest_residual is not None
    assert 0 < found.residual_deviation <= found.largest_residual < 0.03
    places = [row[0] for row in found.curve]
    assert places == sorted(places) and set(MIXED) <= set(places)
    assert (places[0], places[-1]) == (1, 32 * REACH)
    assert all(low <= value <= high for _, value, low, high in found.curve)
    assert UslFit.model_validate_json(found.model_dump_json()) == found


def test_a_peak_is_named_inside_one_and_a_half_times_the_range() -> None:
    found = fit_law(rates(law(0.05, 0.002)))
    assert found.peak_at is not None
    assert found.peak_at.value == pytest.approx(math.sqrt(0.95 / 0.002), rel=0.1)
    far = fit_law(rates(law(0.05, 0.0002)))
    assert far.state == "fits" and far.peak_at is None


def test_a_ceiling_is_called_saturation() -> None:
    found = fit_law(rates({n: 1000.0 * min(n, 8) for n in MIXED}))
    assert found.state == "does not fit"
    assert "ceiling" in found.reason and "not contention" in found.reason
    assert found.rate is None and found.peak_at is None and found.curve == []
    assert found.largest_residual is not None and found.largest_residual > 0.03


def test_another_misfit_names_the_place() -> None:
    values = law(0.05, 0.002)
    values[8] *= 1.3
    found = fit_law(rates(values), of="hosts")
    assert found.state == "does not fit" and "at 8 hosts" in found.reason


def test_rates_that_do_not_grow_are_contention() -> None:
    found = fit_law(rates(law(1.0, 0.0)))
    assert found.state == "fits" and found.contention is not None
    assert found.contention.value == pytest.approx(1.0, abs=0.05)


def test_the_same_rates_give_the_same_fit() -> None:
    logs = rates(law(0.05, 0.002))
    assert fit_law(logs) == fit_law(logs)


def test_the_unit_of_the_rate_changes_nothing_else() -> None:
    one = fit_law(rates(law(0.05, 0.002)))
    other = fit_law(rates({n: 1e4 * value for n, value in law(0.05, 0.002).items()}))
    assert one.contention is not None and other.contention is not None
    assert one.rate is not None and other.rate is not None
    assert other.contention.value == pytest.approx(one.contention.value)
    assert other.contention.high == pytest.approx(one.contention.high)
    assert other.rate.value == pytest.approx(1e4 * one.rate.value)


def test_without_any_noise_it_still_answers() -> None:
    found = fit_law(rates(law(0.05, 0.002), noise=0.0))
    assert found.state == "fits" and found.rate is not None
    assert found.rate.low == pytest.approx(1000) == found.rate.high


def test_peaks() -> None:
    coefficients = np.array([[1, 0.0, 0.01], [1, 0.19, 0.01], [1, 0.5, 0.0], [1, 1.5, 0.1]])
    assert list(peak_of(coefficients)) == pytest.approx([10, 9, math.inf, 1])


@pytest.mark.alone
def test_five_systems_of_twenty_blocks_are_quick() -> None:
    """Least of three: the machine may be busy."""
    assert REFITS >= 1000
    logs = rates(law(0.05, 0.002, (1, 2, 4, 8, 12, 16, 24, 32)), blocks=20)
    times = []
    for _ in range(3):
        begin = time.monotonic()
        for _ in range(5):
            fit_law(logs)
        times.append(time.monotonic() - begin)
        if times[-1] < 3:
            return
    pytest.fail(f"five fits took {min(times):.1f} s")
