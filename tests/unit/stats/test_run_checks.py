"""Each check passes an honest run and names the one that is tampered with.

What kept the engine from its work is named; a run that nothing disturbed is not.

The device's requests beside the load's operations: merged, split, or as they were asked for.
"""

from __future__ import annotations

from typing import Any

import pytest

from fsgauge.engine.wire import Drain, FinishResult, FsyncSync, LoadResult, Pauses
from fsgauge.kinds.writers.factors import WritersFactors
from fsgauge.record.parts import DeviceRun
from fsgauge.record.records import RunRecord
from fsgauge.record.series import Intervals
from fsgauge.stats import run_checks
from fsgauge.stats.advice import RUN_CHECKS, Situation, advice_for
from fsgauge.stats.samples import is_complete
from tests.synthetic import make_study
from tests.synthetic_writers import make_writers
from tests.unit.stats.one_run import one_run, result_of, tampered


@pytest.fixture
def run() -> RunRecord:
    return one_run()


def test_an_honest_run_passes_every_check(run: RunRecord) -> None:
    assert [check.code for check in RUN_CHECKS if check.check(run, result_of(run))] == []


def test_littles_law(run: RunRecord) -> None:
    wrong = tampered(run, in_flight_mean=result_of(run).in_flight_mean * 1.2)
    assert run_checks.littles_law(run, wrong) is not None


def test_a_queue_that_is_not_full(run: RunRecord) -> None:
    assert run_checks.queue_not_full(run, tampered(run, in_flight_mean=20.0)) is not None


def test_bytes(run: RunRecord) -> None:
    read = result_of(run).read
    assert read is not None
    wrong = tampered(run, read=read.model_copy(update={"size_bytes": read.size_bytes + 1}))
    assert run_checks.bytes_match(run, wrong) is not None


def test_retries(run: RunRecord) -> None:
    read = result_of(run).read
    assert read is not None
    assert run_checks.errors(run, tampered(run, read=read.model_copy(update={"errors": 1})))


def test_the_engines_share(run: RunRecord) -> None:
    measure = result_of(run).self_measure.model_copy(update={"null_ns_per_operation": 2000.0})
    heavy = tampered(run, self_measure=measure)
    assert run_checks.engine_heavy(run, heavy) is not None
    read = heavy.read
    assert read is not None
    share = 2000.0 * read.operations / heavy.elapsed_ns
    assert run_checks.engine_share(heavy) == pytest.approx(share)


def test_a_fifth_for_the_engine_is_the_limit(run: RunRecord) -> None:
    assert run_checks.ENGINE_SHARE_LIMIT == 0.20
    done = run_checks.operations(result_of(run))
    for share, heavy in ((0.19, False), (0.21, True)):
        cost_ns = share * result_of(run).elapsed_ns / done
        measure = result_of(run).self_measure.model_copy(update={"null_ns_per_operation": cost_ns})
        found = run_checks.engine_heavy(run, tampered(run, self_measure=measure))
        assert (found is not None) == heavy


def test_a_clock_that_costs(run: RunRecord) -> None:
    read = result_of(run).read
    assert read is not None
    mean_ns = read.service_latency.sum_ns / read.operations
    for share, heavy in ((0.04, False), (0.06, True)):
        measure = result_of(run).self_measure.model_copy(
            update={"clock_ns_per_read": share * mean_ns}
        )
        found = run_checks.clock_heavy(run, tampered(run, self_measure=measure))
        assert (found is not None) == heavy
    assert run_checks.clock_share(tampered(run, read=None)) is None


def test_a_debug_engine() -> None:
    run = one_run(profile="debug")
    assert run_checks.debug_engine(run, result_of(run)) is not None


def test_a_missed_pace() -> None:
    run = one_run(rate=10_000_000.0)
    assert run_checks.rate_missed(run, result_of(run)) is not None


