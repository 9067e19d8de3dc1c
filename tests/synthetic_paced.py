"""Paced loads that never ran, of kinds that are no plain reads: commits, and clients' files."""

from __future__ import annotations

import math

from fsgauge.engine import wire
from tests.synthetic import histogram_of
from tests.synthetic_curve import Queue, reads_job, served

SYNC_SHARE = 0.8
"""Of a commit's own time, what is spent in the call behind the write."""


def committed(job: wire.LoadJob, queue: Queue, shift: float, factor: float) -> wire.LoadResult:
    """The queue is one of commits: writes return at once, and wait for the call that follows."""
    whole = served(job.model_copy(update={"read_percent": 100}), queue, shift, factor)
    assert whole.read is not None and job.sync.kind == "fdatasync"
    done = whole.read.operations
    own_ns = max(int(queue.service_ms * 1e6), 10)
    writes = whole.read.model_copy(
        update={
            "service_latency": histogram_of({own_ns // 10: done}),
            "response_latency": histogram_of({own_ns // 10: done}) if job.rate else None,
        }
    )
    sync = wire.SyncResult(
        calls=done,
        latency=histogram_of({int(own_ns * SYNC_SHARE): done}),
        response_latency=whole.read.response_latency,
    )
    return whole.model_copy(update={"read": None, "write": writes, "sync": sync})


def done_by_clients(
    job: wire.ClientsJob, queue: Queue, shift: float, factor: float
) -> wire.LoadResult:
    """The queue is one of files, all of which are done once: a run lasts as long as that takes."""
    files = job.files.files_per_client * job.clients
    offered = job.rate.operations_per_second if job.rate else math.inf
    seconds = files / min(offered, queue.most * shift, queue.offers)
    whole = served(reads_job(seconds, job.rate), queue, shift, factor)
    assert whole.read is not None
    response = whole.read.response_latency
    operation = wire.ClientOperationResult(
        operation="create",
        operations=files,
        size_bytes=0,
        errors=0,
        response_latency=whole.read.service_latency,
        service_latency=whole.read.service_latency,
    )
    clients = wire.ClientsResult(
        dispatch="threads",
        threads=job.clients,
        calls=[],
        connect_ns=0,
        operations=[operation],
        errors=[],
        files=files,
        file_latency=response,
        files_given_up=0,
        clients_gave_up=0,
        active_ns=0,
        think_ns=0,
        checked_records=0,
        bad_records=0,
        bad=[],
        peak_memory_bytes=0,
    )
    jobs = [each.model_copy(update={"operations": 0, "size_bytes": 0}) for each in whole.jobs]
    return whole.model_copy(
        update={"read": None, "clients": clients, "jobs": jobs, "ended": "size_limit"}
    )
