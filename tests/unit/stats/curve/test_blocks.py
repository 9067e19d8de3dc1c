"""A curve read as a study of its loads."""

from __future__ import annotations

import math

from fsgauge.stats.curve.blocks import (
    CAPACITY,
    block_curves,
    of_loads,
    parted,
    samples_of,
)
from tests.synthetic_curve import QUEUES, Queue, make_curve

LOAD = "randread-4KiB-depth32"
MADE = make_curve(blocks=3)
PLAN = MADE.study.plan


def test_cells_are_the_loads_in_the_blocks_at_a_pace() -> None:
    plan = of_loads(PLAN)
    assert [cell.id for cell in plan.cells] == plan.primary == [LOAD]
    assert plan.cells[0].name == "randread 4 KiB, depth 32, p99 below 5 ms"
    assert {turn.block for turn in plan.turns} == {1, 2, 3}
    assert all(turn.cells == [LOAD] for turn in plan.turns)
    assert of_loads(plan) == plan


def test_a_block_s_sample_is_its_rate_at_the_limit() -> None:
    samples = samples_of(PLAN, MADE.runs)
    assert samples.blocks() == [1, 2, 3]
    for system, queue in QUEUES.items():
        logs = samples.block_logs(CAPACITY, LOAD, system)
        assert sorted(logs) == [1, 2, 3]
        assert all(abs(math.exp(log) / queue.limit() - 1) < 0.15 for log in logs.values())


def test_a_bound_in_any_block_leaves_a_system_without_samples() -> None:
    made = make_curve({"ext4": Queue(50_000.0), "xfs": Queue(50_000.0, 6.0)}, blocks=3)
    samples = samples_of(made.study.plan, made.runs)
    assert samples.of(CAPACITY, LOAD, "ext4") and not samples.of(CAPACITY, LOAD, "xfs")


def test_a_run_within_the_limit_stands_for_each_turn() -> None:
    assert PLAN.curve is not None
    standing, others = parted(PLAN, MADE.runs)
    assert len(standing) + len(others) == len(MADE.runs)
    assert {run.cell.id for run in standing} == {LOAD}
    curves = {(each.block, each.runs[0].turn): each for each in block_curves(MADE.runs, PLAN.curve)}
    assert len(standing) == len(curves) == 9
    for run in standing:
        found = curves[run.block, run.turn].found
        assert found is not None and run.load is not None and run.load.rate is not None
        assert run.load.rate.operations_per_second <= found.rate


def test_the_study_is_whole_and_its_findings_are_of_those_runs() -> None:
    results = MADE.results()
    sure = results.sureness
    assert (sure.blocks_planned, sure.blocks_complete) == (3, 3)
    assert (sure.runs_planned, sure.runs_complete) == (9, 9)
    assert results.latency_kind == "response"
    assert {each.code for each in results.findings} <= {"storage.caution", "blocks.few"}


def test_a_study_that_was_cut_short_says_so_of_its_loads() -> None:
    results = make_curve(blocks=4, blocks_measured=3).results()
    assert (results.sureness.blocks_planned, results.sureness.blocks_complete) == (4, 2)
