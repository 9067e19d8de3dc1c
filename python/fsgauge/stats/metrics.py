"""What is read out of a run: each metric's name, unit, direction and value.

Takes a `wire.LoadResult`; gives one number a metric. The direction is declared here and nowhere
guessed. A latency is the response latency when the load had a pace or many clients, and the
service time when it had neither (`latency_kind`). Calls that make writes durable, and the
operations of those that work beside a load (companions), have no pace: theirs is the time of the
call. Of many clients each is a job of the result.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import Literal, NamedTuple

from fsgauge.engine import wire
from fsgauge.record.quantiles import QUANTILES, quantile_words
from fsgauge.record.records import RunRecord
from fsgauge.stats.histogram import mean_ns, merge, quantile_of

Unit = Literal["IOPS", "B/s", "ns", "files/s"]
LatencyKind = Literal["service", "response"]

CLIENT_OPERATIONS = ("create", "open", "fsync", "close", "stat", "list", "rename", "unlink")
"""What clients do beside reads and writes, in the order in which reports show it."""
FILE_OPERATIONS = (
    *("append", "read_file", "write_file", "truncate", "fallocate", "fdatasync", "trim"),
    "mmap_read",
)
"""What the groups of a mix do beside those, in the order in which reports show it."""
SYNC = "sync"
"""A load's own calls of fsync or fdatasync, or the messages that mean it."""
COMMIT = "commit"
"""A paced write with what makes it durable: from its intended start to the return of the call."""
WHOLE_FILE = "file"
"""All that is done to one file of a paced client: from its intended start to the last call."""
COMPANIONS: dict[str, str] = {
    "log": "log write",
    "reader": "companion read",
    "checkpoint": "checkpoint write",
}
"""What companions do, by their role: a log write is an append with its fdatasync."""
OPERATIONS = (
    *("read", "write", SYNC, COMMIT, WHOLE_FILE),
    *CLIENT_OPERATIONS,
    *FILE_OPERATIONS,
    *COMPANIONS,
)
"""Everything that has latencies, in the order in which reports show it."""
CALLS = (SYNC, *COMPANIONS)
"""Those of which a latency is the time of the call, whatever the load's pace."""
BUCKET = 1 / 64
"""The widest bucket of a latency histogram, as a share of its value."""


@dataclass(frozen=True)
class Metric:
    """One number of a run. `resolution` is the widest step in which it can change, as a share."""

    name: str
    label: str
    unit: Unit
    higher_is_better: bool
    page: str
    resolution: float = 0.0

    @property
    def sign(self) -> int:
        """Of its logs, where higher is to be better."""
        return 1 if self.higher_is_better else -1


def _latency(operation: str, part: str, label: str) -> Metric:
    resolution = BUCKET if part in QUANTILES else 0.0
    called = COMPANIONS.get(operation, operation).replace("_", " ")
    return Metric(f"{operation}.{part}", f"{called} {label}", "ns", False, part, resolution)


METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric("iops", "operations per second", "IOPS", True, "iops"),
        Metric("bandwidth", "bandwidth", "B/s", True, "bandwidth"),
        Metric("complete", "time to complete", "ns", False, "complete"),
        Metric("per_client", "throughput per connection", "B/s", True, "per_client"),
        Metric("files", "files per second", "files/s", True, "files"),
        *(
            _latency(operation, part, label)
            for operation in OPERATIONS
            for part, label in (
                ("mean", "mean latency"),
                *((part, f"{quantile_words(part)} latency") for part in QUANTILES),
            )
        ),
        Metric("cpu", "CPU time of the load threads per I/O", "ns", False, "cpu"),
        Metric("machine_cpu", "CPU time of the machine per I/O", "ns", False, "machine_cpu"),
        Metric("write_back", "time to write back a slice", "ns", False, "write_back"),
        Metric("connect", "time until all are connected", "ns", False, "connect"),
    )
}
"""Every metric, in the order in which reports show them."""


class Reading(NamedTuple):
    """A metric's value in one run; `reach` is how far it may be off by its bucket, as a log."""

    value: float
    reach: float = 0.0


def values(result: wire.LoadResult) -> dict[str, float]:
    """Each metric that this run can answer; the others are absent."""
    return {name: reading.value for name, reading in readings(result).items()}


def readings(result: wire.LoadResult) -> dict[str, Reading]:
    """Each metric that this run can answer, with what its bucket leaves open."""
    if result.elapsed_ns == 0:
        return {}
    exact = {**_rates(result), **_processor(result)}
    found: dict[str, Reading] = {}
    for name, histogram in latencies(result).items():
        exact[f"{name}.mean"] = mean_ns(histogram)
        for key, quantile in QUANTILES.items():
            in_bucket = quantile_of(histogram, quantile)
            if in_bucket is not None and in_bucket.low_ns > 0:
                found[f"{name}.{key}"] = Reading(in_bucket.value_ns, in_bucket.reach)
    return found | {name: Reading(each) for name, each in exact.items() if each and each > 0}


def _rates(result: wire.LoadResult) -> dict[str, float | None]:
    """Of records read and written; of many clients also files and times."""
    operations = sum(part.operations for part in wire.sides_of(result))
    size_bytes = sum(part.size_bytes for part in wire.sides_of(result))
    elapsed_ns = wire.elapsed_with_finish_ns(result)
    found: dict[str, float | None] = {
        "iops": operations * 1e9 / elapsed_ns,
        "bandwidth": size_bytes * 1e9 / elapsed_ns,
    }
    if result.clients is not None:
        found["complete"] = time_to_complete_ns(result)
        found["per_client"] = mean_throughput(result)
        found["files"] = files_per_second(result)
        found["connect"] = result.clients.connect_ns
    return found


