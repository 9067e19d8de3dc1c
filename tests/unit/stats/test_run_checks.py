"""Each check passes an honest run and names the one that is tampered with."""

from __future__ import annotations

import pytest

from fsgauge.engine.wire import FsyncSync, JobShare
from fsgauge.kinds.writers.factors import WritersFactors
from fsgauge.record.records import RunRecord
from fsgauge.stats import run_checks
from fsgauge.stats.advice import RUN_CHECKS
from fsgauge.stats.samples import is_complete
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


def test_unfair_jobs(run: RunRecord) -> None:
    shares = [JobShare(operations=count, size_bytes=0) for count in (100, 10)]
    assert run_checks.unfair_jobs(run, tampered(run, jobs=shares)) is not None


def test_a_missed_pace() -> None:
    run = one_run(rate=10_000_000.0)
    assert run_checks.rate_missed(run, result_of(run)) is not None


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
