"""What one run says of its writers: each one's own rate, and how evenly they shared.

A writer is a job. Where writers end by themselves (passes), each did the same work and was done at
its own time, so its own rate counts, not its share of operations.
"""

from __future__ import annotations

import statistics

from fsgauge.wire import LoadResult


def own_rates(result: LoadResult) -> list[float]:
    """Operations per second of each writer over its own time, or over the run's where it has none.

    Empty when the run has no length.
    """
    times_ns = [
        result.elapsed_ns if job.elapsed_ns is None else job.elapsed_ns for job in result.jobs
    ]
    if not times_ns or min(times_ns) <= 0:
        return []
    return [
        job.operations * 1e9 / elapsed_ns
        for job, elapsed_ns in zip(result.jobs, times_ns, strict=True)
    ]


def fairness(result: LoadResult) -> float | None:
    """The slowest writer's own rate as a share of the writers' mean; None from fewer than two."""
    rates = own_rates(result)
    mean = statistics.fmean(rates) if rates else 0.0
    return min(rates) / mean if len(rates) > 1 and mean > 0 else None
