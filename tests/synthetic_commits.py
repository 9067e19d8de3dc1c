"""Records of a study of commits: one writer, each write followed by fdatasync."""

from __future__ import annotations

from collections.abc import Mapping

from fsgauge.engine.wire import FdatasyncSync, LoadJob, SyncResult
from fsgauge.record.records import RunRecord
from tests.synthetic import SyntheticStudy, histogram_of
from tests.synthetic.setting import with_result
from tests.synthetic_writers import make_writers

CALLS = 4000
TAIL = 3.0
"""The p99 of a commit over its mean."""


def make_commits(
    rates: Mapping[str, float],
    *,
    noise: float = 0.02,
    blocks: int = 6,
    calls: int = CALLS,
    writers: int = 1,
    share: float = 1.0,
    seed: int = 4,
) -> SyntheticStudy:
    """`rates` are commits a second of each system, whose kind is the first word of its name; the
    first is the baseline. `share` of a commit's time is its sync's."""
    made = make_writers(
        systems={name: name.split()[0] for name in rates},
        writers=(writers,),
        direct=(False,),
        blocks=blocks,
        noise=noise,
        block_noise=noise,
        seed=seed,
        sync="fdatasync",
        rate=lambda system, count: rates[system] * count,
    )
    made.runs[:] = [_committing(run, rates[run.system] / share, calls) for run in made.runs]
    return made


def _committing(run: RunRecord, rate: float, calls: int) -> RunRecord:
    assert run.result is not None and isinstance(run.job, LoadJob)
    mean_ns = 1e9 / rate
    slow = calls // 50
    latency = histogram_of({round(0.9 * mean_ns): calls - slow, round(TAIL * mean_ns): slow})
    result = run.result.model_copy(
        update={"sync": SyncResult(calls=latency.operations, latency=latency)}
    )
    job = run.job.model_copy(update={"sync": FdatasyncSync(every=1), "verify": False})
    return with_result(run.model_copy(update={"job": job}), result)
