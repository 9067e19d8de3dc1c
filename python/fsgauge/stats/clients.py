"""What one run of many clients says as a whole, and of each client.

Takes a `wire.LoadResult` that has `clients`. A client is a job of the result.
"""

from __future__ import annotations

import statistics

from fsgauge.engine.wire import ClientsJob, ClientsResult, LoadResult, timed_parts
from fsgauge.record.records import RunRecord


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
    """Bytes per second of each client until its own end; of one without bytes or time, 0."""
    return [
        job.size_bytes * 1e9 / elapsed_ns if elapsed_ns else 0.0
        for job, elapsed_ns in zip(result.jobs, _times_ns(result), strict=True)
    ]


def mean_throughput(result: LoadResult) -> float | None:
    """The mean over clients of what each one moved per second; None from fewer than two."""
    found = throughputs(result)
    return statistics.fmean(found) if len(found) > 1 else None


def shares_of_mean(run: RunRecord) -> list[float]:
    """Each client's pace over the mean of all, ascending; empty where it is unknown.

    Clients may have unequal work: other sizes, other numbers of records. So a client's pace is the
    time that its operations take at the run's mean responses, over the time that it needed for
    them. With equal work that is its throughput. It is unknown for one reader, of a mix (where
    each client draws its own work), or where some did not come to their end.
    """
    result, job = run.result, run.job
    if result is None or result.clients is None or not isinstance(job, ClientsJob):
        return []
    clients = result.clients
    if job.phase.kind in ("mix", "backup") or clients.clients_gave_up or not clients.files:
        return []
    ends_ns = [each.elapsed_ns for each in result.jobs]
    if len(ends_ns) < 2 or None in ends_ns:
        return []
    record_ns, file_ns = _mean_costs_ns(clients)
    rest_ns = clients.think_ns / len(result.jobs)
    paces = []
    for place, each in enumerate(result.jobs):
        began_ns = job.ramp_ns * (place % job.clients) / job.clients  # each host has a ramp
        own_ns = max((each.elapsed_ns or 0) - began_ns - rest_ns, 1.0)
        work_ns = each.operations * record_ns + job.files.files_per_client * file_ns
        paces.append(work_ns / own_ns)
    mean = statistics.fmean(paces)
    return sorted(pace / mean for pace in paces) if mean > 0 else []


def _mean_costs_ns(clients: ClientsResult) -> tuple[float, float]:
    """Mean response of a record, and of all else that is done for one file."""
    of_records = [part for part in clients.operations if part.operation in ("read", "write")]
    others = [part for part in timed_parts(clients) if part not in of_records]
    records = sum(part.operations for part in of_records)
    record_ns = sum(part.response_latency.sum_ns for part in of_records)
    other_ns = sum(part.response_latency.sum_ns for part in others)
    return record_ns / records if records else 0.0, other_ns / clients.files


def _times_ns(result: LoadResult) -> list[int]:
    """Until each client's end, or the run's where it has none, from the measured part's start."""
    return [result.elapsed_ns if job.elapsed_ns is None else job.elapsed_ns for job in result.jobs]
