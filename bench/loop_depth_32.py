"""4 KiB random direct reads at depth 32 from a loop device on memory, against fio.

The loop driver copies in kernel workers. Where they are the limit no tool can be faster, and the
goal is 0.98. The proof is in the engine's own result: its queue is full (operations in flight, a
time integral, near the depth) while its thread has time to spare. Then it waits for the device,
not the device for it.
"""

from __future__ import annotations

import engine
import fio
from scratch import FILLED_BYTES, Scratch
from side_by_side import Comparison, Measure, Sample

SECONDS = 0.5
DEPTH = 32
RATE, QUEUE, THREAD = "operations_per_second", "queue_full", "engine_cores"


def against_fio(scratch: Scratch) -> Comparison:
    """Compare with fio."""
    device = scratch.loop_device()
    options = [*fio.AT_ITS_BEST, "--direct=1", f"--filename={device}", f"--size={FILLED_BYTES}"]
    target = {"kind": "block", "path": device, "size_bytes": FILLED_BYTES}

    def ours() -> Sample:
        load = engine.random_reads(target, DEPTH, SECONDS, noatime=True)
        cpu = load.result["cpu"]
        thread = (cpu["user_ns"] + cpu["system_ns"]) / load.result["elapsed_ns"]
        queue = load.result["in_flight_mean"] / DEPTH
        return Sample({RATE: load.operations_per_second, QUEUE: queue, THREAD: thread})

    def theirs() -> Sample:
        return Sample({RATE: fio.random_reads(options, DEPTH, SECONDS).operations_per_second})

    goal = ">= 1.2, or 0.98 at the device's limit"
    measure = Measure(RATE, "rate", "operations/s", goal, meets)
    return Comparison("fio", [measure], ours, theirs, remark)


def shares(samples: list[Sample]) -> tuple[float, float]:
    """Give how full the queue was and how much of a core the engine's thread took, on average."""
    means = [
        sum(sample.values[key] for sample in samples) / len(samples) for key in (QUEUE, THREAD)
    ]
    return means[0], means[1]


def meets(ratio: float, samples: list[Sample]) -> bool:
    """Judge by the lower goal only where the device is the limit."""
    queue, thread = shares(samples)
    return ratio >= 1.2 or (ratio >= 0.98 and queue >= 0.85 and thread <= 0.8)


def remark(samples: list[Sample]) -> str:
    """Say who waited for whom."""
    queue, thread = shares(samples)
    return f"the engine's queue was {queue:.0%} full and its thread took {thread:.0%} of a core"
