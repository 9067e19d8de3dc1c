"""A quick look at how noisy this machine is: one small load, run again and again, unchanged."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable
from itertools import pairwise
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
    """How far two equal runs differ, one right after the other: percent of their ratio.

    Eight runs of 0.3 s read 4 KiB blocks at random from a file in a scratch folder; each is
    compared with the next one, which is how partners stand where systems are measured side by
    side. A run of several slices differs less. Systems measured one by one stand further apart, and
    on a shared disk differ more: a pilot study says how much. RigError where a run had no read
    answered.
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
    steps = [math.log(later / rate) for rate, later in pairwise(rates)]
    return 100 * math.sqrt(statistics.fmean(step**2 for step in steps))


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
