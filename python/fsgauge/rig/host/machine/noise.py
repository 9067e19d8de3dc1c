"""A quick look at how noisy this machine is: one small load, run again and again, unchanged."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable
from pathlib import Path

from fsgauge.errors import RigError
from fsgauge.rig.host.ledger.ledger import opened_ledger
from fsgauge.wire import (
    BlockSize,
    Event,
    FileTarget,
    Job,
    LayoutJob,
    LoadJob,
    LoadResult,
    RandomAccess,
    Result,
)

RunJob = Callable[[Job, Callable[[Event], None] | None], Result]
_FILE_BYTES = 32 << 20
_RUNS = 8
_RUN_NS = 300_000_000
_WARM_UP_NS = 100_000_000
_BLOCK_BYTES = 4096


def noise_percent(run: RunJob, directory: Path, *, direct: bool) -> float:
    """How far two equal runs differ: standard deviation of their ratio, percent.

    Eight runs of 0.3 s read 4 KiB blocks at random from a file in a scratch folder. Short runs
    are noisier than a study's, so this is an upper bound for planning. RigError where a run had no
    read answered.
    """
    with opened_ledger() as ledger, ledger.folder(directory, "noise") as folder:
        target = FileTarget(path=str(folder / "file"), size_bytes=_FILE_BYTES)
        run(LayoutJob(target=target, direct=direct, seed=1), None)
        rates = [_rate(run, target, direct, seed) for seed in range(_RUNS)]
    if not all(rates):
        raise RigError(
            "no read was answered in a run of 0.3 s",
            cause="the disk below is very busy, or hangs",
            next="run fsgauge doctor again when the disk is quieter",
        )
    return 100 * math.sqrt(2) * statistics.stdev(math.log(rate) for rate in rates)


def _rate(run: RunJob, target: FileTarget, direct: bool, seed: int) -> float:
    job = LoadJob(
        target=target,
        interface="psync",
        direct=direct,
        access=RandomAccess(),
        read_percent=100,
        block_sizes=[BlockSize(size_bytes=_BLOCK_BYTES)],
        queue_depth=1,
        jobs=1,
        warm_up_ns=_WARM_UP_NS,
        duration_ns=_RUN_NS,
        seed=seed,
    )
    result = run(job, None)
    assert isinstance(result, LoadResult) and result.read  # noqa: S101 - a load job that reads
    return result.read.operations / result.elapsed_ns
