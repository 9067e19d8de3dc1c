"""How evenly writers shared, from their own times where they have them."""

from __future__ import annotations

import pytest

from fsgauge.engine.wire import JobShare, LoadResult
from fsgauge.kinds.writers.analysis.lines import fairness
from fsgauge.kinds.writers.factors import WritersFactors
from fsgauge.stats import read_study
from fsgauge.stats.metrics import own_rates
from tests.synthetic.setting import with_result
from tests.synthetic_writers import make_writers


def result(*shares: tuple[int, int | None]) -> LoadResult:
    run = make_writers(blocks=1).runs[0]
    assert run.result is not None
    jobs = [JobShare(operations=done, size_bytes=0, elapsed_ns=each) for done, each in shares]
    return run.result.model_copy(update={"jobs": jobs, "elapsed_ns": 10**9})


def test_equal_work_is_shared_by_time() -> None:
    one = result((100, 10**9), (100, 5 * 10**8))
    assert own_rates(one) == [100, 200]
    assert fairness(one) == pytest.approx(100 / 150)


def test_equal_time_is_shared_by_work() -> None:
    assert fairness(result((100, None), (300, None))) == pytest.approx(0.5)


def test_a_writer_that_did_nothing() -> None:
    assert fairness(result((0, None), (300, None))) == 0
    study = make_writers(blocks=3)
    runs = []
    for run in study.runs:
        if WritersFactors.of(run.cell).writers == 2 and run.result is not None:
            job = run.result.jobs[0].model_copy(update={"operations": 0})
            jobs = [job, *run.result.jobs[1:]]
            run = with_result(run, run.result.model_copy(update={"jobs": jobs}))
        runs.append(run)
    found = read_study(study.turns, runs, study.study, study.before).own
    assert found is not None
    share = found.lines[0].points[1].fairness
    assert share is not None and (share.value, share.low, share.n) == (0, None, 3)


def test_one_writer_is_neither_fair_nor_unfair() -> None:
    assert fairness(result((100, None))) is None


def test_a_planted_share_is_found() -> None:
    study = make_writers(writers=(1, 8), slowest=lambda turn, cell: 0.7)
    found = study.results().own
    assert found is not None
    share = found.lines[0].points[1].fairness
    assert share is not None and share.value == pytest.approx(0.7, rel=1e-3)
    assert share.high is not None and share.high <= 1
