"""The distance of two distributions, and what is compared with what."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsgauge.age.wearing import Fidelity, Order, Worn, distance, measure_fidelity
from fsgauge.engine.wire import LengthBin
from fsgauge.errors import InputError
from tests.age_example import ORDER, aged
from tests.scan_example import example


def bins(**size_bytes: int) -> list[LengthBin]:
    """k12=5: 5 bytes in extents from 2^12."""
    return [
        LengthBin(at_least_bytes=1 << int(name[1:]), extents=1, size_bytes=size)
        for name, size in size_bytes.items()
    ]


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (bins(k12=5, k20=5), bins(k12=50, k20=50), 0.0),
        (bins(k12=1), bins(k20=1), 1.0),
        (bins(k12=25, k16=25, k20=50), bins(k16=75, k20=25), 0.25),
        (bins(k20=50, k12=50), bins(k12=60, k20=40), 0.1),
        ([], bins(k12=1), None),
        (bins(k12=0), bins(k12=1), None),
    ],
)
def test_the_distance_is_the_largest_gap(
    first: list[LengthBin], second: list[LengthBin], expected: float | None
) -> None:
    assert distance(first, second) == pytest.approx(expected)
    assert distance(second, first) == pytest.approx(expected)


def test_the_floor_is_the_same_log_written_again(tmp_path: Path) -> None:
    """Shares of bytes below 1 MiB: fast 0.2; written 0.5, again 0.53, with the next seed 0.6."""
    small = {("fast", 1): [20], ("write", 1): [50, 53], ("write", 2): [60]}

    def wear(order: Order) -> Worn:
        below = small[order.mode, order.seed].pop(0)
        lengths = [each.model_dump() for each in bins(k12=below, k20=100 - below)]
        after = example(extent_lengths=lengths)
        return Worn(example(), aged(tmp_path), after)

    found = measure_fidelity(ORDER, 1 << 29, wear)
    assert isinstance(found, Fidelity)
    assert found.extent_length_distance == pytest.approx(0.3)
    assert found.extent_length_floor == pytest.approx(0.03)
    assert found.extent_length_other_seed == pytest.approx(0.1)
    assert (found.free_length_distance, found.seeds) == (0.0, (1, 2))


def test_what_did_not_come_to_its_end_is_not_measured(tmp_path: Path) -> None:
    def early(_: Order) -> Worn:
        return Worn(example(), aged(tmp_path, behaviour="no space"), example())

    def refused(_: Order) -> Worn:
        raise InputError("too small for the profile")

    assert "did not complete" in str(measure_fidelity(ORDER, 1 << 29, early))
    assert "too small for the profile" in str(measure_fidelity(ORDER, 1 << 29, refused))
