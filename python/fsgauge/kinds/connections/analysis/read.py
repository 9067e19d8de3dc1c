"""From a study's records to `Connections`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from fsgauge.kinds.connections.analysis.extents import cell_extents, reference_of, scanned_cells
from fsgauge.kinds.connections.analysis.little import little_rows
from fsgauge.kinds.connections.analysis.model import CallRow, Connections
from fsgauge.kinds.connections.analysis.samples import collect_clients
from fsgauge.kinds.connections.analysis.serving_model import Serving
from fsgauge.kinds.connections.analysis.shares import client_shares, operation_times
from fsgauge.kinds.connections.factors import ConnectionsFactors
from fsgauge.record import Plan, RunRecord, ScanRecord
from fsgauge.stats.client_errors import clients_of, error_rows, given_up
from fsgauge.wire import ClientOperation, ClientsJob

OPERATIONS: tuple[ClientOperation, ...] = get_args(ClientOperation)
DISPATCHES = {"event_loop": "event loop", "threads": "threads"}


def read_connections(
    plan: Plan,
    runs: Sequence[RunRecord],
    scans: Sequence[ScanRecord],
    equivalence_percent: float,
    serving: Serving | None = None,
) -> Connections:
    """All that only many clients have."""
    samples = collect_clients(plan, runs)
    factors = [ConnectionsFactors.of(cell) for cell in plan.cells]
    found = [clients for _, clients in clients_of(runs)]
    jobs = [run.job for run in runs if isinstance(run.job, ClientsJob)]
    with_extents = {scan.system for scan in scanned_cells(scans)}
    return Connections(
        clients=max(each.clients for each in factors),
        outstanding=max(each.outstanding for each in factors),
        rests=any(job.think is not None for job in jobs),
        dispatch=sorted({DISPATCHES[clients.dispatch] for clients in found}),
        threads=sorted(
            {
                c.threads
                for run, c in clients_of(runs)
                if ConnectionsFactors.of(run.cell).test != "backup"
            }
        ),
        calls=_calls(runs),
        peak_memory_bytes=max((clients.peak_memory_bytes for clients in found), default=0),
        checked_records=sum(clients.checked_records for clients in found),
        bad_records=sum(clients.bad_records for clients in found),
        times=operation_times(plan, runs, samples, OPERATIONS),
        shares=client_shares(plan, samples),
        little=little_rows(plan, runs),
        extents=cell_extents(plan, scans, equivalence_percent),
        extents_primary=plan.primary_layout,
        extents_reference=reference_of(plan, scans),
        without_extents=[system for system in plan.systems if system not in with_extents],
        errors=error_rows(plan, runs),
        given_up=given_up(plan, runs),
        serving=serving,
    )


def _calls(runs: Sequence[RunRecord]) -> list[CallRow]:
    """Every call that carried an operation of clients, operations in their usual order.

    A backup's one reader makes plain calls, whatever carries the clients.
    """
    of_clients = [
        clients
        for run, clients in clients_of(runs)
        if ConnectionsFactors.of(run.cell).test != "backup"
    ]
    rows = {
        (call.operation, call.call, call.reason): CallRow(
            operation=call.operation, call=call.call, reason=call.reason
        )
        for clients in of_clients
        for call in clients.calls
    }
    return sorted(rows.values(), key=lambda row: (OPERATIONS.index(row.operation), row.call))
