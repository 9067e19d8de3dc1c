"""How evenly clients shared, and what of a response was the call: estimates over blocks."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from fsgauge.kinds.connections.analysis.model import ClientShares, OperationTime
from fsgauge.kinds.connections.analysis.samples import (
    FIRST_DONE,
    LAST_DONE,
    SHARES,
    service_name,
    share_name,
)
from fsgauge.kinds.connections.factors import ConnectionsFactors
from fsgauge.record import Plan, RunRecord
from fsgauge.stats.estimate import Estimate, estimate
from fsgauge.stats.samples import Samples, is_complete
from fsgauge.wire import ClientOperation


def client_shares(plan: Plan, samples: Samples) -> list[ClientShares]:
    """One entry a cell and system in which several clients worked."""
    found = []
    for cell in plan.cells:
        for system in plan.systems:
            shares = [estimate(samples.block_logs(name, cell.id, system)) for name in SHARES]
            smallest, tenth, half, nine_tenths, largest = shares
            if not (smallest and tenth and half and nine_tenths and largest):
                continue
            found.append(
                ClientShares(
                    cell=cell.id,
                    system=system,
                    clients=ConnectionsFactors.of(cell).clients,
                    smallest=_at_most_all(smallest),
                    tenth=tenth,
                    half=half,
                    nine_tenths=nine_tenths,
                    largest=largest,
                    first_done_ns=estimate(samples.block_logs(FIRST_DONE, cell.id, system)),
                    last_done_ns=estimate(samples.block_logs(LAST_DONE, cell.id, system)),
                )
            )
    return found


def _at_most_all(share: Estimate) -> Estimate:
    """The slowest client cannot be above the mean, and neither can the end of its interval."""
    return share if share.high is None else share.model_copy(update={"high": min(share.high, 1.0)})


def operation_times(
    plan: Plan, runs: Sequence[RunRecord], samples: Samples, operations: Sequence[ClientOperation]
) -> list[OperationTime]:
    """One entry a cell, system and operation that was done, operations in this order."""
    counts = _counts(runs)
    found = []
    for cell in plan.cells:
        for operation in operations:
            for system in plan.systems:
                service = estimate(samples.block_logs(service_name(operation), cell.id, system))
                share = estimate(samples.block_logs(share_name(operation), cell.id, system))
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
