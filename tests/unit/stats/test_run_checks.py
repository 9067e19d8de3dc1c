"""Each check passes an honest run and names the one that is tampered with."""

from __future__ import annotations

from typing import Any

import pytest

from fsgauge.record import RunRecord
from fsgauge.stats import run_checks
from fsgauge.stats.advice import RUN_CHECKS
from fsgauge.wire import JobShare, LoadResult, Steady
from tests.synthetic import make_study

ONE_CELL = {"patterns": ("randread",), "block_sizes": (4096,), "queue_depths": (32,), "blocks": 1}


@pytest.fixture
def run() -> RunRecord:
    return make_study(**ONE_CELL).runs[0]


def result_of(run: RunRecord) -> LoadResult:
    assert run.result is not None
    return run.result


def test_an_honest_run_passes_every_check(run: RunRecord) -> None:
    assert [check.code for check in RUN_CHECKS if check.check(run, result_of(run))] == []


def tampered(run: RunRecord, **changes: Any) -> LoadResult:
    return result_of(run).model_copy(update=changes)


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


def test_a_debug_engine() -> None:
    run = make_study(**ONE_CELL, profile="debug").runs[0]
    assert run_checks.debug_engine(run, result_of(run)) is not None


def test_unfair_jobs(run: RunRecord) -> None:
    shares = [JobShare(operations=count, size_bytes=0) for count in (100, 10)]
    assert run_checks.unfair_jobs(run, tampered(run, jobs=shares)) is not None


def test_a_series_that_falls_is_not_steady() -> None:
    run = make_study(**ONE_CELL, unsteady=lambda turn, cell: True).runs[0]
    found = run_checks.steadiness(result_of(run))
    assert found is not None and found[1] > run_checks.STEADY_SLOPE
    assert run_checks.not_steady(run, result_of(run)) is not None


def test_a_short_series_cannot_be_judged(run: RunRecord) -> None:
    short = tampered(run, intervals=result_of(run).intervals[:4])
    assert run_checks.steadiness(short) is None
    assert run_checks.not_steady(run, short) is None


def test_the_engines_verdict_goes_before_the_rounds(run: RunRecord) -> None:
    verdict = Steady(judged=True, reached=False, rounds=5, reason="the rate changed by -16 %")
    assert run_checks.not_steady(run, tampered(run, steady=verdict)) == "the rate changed by -16 %"
    short = Steady(judged=False, reached=False, rounds=5, reason="too short")
    assert run_checks.not_steady(run, tampered(run, steady=short)) is None


def test_a_record_without_a_verdict_is_judged_by_its_rounds(run: RunRecord) -> None:
    verdict = run_checks.steady(tampered(run, steady=None))
    assert verdict.judged and verdict.reached and verdict.reason is None


def test_a_missed_pace() -> None:
    run = make_study(**ONE_CELL, rate=10_000_000.0).runs[0]
    assert run_checks.rate_missed(run, result_of(run)) is not None


def test_a_hole_in_the_series(run: RunRecord) -> None:
    intervals = result_of(run).intervals
    assert run_checks.gaps_in_series(run, tampered(run, intervals=intervals[:5] + intervals[8:]))
