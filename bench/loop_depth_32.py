"""4 KiB random direct reads at depth 32 from a loop device on a cached file: the engine against fio.

The loop driver copies with one kernel worker. Where that worker is the limit no tool can be faster, and the
goal is 0.98; the proof is in the samples: the worker has (nearly) a core to itself while the engine's thread has
time to spare.
"""

from __future__ import annotations

import time
from pathlib import Path

import engine
import fio
from scratch import FILLED_BYTES, Scratch
from side_by_side import Comparison, Measure, Sample

SECONDS = 2
DEPTH = 32
RATE, WORKERS, THREAD = "operations_per_second", "worker_cores", "engine_cores"
# USER_HZ of /proc on Linux; fixed by its interface.
TICKS_PER_SECOND = 100


def against_fio(scratch: Scratch) -> Comparison:
    """Compare with fio."""
    device = scratch.loop_device()
    options = [*fio.AT_ITS_BEST, "--direct=1", f"--filename={device}", f"--size={FILLED_BYTES}"]

    def ours() -> Sample:
        target = {"kind": "block", "path": device, "size_bytes": FILLED_BYTES}
        begin, begin_ticks = time.monotonic(), worker_ticks()
        load = engine.random_reads(target, DEPTH, SECONDS)
        # The engine's own start-up, when the worker rests, is in this time: the share is a little low.
        elapsed = time.monotonic() - begin
        workers = (worker_ticks() - begin_ticks) / TICKS_PER_SECOND / elapsed
        cpu = load.result["cpu"]
        thread = (cpu["user_ns"] + cpu["system_ns"]) / load.result["elapsed_ns"]
        return Sample({RATE: load.operations_per_second, WORKERS: workers, THREAD: thread})

    def theirs() -> Sample:
        return Sample({RATE: fio.random_reads(options, DEPTH, SECONDS).operations_per_second})

    goal = ">= 1.2, or 0.98 at the worker's limit"
    measure = Measure(RATE, "rate", "operations/s", goal, meets)
    return Comparison("fio", [measure], ours, theirs, remark)


def worker_ticks() -> int:
    """Give the CPU time of all kernel workers so far."""
    total = 0
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, _, rest = path.read_text().partition("(")[2].rpartition(")")
        except OSError:
            continue  # it has ended meanwhile
        if name.startswith(("kworker", "loop")):
            fields = rest.split()
            total += int(fields[11]) + int(fields[12])
    return total


def shares(samples: list[Sample]) -> tuple[float, float]:
    """Give the mean share of a core of the workers and of the engine's thread."""
    means = [sum(sample.values[key] for sample in samples) / len(samples) for key in (WORKERS, THREAD)]
    return means[0], means[1]


def meets(ratio: float, samples: list[Sample]) -> bool:
    """Judge by the lower goal only where the worker is the limit."""
    workers, thread = shares(samples)
    return ratio >= 1.2 or (ratio >= 0.98 and workers >= 0.8 and thread <= 0.8)


def remark(samples: list[Sample]) -> str:
    """Say who was busy."""
    workers, thread = shares(samples)
    return f"kernel workers used {workers:.0%} of a core, the engine's thread {thread:.0%}"
