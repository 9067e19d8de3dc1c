"""CPU time of one operation when the target costs nothing: the engine against fio's null engine.

Both record a latency for every operation. Start-up is taken out by the difference of two lengths:
(CPU time of the long run - of the short run) / (operations of the long run - of the short run).
"""

from __future__ import annotations

import engine
import fio
from scratch import Scratch
from side_by_side import Comparison, Measure, Sample

SHORT_SECONDS, LONG_SECONDS = 0.3, 1.5
TARGET = {"kind": "null", "size_bytes": 100 << 30}
KEY = "cpu_ns_per_operation"


def depth_32(scratch: Scratch) -> Comparison:
    """Compare at depth 32."""
    del scratch
    return at_depth(32, 0.3)


def depth_1(scratch: Scratch) -> Comparison:
    """Compare at depth 1."""
    del scratch
    return at_depth(1, 0.6)


def at_depth(depth: int, goal: float) -> Comparison:
    """Compare at any depth; the ratio may be `goal` at most."""

    def ours() -> Sample:
        runs = [
            engine.random_reads(TARGET, depth, seconds) for seconds in (SHORT_SECONDS, LONG_SECONDS)
        ]
        # The short warm-up is not counted as operations, and cancels out.
        return difference(runs[0].cpu_ns, runs[1].cpu_ns, runs[0].operations, runs[1].operations)

    def theirs() -> Sample:
        options = ["--ioengine=null", "--size=100g"]
        runs = [
            fio.random_reads(options, depth, seconds) for seconds in (SHORT_SECONDS, LONG_SECONDS)
        ]
        return difference(runs[0].cpu_ns, runs[1].cpu_ns, runs[0].operations, runs[1].operations)

    measure = Measure(
        KEY, "cpu", "ns of CPU per operation", f"<= {goal}", lambda ratio, _: ratio <= goal
    )
    return Comparison("fio null", [measure], ours, theirs)


def difference(short_ns: float, long_ns: float, short_count: int, long_count: int) -> Sample:
    """Take start-up out."""
    return Sample({KEY: (long_ns - short_ns) / (long_count - short_count)})
