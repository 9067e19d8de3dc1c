"""Planted rates come out relative to each turn's own clean rate, with honest verdicts."""

from __future__ import annotations

import pytest

from fsgauge.kinds.aging.analysis.model import Aging
from tests.synthetic_aging import BASELINE, MEBIBYTE, kept, make_aging

LEVELS = (5, 25, 100)


def aging_of(**changes: object) -> Aging:
    found = make_aging(**{"levels": LEVELS, "maps": False, **changes}).results().own
    assert found is not None
    return found


@pytest.fixture(scope="module")
def aging() -> Aging:
    return aging_of()


def test_planted_shares_lie_in_their_intervals(aging: Aging) -> None:
    inside = 0
    for line in aging.lines:
        chunk = aging.chunks[line.system]
        for point in line.points[1:]:
            assert chunk and point.relative and point.relative.low and point.relative.high
            truth = kept(chunk, point.free_percent or 0, line.side)
            assert point.relative.value == pytest.approx(truth, rel=0.06)
            inside += point.relative.low * 0.995 < truth < point.relative.high * 1.005
    assert inside >= 20  # of 24, of which 95 % are expected


def test_the_clean_point_comes_first_and_has_no_share(aging: Aging) -> None:
    for line in aging.lines:
        assert [point.free_percent for point in line.points] == [None, *LEVELS]
        assert line.points[0].relative is None and line.points[0].verdict is None


def test_large_losses_are_worse_and_none_at_the_end_is(aging: Aging) -> None:
    line = aging.line(BASELINE, "write")
    assert line is not None and line.lost_at == [5, 25] and line.whole_from == 100
    point = line.at(5)
    assert point is not None and point.verdict == "worse"


def test_nothing_lost_is_always_whole() -> None:
    aging = aging_of(kept=lambda chunk, free, side: 1.0, seed=4)
    assert all(line.lost_at == [] for line in aging.lines)
    assert all(line.whole_from == 5 for line in aging.lines)


def test_what_is_slow_to_the_end_is_never_whole() -> None:
    aging = aging_of(kept=lambda chunk, free, side: 0.5)
    assert all(line.lost_at == list(LEVELS) and line.whole_from is None for line in aging.lines)


def test_shares_are_of_the_same_turn() -> None:
    """A rate that differs between turns as a whole leaves them alone."""
    calm = aging_of(noise=0.0)
    for line in calm.lines:
        for point in line.points[1:]:
            truth = kept(calm.chunks[line.system] or 0, point.free_percent or 0, line.side)
            assert point.relative is not None
            assert point.relative.value == pytest.approx(truth, rel=1e-3)


def test_noise_is_of_shares_too(aging: Aging) -> None:
    for noise in aging.noise.values():
        assert noise.low and noise.high and noise.low < 1.0 < noise.high


def test_a_run_that_failed_leaves_its_level_out() -> None:
    aging = aging_of(
        faults=lambda turn, cell: turn.system == BASELINE and cell.id == "free-05-write"
    )
    line = aging.line(BASELINE, "write")
    assert line is not None and line.at(5) is None and line.at(25) is not None


def test_another_study_has_none() -> None:
    from tests.synthetic_connections import make_connections

    assert Aging.of(make_connections(clients=4, blocks=1).results()) is None


def test_its_rates_are_judged_by_bandwidth() -> None:
    results = make_aging(levels=(5,), blocks=3, maps=False).results()
    assert set(results.primary_metrics.values()) == {"bandwidth"}
    assert results.primary_cells == ["free-05-write", "free-05-read"]
    assert "At 5 % free, writes keep 6" in results.answer
    assert results.sureness.valid and 8 * MEBIBYTE in (results.own.chunks.values())  # type: ignore[union-attr]
