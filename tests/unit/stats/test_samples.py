"""Which runs become samples, and what a block has of a cell."""

from __future__ import annotations

import math
from typing import Any

import pytest

from fsgauge.record.records import RunRecord
from fsgauge.stats.compare import measure_all
from fsgauge.stats.histogram import merge, quantile_ns
from fsgauge.stats.metrics import latencies
from fsgauge.stats.samples import Samples, collect, complete_blocks, is_complete, whole_blocks
from tests.synthetic import SyntheticStudy, make_study
from tests.synthetic.setting import with_result
from tests.unit.stats.one_run import ONE_CELL, result_of, tampered

CELL = {**ONE_CELL, "blocks": 3}


@pytest.fixture(scope="module")
def study() -> SyntheticStudy:
    """Three blocks of one cell."""
    return make_study(**CELL)


def changed(run: RunRecord, **changes: Any) -> RunRecord:
    """The same with other values in what its machine measured."""
    return with_result(run, tampered(run, **changes))


def cut_short(run: RunRecord) -> RunRecord:
    return changed(run, ended="interrupted")


def value(samples: Samples, run: RunRecord) -> float | None:
    return samples.of("iops", run.cell.id, run.system).get((run.block, run.again))


def test_a_run_is_a_sample_of_its_own_place(study: SyntheticStudy) -> None:
    samples = collect(study.study.plan, study.runs)
    for run in study.runs:
        result = result_of(run)
        rate = result.read.operations * 1e9 / result.elapsed_ns if result.read else 0.0
        assert value(samples, run) == pytest.approx(math.log(rate))


def test_a_run_that_was_interrupted_is_none(study: SyntheticStudy) -> None:
    """What an interrupted run did until then says nothing of its window."""
    first, *rest = study.runs
    assert is_complete(first) and not is_complete(cut_short(first))
    samples = collect(study.study.plan, [cut_short(first), *rest])
    assert value(samples, first) is None
    assert all(value(samples, run) is not None for run in rest)


def test_numbers_of_runs_are_put_as_logs_or_as_they_are(study: SyntheticStudy) -> None:
    first, *rest = study.runs
    samples, runs = collect(study.study.plan, study.runs).beside(), [cut_short(first), *rest]
    assert samples.put_runs(runs, lambda _: [("twos", 2.0)]) is samples
    samples.put_runs(runs, lambda run: [("block", run.block)], float)
    for run in rest:
        place = (run.cell.id, run.system)
        assert samples.of("twos", *place)[run.block, run.again] == math.log(2)
        assert samples.of("block", *place)[run.block, run.again] == run.block
    lost = samples.of("twos", first.cell.id, first.system)
    assert (first.block, first.again) not in lost


@pytest.mark.parametrize("change", ["interrupted", "failed", "missing"])
def test_a_block_that_lacks_a_run_is_not_whole(study: SyntheticStudy, change: str) -> None:
    plan, runs = study.study.plan, list(study.runs)
    lacking = next(run for run in runs if run.block == 1)
    others = [run for run in runs if run is not lacking]
    match change:
        case "interrupted":
            others.append(cut_short(lacking))
        case "failed":
            others.append(lacking.model_copy(update={"parts": []}))
    samples = collect(plan, others)
    cells = [cell.id for cell in plan.cells]
    assert whole_blocks(plan, runs, cells) == [0, 1, 2]
    assert whole_blocks(plan, filter(is_complete, others), cells) == [0, 2]
    assert complete_blocks(samples, others) == 2
    assert sorted(samples.block_logs("iops", lacking.cell.id, lacking.system)) == [0, 2]


def test_the_baselines_block_is_the_mean_of_its_two_turns(study: SyntheticStudy) -> None:
    plan = study.study.plan
    samples = collect(plan, study.runs)
    found = samples.of("iops", plan.cells[0].id, plan.baseline)
    for block, log in samples.block_logs("iops", plan.cells[0].id, plan.baseline).items():
        assert log == pytest.approx((found[block, False] + found[block, True]) / 2)


