"""At what rates a block's cells are offered."""

from __future__ import annotations

import pytest

from fsgauge.errors import RigError
from fsgauge.plan.curve import STEPS
from fsgauge.plan.turns import make_plan
from fsgauge.record.parts import in_one
from fsgauge.record.records import Plan, RunRecord
from fsgauge.stats.curve.rates import plan_of_block
from tests.synthetic import histogram_of
from tests.synthetic.setting import MACHINE
from tests.synthetic_curve import GIB, QUEUES, Queue, curve_study, make_curve

MADE = make_curve(noise=0.0)
PLAN = MADE.study.plan


def rates(plan: Plan, part: str) -> list[float]:
    return [cell.pace.rate for cell in plan.cells if cell.pace and cell.pace.part == part]


def test_steps_are_a_tenth_to_a_little_more_of_the_slowest_and_the_same_in_all_blocks() -> None:
    first, last = plan_of_block(PLAN, 1, MADE.runs), plan_of_block(PLAN, 8, MADE.runs)
    assert rates(first, "step") == rates(last, "step")
    assert len(rates(first, "step")) == STEPS
    assert rates(first, "step")[0] == pytest.approx(5_000, rel=0.01)
    assert rates(first, "step")[-1] == pytest.approx(55_000, rel=0.01)


def test_searches_close_in_on_the_rates_at_the_limit_and_one_is_above_all() -> None:
    *near, top = rates(plan_of_block(PLAN, 8, MADE.runs), "search")
    limits = [queue.limit() for queue in QUEUES.values()]
    assert min(near) < min(limits) and max(near) > max(limits)
    assert all(min(abs(rate / limit - 1) for limit in limits) < 0.1 for rate in near)
    assert top == pytest.approx(1.1 * 54_000, rel=0.01)


def test_the_rates_of_a_block_come_of_the_blocks_before_it_alone() -> None:
    before = [run for run in MADE.runs if run.block < 4]
    assert plan_of_block(PLAN, 4, MADE.runs) == plan_of_block(PLAN, 4, before)


def test_no_rate_has_too_few_operations_for_the_quantile() -> None:
    slow = make_curve({"ext4": Queue(2_000.0), "xfs": Queue(2_000.0)}, noise=0.0)
    plan = plan_of_block(slow.study.plan, 1, slow.runs)
    assert min(rates(plan, "step")) == pytest.approx(600)


def full_at_half(run: RunRecord) -> RunRecord:
    """The run, had its log been full when half of its time was over."""
    assert run.result is not None and run.result.read is not None
    half = run.result.read.operations // 2
    done = {"operations": half, "service_latency": histogram_of({200_000: half})}
    update = {
        "elapsed_ns": run.result.elapsed_ns // 2,
        "ended": "size_limit",
        "read": run.result.read.model_copy(update=done),
    }
    return run.model_copy(update={"parts": in_one(MACHINE, run.result.model_copy(update=update))})


def test_a_log_that_was_full_before_its_time_is_filled_more_slowly_for_all_of_it() -> None:
    slow = make_curve({"ext4": Queue(2_000.0), "xfs": Queue(2_000.0)}, noise=0.0)
    plan = plan_of_block(slow.study.plan, 1, [full_at_half(run) for run in slow.runs])
    assert min(rates(plan, "step")) == pytest.approx(600)


def test_a_system_that_is_over_the_limit_is_looked_for_below() -> None:
    made = make_curve({"ext4": Queue(50_000.0), "xfs": Queue(50_000.0, 6.0)}, noise=0.0)
    lowest = [min(rates(plan_of_block(made.study.plan, b, made.runs), "search")) for b in (2, 3, 4)]
    assert lowest == sorted(lowest, reverse=True) and lowest[-1] < lowest[0] / 2


def test_the_unpaced_block_and_other_plans_are_as_they_are() -> None:
    assert plan_of_block(PLAN, 0, []) == PLAN
    plain = make_plan(curve_study(["ext4"], mode="all", latency_limit=None), size_bytes=GIB)
    assert plan_of_block(plain, 0, []) == plain


def test_without_an_unpaced_run_there_is_no_curve() -> None:
    with pytest.raises(RigError, match="no system was measured"):
        plan_of_block(PLAN, 1, [])