def _processor(result: wire.LoadResult) -> dict[str, float | None]:
    operations = wire.timed_operations(result)
    if operations == 0:
        return {}
    return {
        "cpu": (result.cpu.user_ns + result.cpu.system_ns) / operations,
        "machine_cpu": result.machine_cpu.busy_ns / operations,
    }


def latencies(result: wire.LoadResult) -> dict[str, wire.Histogram]:
    """The histogram of each operation that was done, by the operation's name."""
    if result.file_operations:
        return {each.operation: each.latency for each in result.file_operations}
    parts = {"read": result.read, "write": result.write}
    found = {name: latency_of(part) for name, part in parts.items() if part and part.operations}
    if result.sync is not None and result.sync.calls:
        found[SYNC] = result.sync.latency
        if result.sync.response_latency is not None:
            found[COMMIT] = result.sync.response_latency
    for role in COMPANIONS:
        of_role = [each.latency for each in result.companions if each.role == role]
        done = merge(each for each in of_role if each.operations)
        if done is not None:
            found[role] = done
    if result.clients is not None and result.clients.file_latency is not None:
        found[WHOLE_FILE] = result.clients.file_latency
    for other in result.clients.operations if result.clients is not None else ():
        if other.operation in CLIENT_OPERATIONS and other.operations:
            found[other.operation] = other.response_latency
    return found


def service_times(result: wire.LoadResult, operation: str) -> list[wire.Histogram]:
    """How long the calls themselves took that an operation is made of, without the wait for a
    place: of reads and writes from submission; a commit's are those that make it durable."""
    clients = result.clients
    if operation == COMMIT and result.sync is not None:
        return [result.sync.latency]
    if operation == WHOLE_FILE and clients is not None:
        return [each.service_latency for each in wire.timed_parts(clients)]
    side = {"read": result.read, "write": result.write}.get(operation)
    sides = wire.sides_of(result) if side is None else [side]
    return [each.service_latency for each in sides]


def latency_of(part: wire.OperationResult) -> wire.Histogram:
    """The histogram that latencies are read from: from the intended start where there is one."""
    return part.service_latency if part.response_latency is None else part.response_latency


def time_to_complete_ns(result: wire.LoadResult) -> int | None:
    """From the first client's start to the last one's end, with the sync behind it; None where not
    all was done."""
    clients = result.clients
    if clients is None or result.ended != "size_limit" or clients.clients_gave_up:
        return None
    return wire.elapsed_with_finish_ns(result)


def files_per_second(result: wire.LoadResult) -> float | None:
    """Files that were done whole (of a mix: activities), by the time with the sync at its end."""
    if result.clients is None or not result.elapsed_ns:
        return None
    return result.clients.files * 1e9 / wire.elapsed_with_finish_ns(result)


def throughputs(result: wire.LoadResult) -> list[float]:
    """Bytes per second of each client until its own end; of one without bytes or time, 0."""
    return [
        job.size_bytes * 1e9 / elapsed_ns if elapsed_ns else 0.0
        for job, elapsed_ns in zip(result.jobs, _times_ns(result), strict=True)
    ]


def mean_throughput(result: wire.LoadResult) -> float | None:
    """The mean over clients of what each one moved per second; None from fewer than two."""
    found = throughputs(result)
    return statistics.fmean(found) if len(found) > 1 else None


def client_paces(run: RunRecord) -> list[float]:
    """Each client's pace over the mean of all, in the order of jobs; empty where it is unknown.

    Clients may have unequal work: other sizes, other numbers of records. So a client's pace is the
    time that its operations take at the run's mean responses, over the time that it needed for
    them. With equal work that is its throughput. It is unknown for one reader, of a mix (where
    each client draws its own work), where some did not come to their end, and where rests hide it:
    what a client rested is known of all together, and only rests of one length take the same from
    each client that does one thing at a time.
    """
    result, job = run.result, run.job
    if result is None or result.clients is None or not isinstance(job, wire.ClientsJob):
        return []
    clients = result.clients
    if job.phase.kind in ("mix", "backup") or clients.clients_gave_up or not clients.files:
        return []
    if job.think is not None and (job.think.spread == "exponential" or job.outstanding > 1):
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
    return [pace / mean for pace in paces] if mean > 0 else []


def _mean_costs_ns(clients: wire.ClientsResult) -> tuple[float, float]:
    """Mean response of a record, and of all else that is done for one file."""
    of_records = [part for part in clients.operations if part.operation in ("read", "write")]
    others = [part for part in wire.timed_parts(clients) if part not in of_records]
    records = sum(part.operations for part in of_records)
    record_ns = sum(part.response_latency.sum_ns for part in of_records)
    other_ns = sum(part.response_latency.sum_ns for part in others)
    return record_ns / records if records else 0.0, other_ns / clients.files


def _times_ns(result: wire.LoadResult) -> list[int]:
    """Until each client's end, or the run's where it has none, from the measured part's start."""
    return [result.elapsed_ns if job.elapsed_ns is None else job.elapsed_ns for job in result.jobs]


def own_rates(result: wire.LoadResult) -> list[float]:
    """Operations per second of each job over its own time, or over the run's where it has none.
    Where jobs end by themselves (passes) each did the same work in its own time."""
    return [
        job.operations * 1e9 / elapsed_ns if elapsed_ns > 0 else 0.0
        for job, elapsed_ns in zip(result.jobs, _times_ns(result), strict=True)
    ]
