"""Operations per second of one core: 4 KiB random direct reads at depth 32 from a sparse file.

No disk is involved: what differs is what each tool spends per operation. The engine records every
latency; t/io_uring records none here. Rates are of each tool's own measured window, so start-up is
not in them. Each tool is at its own best: fio and t/io_uring in batches of 16, the engine in
batches of 32. t/io_uring opens the file with O_NOATIME and fio does not, so the engine does as its
peer of the moment.
"""

from __future__ import annotations

import engine
import fio
import t_io_uring
from scratch import Scratch
from side_by_side import Comparison, Measure, Sample

SECONDS = 1
DEPTH = 32
KEY = "operations_per_second"


def against_fio(scratch: Scratch) -> Comparison:
    """Compare with fio."""
    path = str(scratch.sparse_file())
    options = [*fio.AT_ITS_BEST, "--direct=1", f"--filename={path}", "--size=4g"]

    def theirs() -> Sample:
        return Sample({KEY: fio.random_reads(options, DEPTH, SECONDS).operations_per_second})

    return Comparison("fio", [at_least(1.4)], lambda: ours(path, noatime=False), theirs)


def against_t_io_uring(scratch: Scratch) -> Comparison:
    """Compare with fio's peak tester."""
    t_io_uring.require()
    path = str(scratch.sparse_file())

    def theirs() -> Sample:
        return Sample({KEY: t_io_uring.operations_per_second(path, DEPTH, 16, SECONDS)})

    measure = at_least(0.95)
    return Comparison("t/io_uring", [measure], lambda: ours(path, noatime=True), theirs)


def ours(path: str, *, noatime: bool) -> Sample:
    """Run the engine."""
    target = {"kind": "file", "path": path, "size_bytes": 4 << 30}
    load = engine.random_reads(target, DEPTH, SECONDS, batch=DEPTH, noatime=noatime)
    return Sample({KEY: load.operations_per_second})


def at_least(goal: float) -> Measure:
    """Give the measure with its goal."""
    return Measure(KEY, "rate", "operations/s", f">= {goal}", lambda ratio, _: ratio >= goal)