def test_what_a_full_file_system_refused_was_tried_and_took_time() -> None:
    """A write that found no space keeps the pace, and waits in flight without a latency."""
    honest = one_run()
    read = result_of(honest).read
    assert read is not None
    refused = read.model_copy(update={"refused": 7, "operations": read.operations - 7})
    busy = result_of(honest).in_flight_mean * 1.2
    assert (
        run_checks.littles_law(honest, tampered(honest, read=refused, in_flight_mean=busy)) is None
    )

    paced = one_run(rate=10_000_000.0)
    offered = 10_000_000 * result_of(paced).elapsed_ns // 10**9
    kept = tampered(paced, read=read.model_copy(update={"refused": offered}))
    assert run_checks.rate_missed(paced, kept) is None


def test_a_hole_in_the_series(run: RunRecord) -> None:
    intervals = result_of(run).intervals
    assert run_checks.gaps_in_series(run, tampered(run, intervals=intervals[:5] + intervals[8:]))


@pytest.fixture
def passes() -> RunRecord:
    """Four writers, bound by passes, of which one ends late."""
    study = make_writers(writers=(1, 4), slowest=lambda turn, cell: 0.4, blocks=1)
    return next(run for run in study.runs if WritersFactors.of(run.cell).writers == 4)


def test_a_run_that_passes_end_is_whole_and_passes_every_check(passes: RunRecord) -> None:
    assert result_of(passes).ended == "size_limit" and is_complete(passes)
    failed = {check.code for check in RUN_CHECKS if check.check(passes, result_of(passes))}
    assert failed == set()


def test_passes_that_time_cut_off(passes: RunRecord) -> None:
    assert run_checks.passes_cut(passes, tampered(passes, ended="duration")) is not None
    assert run_checks.passes_cut(passes, result_of(passes)) is None


def test_littles_law_holds_for_it_and_still_finds_a_lie(passes: RunRecord) -> None:
    assert run_checks.littles_law(passes, result_of(passes)) is None
    wrong = tampered(passes, in_flight_mean=1.3 * result_of(passes).in_flight_mean)
    assert run_checks.littles_law(passes, wrong) is not None


def test_a_writer_that_is_done_asks_for_nothing_more(passes: RunRecord) -> None:
    result = result_of(passes)
    at_work = run_checks.jobs_at_work(4, result)
    deep = passes.model_copy(update={"job": passes.job.model_copy(update={"queue_depth": 8})})
    assert at_work == pytest.approx(sum(j.elapsed_ns or 0 for j in result.jobs) / result.elapsed_ns)
    assert 1 < at_work < 3.6
    full = 8 * at_work
    assert run_checks.queue_not_full(deep, tampered(passes, in_flight_mean=0.95 * full)) is None
    assert run_checks.queue_not_full(deep, tampered(passes, in_flight_mean=0.8 * full))


def test_one_write_at_a_time_is_no_queue(passes: RunRecord) -> None:
    assert WritersFactors.of(passes.cell).queue_depth == 1
    assert run_checks.queue_not_full(passes, tampered(passes, in_flight_mean=0.1)) is None


def test_a_writer_that_waits_for_fsync_has_nothing_in_flight(passes: RunRecord) -> None:
    job = passes.job.model_copy(update={"sync": FsyncSync(every=1), "queue_depth": 8})
    syncing = passes.model_copy(update={"job": job})
    assert run_checks.queue_not_full(syncing, tampered(passes, in_flight_mean=0.1)) is None


QUIET = Pauses(
    total_ns=0, longest_ns=0, late_start_ns=0, starved_ns=0, clock_error_ns=0, wall_clock_step_ns=0
)
NOTHING_LEFT = Drain(operations=8, elapsed_ns=200_000, unanswered=0)
CODES = {"run.paused", "run.starved", "run.clock_jumped", "run.unanswered", "run.late_answers"}


@pytest.fixture
def measured_run() -> RunRecord:
    return make_study(patterns=("randread",), queue_depths=(32,), blocks=1).runs[0]


