"""Known answers: a system that stalls in some blocks must not look fast for having stalled.

In every second block xfs answers 500 reads that take 50 ms, where others answer tens of thousands;
a p99.9 needs 10,000. The old rule read the quantile of the blocks that had so many: a ratio of 1.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from fsgauge.engine.wire import Histogram, OperationResult
from fsgauge.record.parts import in_one
from fsgauge.record.records import RunRecord
from fsgauge.stats import Results, read_study
from fsgauge.stats.metrics import readings
from tests.synthetic import ONE_CELL, SyntheticStudy, make_study

CELL = "randread-4KiB-depth32"
STALLED_NS = 50_000_000


def studied() -> SyntheticStudy:
    return make_study(**ONE_CELL, blocks=6, noise=0.01)


def stalled(run: RunRecord, operations: int) -> RunRecord:
    """The same run with so many reads, each of 50 ms."""
    result = run.result
    assert result is not None and result.read is not None
    bucket = result.read.service_latency.sub_bucket_bits
    octave = STALLED_NS.bit_length() - bucket
    index = (octave << bucket) | ((STALLED_NS >> (octave - 1)) & ((1 << bucket) - 1))
    histogram = Histogram(
        sub_bucket_bits=bucket,
        counts=[(index, operations)] if operations else [],
        operations=operations,
        sum_ns=operations * STALLED_NS,
        min_ns=STALLED_NS if operations else 0,
        max_ns=STALLED_NS if operations else 0,
    )
    read = OperationResult(
        operations=operations,
        size_bytes=4096 * operations,
        errors=0,
        service_latency=histogram,
        response_latency=None,
        backlog_dropped=0,
    )
    parts = in_one(run.parts[0].machine, result.model_copy(update={"read": read}))
    return run.model_copy(update={"parts": parts})


HALF = (1, 3, 5)


def read(study: SyntheticStudy, operations: int | None, blocks: Sequence[int] = HALF) -> Results:
    runs = [
        stalled(run, operations)
        if operations is not None and run.system == "xfs" and run.block in blocks
        else run
        for run in study.runs
    ]
    return read_study(study.turns, runs, study.study, study.before, study.after)


def test_the_quantile_of_a_system_that_stalls_is_not_compared() -> None:
    study = studied()
    whole, spoilt = read(study, None), read(study, 500)
    assert whole.comparison(CELL, "xfs", "read.p999") is not None
    assert spoilt.comparison(CELL, "xfs", "read.p999") is None
    assert spoilt.comparison(CELL, "ext4", "read.p999") is not None, "it never stalled"
    short = {m.system: m.short_runs for m in spoilt.measurements if m.metric == "read.p999"}
    assert short["xfs"] == 3 and not short["ext4"], "each its own, and marked"
    found = next(each for each in spoilt.findings if each.code == "quantile.withheld")
    assert found.sentence == (
        "xfs completed too few operations for the read p99 latency and read p99.9 latency, far"
        " fewer than raw: in the only cell xfs is not compared by that."
    )


def test_runs_that_are_short_for_all_are_no_news_of_one() -> None:
    """c had 20 to 40 operations a run, as many as the baseline, in runs of a second."""
    study = studied()
    runs = [
        stalled(run, 900 if run.system == "xfs" and run.block % 2 else 1100) for run in study.runs
    ]
    results = read_study(study.turns, runs, study.study, study.before, study.after)
    found = next(each for each in results.findings if each.code == "quantile.withheld")
    assert found.sentence.startswith("xfs completed too few operations")
    assert "news" not in found.sentence


def test_a_quantile_that_no_run_can_answer_is_no_news() -> None:
    study = studied()
    runs = [stalled(run, 500) for run in study.runs]
    results = read_study(study.turns, runs, study.study, study.before, study.after)
    assert not {each.code for each in results.findings} & {"quantile.withheld", "quantile.short"}


def test_a_run_in_which_nothing_ended_is_the_worst_and_not_missing() -> None:
    results = read(studied(), 0, [1])
    entry = results.comparison(CELL, "xfs", "iops")
    mean = results.comparison(CELL, "xfs", "read.mean")
    assert entry is not None and mean is not None
    assert entry.n == 6 and entry.left_out == []
    assert min(ratio for _, ratio in entry.blocks) < 0.001
    assert mean.n == 6 and max(ratio for _, ratio in mean.blocks) > 100
    other = results.comparison(CELL, "ext4", "iops")
    assert other is not None and other.ratio == pytest.approx(1, rel=0.5)


def test_a_system_that_did_nothing_in_half_of_its_runs_has_no_ratio() -> None:
    results = read(studied(), 0)
    assert not [e for e in results.comparisons if e.system == "xfs" and e.metric == "iops"]
    nothing = results.did_nothing(CELL, "xfs", "iops")
    assert nothing is not None and nothing.words == "did nothing in 3 of 6 runs"


def test_the_plain_runs_have_the_quantile() -> None:
    """What is withheld is there to withhold."""
    run = next(run for run in studied().runs if run.result is not None)
    assert run.result is not None and "read.p999" in readings(run.result)
