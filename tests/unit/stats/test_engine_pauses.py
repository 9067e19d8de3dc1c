"""What kept the engine from its work is named; a run that nothing disturbed is not."""

from __future__ import annotations

from typing import Any

import pytest

from fsgauge.engine.wire import Drain, FinishResult, LoadResult, Pauses
from fsgauge.record.records import RunRecord
from fsgauge.stats import engine_pauses, run_checks
from fsgauge.stats.advice import RUN_CHECKS, Situation, advice_for
from tests.synthetic import make_study

QUIET = Pauses(
    total_ns=0, longest_ns=0, late_start_ns=0, starved_ns=0, clock_error_ns=0, wall_clock_step_ns=0
)
NOTHING_LEFT = Drain(operations=8, elapsed_ns=200_000, unanswered=0)
CODES = {"run.paused", "run.starved", "run.clock_jumped", "run.unanswered", "run.late_answers"}


@pytest.fixture
def run() -> RunRecord:
    return make_study(patterns=("randread",), queue_depths=(32,), blocks=1).runs[0]


def result_of(run: RunRecord, *, drain: dict[str, Any] | None = None, **pauses: Any) -> LoadResult:
    assert run.result is not None
    changes = {
        "pauses": QUIET.model_copy(update=pauses),
        "drain": NOTHING_LEFT.model_copy(update=drain or {}),
    }
    return run.result.model_copy(update=changes)


def named(run: RunRecord, result: LoadResult) -> set[str]:
    return {check.code for check in RUN_CHECKS if check.check(run, result)} & CODES


def test_nothing_is_said_of_a_quiet_run_or_of_an_engine_that_did_not_look(run: RunRecord) -> None:
    assert named(run, result_of(run)) == set()
    assert run.result is not None and run.result.pauses is None
    assert named(run, run.result) == set()


def test_a_stop_is_named_with_its_length_and_place(run: RunRecord) -> None:
    stopped = {
        "total_ns": 5_200_000_000,
        "longest_ns": 5_000_000_000,
        "longest_start_ns": 3_500_000_000,
    }
    result = result_of(run, **stopped)
    assert named(run, result) == {"run.paused"}
    said = engine_pauses.paused(run, result)
    assert said == "stopped for 5.2 s, the longest time for 5 s, 3.5 s after the start"


def test_a_late_start_is_named(run: RunRecord) -> None:
    assert named(run, result_of(run, late_start_ns=99_000_000)) == set()
    result = result_of(run, late_start_ns=1_500_000_000)
    assert engine_pauses.paused(run, result) == "began 1.5 s late"


def test_threads_without_a_processor_are_named_from_a_fifth_on(run: RunRecord) -> None:
    assert run.result is not None
    whole_ns = run.result.elapsed_ns * run.result.cpu.threads
    assert named(run, result_of(run, starved_ns=whole_ns * 19 // 100)) == set()
    assert named(run, result_of(run, starved_ns=whole_ns * 21 // 100)) == {"run.starved"}
    assert named(run, result_of(run, starved_ns=None)) == set()


def test_no_thread_waits_for_a_processor_longer_than_the_test_took(run: RunRecord) -> None:
    """A page had "starved 227 % of the time": a write of 8 MiB ended in memory after 30 ms, and its
    thread had waited 70 ms when it looked, in the second before fsync returned."""
    result = result_of(run, starved_ns=70_000_000)
    short = result.model_copy(
        update={
            "elapsed_ns": 30_000_000,
            "cpu": result.cpu.model_copy(update={"threads": 1}),
        }
    )
    assert engine_pauses.starved_share(short) == 1.0
    finish = FinishResult(fsync_ns=10**9, close_ns=0, elapsed_ns=1_000_000_000, cpu=short.cpu)
    flushed = short.model_copy(update={"finish": finish})
    assert engine_pauses.starved_share(flushed) == pytest.approx(0.07)


def test_clocks_that_disagree_are_named_in_both_directions(run: RunRecord) -> None:
    assert named(run, result_of(run, clock_error_ns=2_000_000)) == set()
    for error_ns in (-2_000_000_000, 2_000_000_000):
        assert named(run, result_of(run, clock_error_ns=error_ns)) == {"run.clock_jumped"}
    assert named(run, result_of(run, wall_clock_step_ns=3_600 * 10**9)) == set()


def test_operations_without_an_answer_are_named_and_break_no_law(run: RunRecord) -> None:
    result = result_of(run, drain={"unanswered": 4})
    assert named(run, result) == {"run.unanswered"}
    wrong = result.model_copy(update={"in_flight_mean": result.in_flight_mean * 1.5})
    assert run_checks.littles_law(run, wrong) is None


def test_late_answers_are_the_storage_unless_the_engine_stood_still(run: RunRecord) -> None:
    late = {"elapsed_ns": 5_000_000_000}
    assert named(run, result_of(run, drain=late)) == {"run.late_answers"}
    stopped = {"total_ns": 5_000_000_000, "longest_ns": 5_000_000_000, "longest_start_ns": 1}
    assert named(run, result_of(run, drain=late, **stopped)) == {"run.paused"}


def test_each_has_an_advice() -> None:
    situation = Situation("overhead", True, 1, 0, "loop", 1, 1, 1, "tsc", None)
    assert all(advice_for(code, situation) for code in CODES | {"run.merged", "run.split"})


def test_a_missed_pace_is_asked_of_the_engines_pauses_first() -> None:
    """A stopped engine with nothing in flight drops its backlog, and the system was blamed."""
    paced = make_study(
        patterns=("randread",), queue_depths=(32,), blocks=1, rate=10_000_000.0
    ).runs[0]
    codes = {"run.rate_missed", "run.paused_at_pace"}

    def said(result: LoadResult) -> set[str]:
        return {check.code for check in RUN_CHECKS if check.check(paced, result)} & codes

    assert said(result_of(paced)) == {"run.rate_missed"}
    stop = {"total_ns": 5 * 10**9, "longest_ns": 5 * 10**9, "longest_start_ns": 0}
    stopped = result_of(paced, **stop)
    assert said(stopped) == {"run.paused_at_pace"}
    situation = Situation("overhead", True, 1, 0, "loop", 1, 1, 1, "tsc", None)
    words = engine_pauses.pace_missed_in_pause(paced, stopped)
    assert words is not None and "of the pace; the engine stopped for 5 s" in words
    assert "less than 100 ms" in advice_for("run.rate_missed", situation)
