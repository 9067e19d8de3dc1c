"""What many clients have beside the metrics of every study, as samples of the same kind.

Gives `Samples` whose names are those of `service_name`, `share_name`, `SHARES` and `DONE`. Pairing,
and the mean of the baseline's two turns, are then those of `fsgauge.stats.samples`.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Sequence

from fsgauge.engine.wire import ClientOperation
from fsgauge.kinds.connections.analysis.model import ClientShares, OperationTime
from fsgauge.kinds.connections.factors import ConnectionsFactors
from fsgauge.record.records import Plan, RunRecord
from fsgauge.stats.estimate import Estimate
from fsgauge.stats.histogram import mean_ns
from fsgauge.stats.metrics import client_paces
from fsgauge.stats.samples import Samples, is_complete

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
    return f"service.{operation}"


def share_name(operation: str) -> str:
    return f"service_share.{operation}"


def collect_clients(study: Samples, runs: Sequence[RunRecord]) -> Samples:
    """Service times, shares and ends of all runs that were measured to their end."""
    return study.beside().put_runs(runs, _values)


def _values(run: RunRecord) -> Iterator[tuple[str, float]]:
    clients = run.result.clients if run.result else None
    if clients is None:
        return
    for part in clients.operations:
        service, response = mean_ns(part.service_latency), mean_ns(part.response_latency)
        if service and response:
            yield service_name(part.operation), service
            yield share_name(part.operation), service / response
    shares = sorted(client_paces(run))
    for name, place in SHARES.items() if shares else ():
        yield name, _nearest(shares, place)
    if clients.first_done_ns and clients.last_done_ns:
        yield FIRST_DONE, clients.first_done_ns
        yield LAST_DONE, clients.last_done_ns


def _nearest(ascending: Sequence[float], place: float) -> float:
    """The value that a share `place` of them does not exceed, by nearest rank."""
    rank = max(1, math.ceil(place * len(ascending) - 1e-9))
    return ascending[rank - 1]


def client_shares(plan: Plan, samples: Samples) -> list[ClientShares]:
    found = []
    clients = {cell.id: ConnectionsFactors.of(cell).at_once_on_all_hosts for cell in plan.cells}
    for cell, system in plan.places:
        shares = [samples.number(name, cell, system) for name in SHARES]
        smallest, tenth, half, nine_tenths, largest = shares
        if smallest and tenth and half and nine_tenths and largest:
            found.append(
                ClientShares(
                    cell=cell,
                    system=system,
                    clients=clients[cell],
                    smallest=_at_most_all(smallest),
                    tenth=tenth,
                    half=half,
                    nine_tenths=nine_tenths,
                    largest=largest,
                    first_done_ns=samples.number(FIRST_DONE, cell, system),
                    last_done_ns=samples.number(LAST_DONE, cell, system),
                )
            )
    return found


def _at_most_all(share: Estimate) -> Estimate:
    """The slowest client cannot be above the mean, and neither can the end of its interval."""
    return share if share.high is None else share.model_copy(update={"high": min(share.high, 1.0)})


def operation_times(
    plan: Plan, runs: Sequence[RunRecord], samples: Samples, operations: Sequence[ClientOperation]
) -> list[OperationTime]:
    counts = _counts(runs)
    found = []
    for cell in plan.cells:
        for operation in operations:
            for system in plan.systems:
                service = samples.number(service_name(operation), cell.id, system)
                share = samples.number(share_name(operation), cell.id, system)
                if service is None or share is None:
                    continue
                found.append(
                    OperationTime(
                        cell=cell.id,
                        system=system,
                        operation=operation,
                        operations=statistics.fmean(counts[cell.id, system, operation]),
                        service_ns=service,
                        share=share,
                    )
                )
    return found


def _counts(runs: Sequence[RunRecord]) -> dict[tuple[str, str, str], list[int]]:
    counts: dict[tuple[str, str, str], list[int]] = {}
    for run in runs:
        if run.result is None or run.result.clients is None or not is_complete(run):
            continue
        for part in run.result.clients.operations:
            counts.setdefault((run.cell.id, run.system, part.operation), []).append(part.operations)
    return counts
