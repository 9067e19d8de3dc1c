"""Depth 1, one 4 KiB random read at a time with pread: the engine against fio's psync.

On a sparse file the tools' own cost shows: the engine must be no slower. On a filled file the
storage is what is measured, so both must say the same: p50 and p99 within 3 %. Where the disk is
shared with others it decides nothing; the same on a file in memory (not direct, tmpfs has no
direct reads before Linux 6.6) is quieter. Rates are of each tool's own window.
"""

from __future__ import annotations

from pathlib import Path

import engine
import fio
from compiled import compiled
from scratch import FILLED_BYTES, SPARSE_BYTES, Scratch, run
from side_by_side import Comparison, Measure, Sample

SECONDS = 1
RATE, P50, P99 = "operations_per_second", "p50_ns", "p99_ns"


def on_sparse_file(scratch: Scratch) -> Comparison:
    """Compare the rate where no disk is involved."""
    return compare(scratch.sparse_file(), SPARSE_BYTES, [no_slower()])


def on_filled_file(scratch: Scratch) -> Comparison:
    """Compare what both say about the storage."""
    measures = [no_slower(0.97), alike(P50, "p50"), alike(P99, "p99")]
    return compare(scratch.filled_file(), FILLED_BYTES, measures)


def in_memory(scratch: Scratch) -> Comparison:
    """Compare what both say about a file that no disk holds."""
    measures = [alike(P50, "p50"), alike(P99, "p99")]
    return compare(scratch.file_in_memory(), FILLED_BYTES, measures, direct=False)


def in_memory_plain(scratch: Scratch) -> Comparison:
    """Compare with a loop in C that has nothing between its two clock reads but the call."""
    program, path = compiled("plain_reads.c", scratch.directory), scratch.file_in_memory()

    def theirs() -> Sample:
        p50_ns, p99_ns = map(float, run([str(program), str(path), str(SECONDS)]).split())
        return Sample({P50: p50_ns, P99: p99_ns})

    ours = compare(path, FILLED_BYTES, [], direct=False).engine
    return Comparison("plain loop in C", [alike(P50, "p50"), alike(P99, "p99")], ours, theirs)


def no_slower(goal: float = 1.0) -> Measure:
    """Give the measure of the rate."""
    return Measure(RATE, "rate", "operations/s", f">= {goal}", lambda ratio, _: ratio >= goal)


def alike(key: str, short: str) -> Measure:
    """Give the measure of a latency that must be the same."""
    return Measure(key, short, "ns", "0.97 to 1.03", lambda ratio, _: 0.97 <= ratio <= 1.03)


def compare(
    path: Path, size_bytes: int, measures: list[Measure], *, direct: bool = True
) -> Comparison:
    """Compare on one file."""
    named = [f"--filename={path}", f"--size={size_bytes}"]
    options = ["--ioengine=psync", f"--direct={int(direct)}", *named]
    target = {"kind": "file", "path": str(path), "size_bytes": size_bytes}

    def ours() -> Sample:
        load = engine.random_reads(target, 1, SECONDS, interface="psync", direct=direct)
        latencies = {P50: load.latency_ns(0.50), P99: load.latency_ns(0.99)}
        return Sample({RATE: load.operations_per_second, **latencies})

    def theirs() -> Sample:
        run = fio.random_reads(options, 1, SECONDS)
        latencies = {P50: run.latency_ns("50.000000"), P99: run.latency_ns("99.000000")}
        return Sample({RATE: run.operations_per_second, **latencies})

    return Comparison("fio", measures, ours, theirs)