def result_with(
    measured_run: RunRecord, *, drain: dict[str, Any] | None = None, **pauses: Any
) -> LoadResult:
    assert measured_run.result is not None
    changes = {
        "pauses": QUIET.model_copy(update=pauses),
        "drain": NOTHING_LEFT.model_copy(update=drain or {}),
    }
    return measured_run.result.model_copy(update=changes)


def named(measured_run: RunRecord, result: LoadResult) -> set[str]:
    return {check.code for check in RUN_CHECKS if check.check(measured_run, result)} & CODES


def test_nothing_is_said_of_a_quiet_run_or_of_an_engine_that_did_not_look(
    measured_run: RunRecord,
) -> None:
    assert named(measured_run, result_with(measured_run)) == set()
    assert measured_run.result is not None and measured_run.result.pauses is None
    assert named(measured_run, measured_run.result) == set()


def test_a_stop_is_named_with_its_length_and_place(measured_run: RunRecord) -> None:
    stopped = {
        "total_ns": 5_200_000_000,
        "longest_ns": 5_000_000_000,
        "longest_start_ns": 3_500_000_000,
    }
    result = result_with(measured_run, **stopped)
    assert named(measured_run, result) == {"run.paused"}
    said = run_checks.paused(measured_run, result)
    assert said == "stopped for 5.2 s, the longest time for 5 s, 3.5 s after the start"


def test_a_late_start_is_named(measured_run: RunRecord) -> None:
    assert named(measured_run, result_with(measured_run, late_start_ns=99_000_000)) == set()
    result = result_with(measured_run, late_start_ns=1_500_000_000)
    assert run_checks.paused(measured_run, result) == "began 1.5 s late"


