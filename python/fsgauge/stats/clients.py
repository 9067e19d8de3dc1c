"""What one run of many clients says as a whole, and of each client.

Takes a `wire.LoadResult` that has `clients`. A client is a job of the result.
"""

from __future__ import annotations

import statistics

from fsgauge.wire import LoadResult

SAME_WORK = 0.01
"""Clients whose bytes differ by less than this share had the same work."""


def time_to_complete_ns(result: LoadResult) -> int | None:
    """From the first client's start to the last one's end; None where not all was done."""
    clients = result.clients
    if clients is None or result.ended != "size_limit" or clients.clients_gave_up:
        return None
    return result.elapsed_ns


def files_per_second(result: LoadResult) -> float | None:
    """Files that were done whole (of a mix: activities)."""
    if result.clients is None or not result.elapsed_ns:
        return None
    return result.clients.files * 1e9 / result.elapsed_ns


def throughputs(result: LoadResult) -> list[float]:
    """Bytes per second of each client over its own time; of one without bytes or time, 0."""
    return [
        job.size_bytes * 1e9 / elapsed_ns if elapsed_ns else 0.0
        for job, elapsed_ns in zip(result.jobs, _times_ns(result), strict=True)
    ]


def mean_throughput(result: LoadResult) -> float | None:
    """The mean over clients of what each one moved per second; None from fewer than two."""
    found = throughputs(result)
    return statistics.fmean(found) if len(found) > 1 else None


def shares_of_mean(result: LoadResult) -> list[float]:
    """Each client's own rate over the mean of all, ascending; empty from fewer than two.

    In bytes where all had as many to move; else in operations: a client that was dealt small files
    moves fewer bytes a second, and nobody was unfair to it.
    """
    sizes = [job.size_bytes for job in result.jobs]
    if len(sizes) < 2:
        return []
    same_work = min(sizes) > 0 and max(sizes) - min(sizes) <= SAME_WORK * max(sizes)
    rates = throughputs(result) if same_work else _operation_rates(result)
    mean = statistics.fmean(rates)
    return sorted(rate / mean for rate in rates) if mean > 0 else []


def _operation_rates(result: LoadResult) -> list[float]:
    return [
        job.operations * 1e9 / elapsed_ns if elapsed_ns else 0.0
        for job, elapsed_ns in zip(result.jobs, _times_ns(result), strict=True)
    ]


def _times_ns(result: LoadResult) -> list[int]:
    """Each client's own time, or the run's where it has none."""
    return [result.elapsed_ns if job.elapsed_ns is None else job.elapsed_ns for job in result.jobs]