def test_noise_is_the_later_turn_over_the_earlier_and_the_twin_over_the_other(
    study: SyntheticStudy,
) -> None:
    plan = study.study.plan
    cell = plan.cells[0].id
    samples = collect(plan, study.runs)
    found = samples.of("iops", cell, plan.baseline)
    order = {
        block: [turn.again for turn in plan.turns if (turn.system, turn.block) == ("raw", block)]
        for block in range(3)
    }
    in_time, twin = samples.noise_log_ratios("iops", cell), samples.twin_log_ratios("iops", cell)
    for block, (earlier, later) in order.items():
        assert in_time[block] == found[block, later] - found[block, earlier]
        assert twin[block] == found[block, True] - found[block, False]


def stalled(run: RunRecord) -> RunRecord:
    """In the whole window no operation ended."""
    return changed(run, read=None, write=None, jobs=[])


def test_a_run_in_which_nothing_ended_counts_as_one_operation(study: SyntheticStudy) -> None:
    """Left out, the system that stalls would look as fast as the others."""
    first, *rest = study.runs
    samples = collect(study.study.plan, [stalled(first), *rest])
    elapsed_ns = result_of(first).elapsed_ns
    assert value(samples, first) == pytest.approx(math.log(1e9 / elapsed_ns))


def test_a_quantile_is_not_compared_of_a_system_whose_run_lacks_it(study: SyntheticStudy) -> None:
    plan = study.study.plan
    for name in plan.systems:
        runs = list(study.runs)
        at = next(at for at, run in enumerate(runs) if run.system == name)
        runs[at] = stalled(runs[at])
        have = {s for metric, _, s in collect(plan, runs).logs if metric == "read.p99"}
        expected = set() if name == plan.baseline else set(plan.systems) - {name}
        assert have == expected


def test_what_is_withheld_says_who_lacks_it(study: SyntheticStudy) -> None:
    first, *rest = study.runs
    whole = collect(study.study.plan, study.runs)
    assert any(metric == "read.p99" for metric, _, _ in whole.logs) and not whole.withheld
    samples = collect(study.study.plan, [stalled(first), *rest])
    lacking = next(each for each in samples.withheld if each.metric == "read.p99")
    assert lacking.few == [first.system] and first.system not in lacking.enough
    assert set(lacking.enough) | set(lacking.few) == set(study.study.plan.systems)


def brief(run: RunRecord) -> RunRecord:
    """One operation ended."""
    read = result_of(run).read
    assert read is not None
    latency = read.service_latency
    one = {"counts": [(latency.counts[0][0], 1)], "operations": 1}
    few = read.model_copy(
        update={"operations": 1, "service_latency": latency.model_copy(update=one)}
    )
    return changed(run, read=few)


def test_a_quantile_without_a_run_that_did_nothing_is_none(study: SyntheticStudy) -> None:
    first, *rest = study.runs
    found = measure_all(collect(study.study.plan, [stalled(first), *rest]))
    assert not any(m.metric == "read.p99" and m.system == first.system for m in found)


def test_each_system_has_its_own_quantile_all_the_same(study: SyntheticStudy) -> None:
    """One short run withheld the p99 of a commit for every system."""
    first, *rest = study.runs
    whole = {(m.metric, m.system): m for m in measure_all(collect(study.study.plan, study.runs))}
    samples = collect(study.study.plan, [brief(first), *rest])
    found = {(m.metric, m.system): m for m in measure_all(samples)}
    others = [name for name in study.study.plan.systems if name != first.system]
    assert [found["read.p99", name] for name in others] == [
        whole["read.p99", name] for name in others
    ]
    short = found["read.p99", first.system]
    own = [run for run in study.runs if run.system == first.system]
    assert (short.short_runs, short.n, short.low) == (1, len(own), None)
    merged = merge(latencies(result_of(run))["read"] for run in [brief(own[0]), *own[1:]])
    assert merged is not None and short.value == quantile_ns(merged, 0.99)


def test_a_system_without_enough_in_all_its_runs_has_none(study: SyntheticStudy) -> None:
    slow = study.runs[0].system
    runs = [stalled(run) if run.system == slow else run for run in study.runs]
    found = measure_all(collect(study.study.plan, runs))
    assert not any(m.metric == "read.p99" and m.system == slow for m in found)
    assert any(m.metric == "read.p99" for m in found)
