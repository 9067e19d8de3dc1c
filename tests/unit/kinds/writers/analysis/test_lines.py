"""Whole writers studies with planted laws: points, groups, limits and companions."""

from __future__ import annotations

from typing import Any

import pytest

from fsgauge.engine.wire import Companion
from fsgauge.kinds.writers.analysis.model import Scaling, ScalingLine, ScalingPoint
from fsgauge.kinds.writers.factors import WritersFactors
from fsgauge.stats import Results, read_study
from fsgauge.stats.estimate import Estimate
from tests.synthetic import make_study
from tests.synthetic_writers import LAWS, PASS_OPERATIONS, law, make_writers


def scaling(**changes: Any) -> Scaling:
    found = make_writers(**changes).results().own
    assert found is not None
    return found


def line(found: Scaling, system: str, group: str = "") -> ScalingLine:
    return next(one for one in found.lines if (one.system, one.group) == (system, group))


def point(found: Scaling, system: str, writers: int) -> ScalingPoint:
    return next(one for one in line(found, system).points if one.writers == writers)


def value(estimate: Estimate | None) -> float:
    assert estimate is not None
    return estimate.value


def test_a_study_of_another_kind_has_no_scaling() -> None:
    study = make_study(patterns=("write",), block_sizes=(4096,), queue_depths=(1,))
    assert study.results().own is None


def test_change_and_efficiency_are_ratios_inside_blocks() -> None:
    """Blocks differ by 30 %; inside of one there is no noise, so the interval is a point."""
    found = scaling(noise=0.0, block_noise=0.3, writers=(1, 2, 4))
    for system, coefficients in LAWS.items():
        for writers in (2, 4):
            truth = law(*coefficients, writers) / law(*coefficients, 1)
            one = point(found, system, writers)
            assert value(one.change) == pytest.approx(truth, rel=1e-6)
            assert one.change is not None and one.change.low == pytest.approx(truth, rel=1e-6)
            assert value(one.efficiency) == pytest.approx(truth / writers, rel=1e-6)
            assert one.iops is not None and one.iops.low is not None
            assert one.iops.low < 0.95 * one.iops.value


def test_the_fewest_need_not_be_one() -> None:
    found = scaling(noise=0.0, writers=(2, 8))
    truth = law(*LAWS["xfs"], 8) / law(*LAWS["xfs"], 2)
    assert value(point(found, "xfs", 8).efficiency) == pytest.approx(truth / 4, rel=1e-6)


def test_the_fewest_have_nothing_to_be_compared_with() -> None:
    one = point(scaling(), "xfs", 1)
    assert one.change is None and one.efficiency is None and one.fairness is None


def test_the_rate_counts_all_writes_until_the_last_writer_ended() -> None:
    study = make_writers(noise=0.0, block_noise=0.0, slowest=lambda turn, cell: 0.6)
    run = next(run for run in study.runs if WritersFactors.of(run.cell).writers == 2)
    assert run.result is not None
    slowest_ns = max(job.elapsed_ns or 0 for job in run.result.jobs)
    assert slowest_ns == run.result.elapsed_ns
    expected = 2 * PASS_OPERATIONS * 1e9 / slowest_ns
    found = study.results().own
    assert found is not None
    assert value(point(found, run.system, 2).iops) == pytest.approx(expected, rel=1e-6)


def test_the_baselines_rate_in_a_block_is_the_mean_of_its_two_turns() -> None:
    found = scaling(blocks=5)
    assert [block for block, _ in point(found, "raw", 1).blocks] == list(range(5))
    assert value(point(found, "raw", 1).iops) > 0


def test_the_share_of_the_device_is_taken_in_the_same_block() -> None:
    found = scaling(noise=0.0, block_noise=0.3)
    assert found.device == "raw"
    truth = law(*LAWS["xfs"], 2) / law(*LAWS["raw"], 2)
    share = point(found, "xfs", 2).of_device
    assert share is not None and share.low == pytest.approx(truth, rel=1e-6)
    assert point(found, "raw", 2).of_device is None