def test_threads_without_a_processor_are_named_from_a_fifth_on(
    measured_run: RunRecord,
) -> None:
    assert measured_run.result is not None
    whole_ns = measured_run.result.elapsed_ns * measured_run.result.cpu.threads
    assert named(measured_run, result_with(measured_run, starved_ns=whole_ns * 19 // 100)) == set()
    assert named(measured_run, result_with(measured_run, starved_ns=whole_ns * 21 // 100)) == {
        "run.starved"
    }
    assert named(measured_run, result_with(measured_run, starved_ns=None)) == set()


def test_no_thread_waits_for_a_processor_longer_than_the_test_took(
    measured_run: RunRecord,
) -> None:
    """A page had "starved 227 % of the time": a write of 8 MiB ended in memory after 30 ms, and its
    thread had waited 70 ms when it looked, in the second before fsync returned."""
    result = result_with(measured_run, starved_ns=70_000_000)
    short = result.model_copy(
        update={
            "elapsed_ns": 30_000_000,
            "cpu": result.cpu.model_copy(update={"threads": 1}),
        }
    )
    assert run_checks.starved_share(short) == 1.0
    finish = FinishResult(fsync_ns=10**9, close_ns=0, elapsed_ns=1_000_000_000, cpu=short.cpu)
    flushed = short.model_copy(update={"finish": finish})
    assert run_checks.starved_share(flushed) == pytest.approx(0.07)


def test_clocks_that_disagree_are_named_in_both_directions(measured_run: RunRecord) -> None:
    assert named(measured_run, result_with(measured_run, clock_error_ns=2_000_000)) == set()
    for error_ns in (-2_000_000_000, 2_000_000_000):
        assert named(measured_run, result_with(measured_run, clock_error_ns=error_ns)) == {
            "run.clock_jumped"
        }
    assert (
        named(
            measured_run,
            result_with(measured_run, wall_clock_step_ns=3_600 * 10**9),
        )
        == set()
    )


def test_operations_without_an_answer_are_named_and_break_no_law(
    measured_run: RunRecord,
) -> None:
    result = result_with(measured_run, drain={"unanswered": 4})
    assert named(measured_run, result) == {"run.unanswered"}
    wrong = result.model_copy(update={"in_flight_mean": result.in_flight_mean * 1.5})
    assert run_checks.littles_law(measured_run, wrong) is None


def test_late_answers_are_the_storage_unless_the_engine_stood_still(
    measured_run: RunRecord,
) -> None:
    late = {"elapsed_ns": 5_000_000_000}
    assert named(measured_run, result_with(measured_run, drain=late)) == {"run.late_answers"}
    stopped = {"total_ns": 5_000_000_000, "longest_ns": 5_000_000_000, "longest_start_ns": 1}
    assert named(measured_run, result_with(measured_run, drain=late, **stopped)) == {"run.paused"}


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

    assert said(result_with(paced)) == {"run.rate_missed"}
    stop = {"total_ns": 5 * 10**9, "longest_ns": 5 * 10**9, "longest_start_ns": 0}
    stopped = result_with(paced, **stop)
    assert said(stopped) == {"run.paused_at_pace"}
    situation = Situation("overhead", True, 1, 0, "loop", 1, 1, 1, "tsc", None)
    words = run_checks.pace_missed_in_pause(paced, stopped)
    assert words is not None and "of the pace; the engine stopped for 5 s" in words
    assert "less than 100 ms" in advice_for("run.rate_missed", situation)


BLOCK_BYTES = 4096


def run_with(pattern: str, *, size_bytes: int, requests_of: float, extra: float = 1.0) -> RunRecord:
    """A run in which the device moved `extra` times what was asked, in requests of a mean size."""
    run = make_study(patterns=(pattern,), block_sizes=(size_bytes,), blocks=1).runs[0]
    assert run.result is not None
    intervals = Intervals.of(run.result.intervals)
    asked = sum(int(intervals.column(f"{side}_size_bytes").sum()) for side in ("read", "write"))
    moved, side = int(asked * extra), "write" if pattern.endswith("write") else "read"
    counters: dict[str, Any] = {
        "read_requests": 0,
        "read_bytes": 0,
        "write_requests": 0,
        "write_bytes": 0,
        "discard_requests": 0,
        "discard_bytes": 0,
        f"{side}_requests": max(1, round(moved / requests_of)),
        f"{side}_bytes": moved,
    }
    return run.model_copy(update={"device": DeviceRun(name="loop0", **counters)})


def verdict(run: RunRecord) -> tuple[str | None, str | None]:
    assert run.result is not None
    return run_checks.requests_merged(run, run.result), run_checks.requests_split(run, run.result)


@pytest.mark.parametrize("pattern", ["randread", "randwrite"])
def test_requests_as_they_were_asked_for_are_not_named(pattern: str) -> None:
    run = run_with(pattern, size_bytes=BLOCK_BYTES, requests_of=BLOCK_BYTES)
    assert verdict(run) == (None, None)


def test_merged_requests_are_named_with_both_sizes() -> None:
    """Sixteen neighbours of 4 KiB in one call: the device of an attack got 37.7 KiB."""
    run = run_with("randread", size_bytes=BLOCK_BYTES, requests_of=38_600)
    assert verdict(run) == ("37.7 KiB on average for operations of 4 KiB", None)


def test_split_requests_are_named_where_nothing_else_was_moved() -> None:
    run = run_with("randwrite", size_bytes=256 << 10, requests_of=128 << 10)
    assert verdict(run) == (None, "128 KiB on average for operations of 256 KiB")
    with_journal = run_with("randwrite", size_bytes=256 << 10, requests_of=128 << 10, extra=1.3)
    assert verdict(with_journal) == (None, None)


def test_what_cannot_be_compared_is_not() -> None:
    run = run_with("randread", size_bytes=BLOCK_BYTES, requests_of=38_600)
    assert run.load is not None
    for changes in ({"direct": False}, {"read_percent": 70}):
        job = run.load.model_copy(update=changes)
        assert verdict(run.model_copy(update={"job": job})) == (None, None)
    assert verdict(run.model_copy(update={"device": None})) == (None, None)
    assert run.device is not None
    idle = run.device.model_copy(update={"read_requests": 0, "read_bytes": 0})
    assert run_checks.mean_request_bytes(idle, writes=False) is None
