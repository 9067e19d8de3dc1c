"""What many clients have beside the metrics of every study, as samples of the same kind.

Gives `Samples` whose names are those of `service_name`, `share_name`, `SHARES` and `DONE`. Pairing,
and the mean of the baseline's two turns, are then those of `fsgauge.stats.samples`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from fsgauge.kinds.connections.factors import ConnectionsFactors
from fsgauge.record import Plan, RunRecord
from fsgauge.stats.clients import shares_of_mean
from fsgauge.stats.histogram import mean_ns
from fsgauge.stats.samples import Samples, is_complete
from fsgauge.wire import ClientsJob, ClientsResult

SHARES = {
    "shares.smallest": 0.0,
    "shares.tenth": 0.1,
    "shares.half": 0.5,
    "shares.nine_tenths": 0.9,
    "shares.largest": 1.0,
}
"""Which clients' share of the mean, counted from the slowest."""
FIRST_DONE, LAST_DONE = "done.first", "done.last"


def service_name(operation: str) -> str:
    """The name of an operation's mean service time."""
    return f"service.{operation}"


def share_name(operation: str) -> str:
    """The name of service over response."""
    return f"service_share.{operation}"


def collect_clients(plan: Plan, runs: Sequence[RunRecord]) -> Samples:
    """Service times, shares and ends of all runs that were measured to their end."""
    samples = Samples(plan)
    for run in runs:
        result = run.result
        if result is None or result.clients is None or not is_complete(run):
            continue
        for name, value in _values(run, result.clients):
            key = (name, run.cell.id, run.system)
            samples.logs.setdefault(key, {})[run.block, run.again] = math.log(value)
    return samples


def _values(run: RunRecord, clients: ClientsResult) -> Iterator[tuple[str, float]]:
    for part in clients.operations:
        service, response = mean_ns(part.service_latency), mean_ns(part.response_latency)
        if service and response:
            yield service_name(part.operation), service
            yield share_name(part.operation), service / response
    shares = client_paces(run)
    for name, place in SHARES.items() if shares else ():
        yield name, _nearest(shares, place)
    if clients.first_done_ns and clients.last_done_ns:
        yield FIRST_DONE, clients.first_done_ns
        yield LAST_DONE, clients.last_done_ns


def client_paces(run: RunRecord) -> list[float]:
    """`shares_of_mean`, where rests leave them to be told; otherwise empty.

    What a client rested is known of all clients together. Rests of one length take the same from
    each; drawn rests, or those of several files at a time, hide its pace.
    """
    job = run.job
    rests = job.think if isinstance(job, ClientsJob) else None
    if rests is not None and (
        rests.spread == "exponential" or ConnectionsFactors.of(run.cell).outstanding > 1
    ):
        return []
    return shares_of_mean(run)


def _nearest(ascending: Sequence[float], place: float) -> float:
    """The value that a share `place` of them does not exceed, by nearest rank."""
    rank = max(1, math.ceil(place * len(ascending) - 1e-9))
    return ascending[rank - 1]