def test_without_a_raw_system_there_is_no_device() -> None:
    found = scaling(systems={"ext4": "ext4", "xfs": "xfs"})
    assert found.device is None and point(found, "xfs", 2).of_device is None


def test_latencies_of_writes_are_there_where_ten_samples_lie_beyond() -> None:
    one = point(scaling(), "ext4", 2)
    assert value(one.p50_ns) < value(one.p99_ns) <= value(one.p999_ns)


def test_the_best_number_is_a_measured_one_inside_the_range() -> None:
    rates = {1: 1000.0, 2: 1500.0, 4: 1200.0}
    found = scaling(writers=(1, 2, 4), rate=lambda system, n: rates[n])
    assert line(found, "xfs").best_writers == 2
    assert line(scaling(writers=(1, 2, 4)), "raw").best_writers is None


def test_six_numbers_of_writers_give_the_law() -> None:
    found = scaling(writers=(1, 2, 4, 8, 16, 32))
    fit = line(found, "xfs").fit
    assert fit.state == "fits" and fit.contention is not None
    assert fit.contention.value == pytest.approx(LAWS["xfs"][1], rel=0.2)


def test_lay_out_rates() -> None:
    found = scaling(layout_rate={"ext4": 400e6, "xfs": 800e6})
    assert value(line(found, "ext4").layout_rate) == pytest.approx(400e6)
    assert value(line(found, "xfs").layout_rate) == pytest.approx(800e6)


def test_limits_are_those_of_each_number_of_writers() -> None:
    limits = scaling(writers=(1, 4)).limits
    assert [one.writers for one in limits] == [1, 4]
    assert limits[1].null == pytest.approx(16e6)
    assert limits[1].memory == pytest.approx(24e5)
    assert limits[1].memory_touched == pytest.approx(24e4)
    assert scaling(limits=False).limits == []


def test_what_varies_beside_the_writers_makes_groups() -> None:
    found = scaling(ranges=("shared", "segmented"), direct=(True, False))
    assert list(dict.fromkeys(one.group for one in found.lines)) == [
        "shared, direct",
        "shared, buffered",
        "segmented, direct",
        "segmented, buffered",
    ]
    assert {one.writers for one in line(found, "xfs", "shared, direct").points} == {1, 2}
    assert len(found.lines) == 4 * 3


def test_those_beside_the_writers() -> None:
    reader = Companion(role="reader", count=2, block_size_bytes=8192)
    rows = scaling(companions=[reader]).companions
    assert {(row.system, row.writers, row.role) for row in rows} == {
        (system, writers, "reader") for system in LAWS for writers in (1, 2)
    }
    assert rows[0].iops.value == pytest.approx(600, rel=0.01)
    assert value(rows[0].p50_ns) == pytest.approx(100_000, rel=0.01)
    assert scaling().companions == []


def test_a_block_that_lacks_a_run_is_left_out_of_that_point_alone() -> None:
    study = make_writers()
    runs = [
        run
        for run in study.runs
        if (run.block, run.system, WritersFactors.of(run.cell).writers) != (3, "xfs", 2)
    ]
    found = read_study(study.turns, runs, study.study, study.before).own
    assert found is not None
    assert [block for block, _ in point(found, "xfs", 2).blocks] == [0, 1, 2, 4, 5, 6, 7]
    assert point(found, "xfs", 2).change is not None
    assert len(point(found, "xfs", 1).blocks) == len(point(found, "ext4", 2).blocks) == 8


def test_a_study_that_has_not_begun_can_be_read() -> None:
    study = make_writers()
    results = read_study([], [], study.study, study.before)
    assert results.own is not None and results.own.device is None
    assert all(one.iops is None for each in results.own.lines for one in each.points)
    assert results.answer.startswith("No answer")


def test_results_survive_being_stored() -> None:
    results = make_writers(writers=(1, 2, 4, 8, 16, 32)).results()
    assert Results.model_validate_json(results.model_dump_json()) == results


def test_runs_that_passes_end_are_whole_and_counted_apart() -> None:
    sure = make_writers().results().sureness
    assert sure.runs_by_passes == sure.runs_complete == sure.runs_planned == 64
    assert sure.runs_judged_steady == 0 and sure.blocks_complete == 8
