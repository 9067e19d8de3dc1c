"""N = X (R + Z): whether clients at work, rate, response and rest fit together.

Source: J. Little, "A proof for the queuing formula L = lambda W", Operations Research 9 (1961);
with think time as in Denning and Buzen, "The operational analysis of queueing network models",
Computing Surveys 10 (1978). Of sums over a run it is exact, whatever the distributions: each
moment of each client's time has to be in one latency or in its rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fsgauge.engine.wire import ClientsJob, timed_operations, timed_parts
from fsgauge.kinds.connections.analysis.model import LittleRow
from fsgauge.kinds.connections.factors import ConnectionsFactors
from fsgauge.record.records import Plan, RunRecord
from fsgauge.stats.samples import is_complete

TOLERANCE_PERCENT = 2.0


@dataclass(frozen=True)
class Times:
    """Sums over runs, in client-nanoseconds; `operations` of every kind."""

    active_ns: float = 0.0
    response_ns: float = 0.0
    think_ns: float = 0.0
    elapsed_ns: float = 0.0
    operations: int = 0
    with_errors: bool = False

    def __add__(self, other: Times) -> Times:
        return Times(
            self.active_ns + other.active_ns,
            self.response_ns + other.response_ns,
            self.think_ns + other.think_ns,
            self.elapsed_ns + other.elapsed_ns,
            self.operations + other.operations,
            self.with_errors or other.with_errors,
        )

    @property
    def difference_percent(self) -> float:
        """What is in no latency and no rest (negative), or in two (positive), of N."""
        return 100 * ((self.response_ns + self.think_ns) / self.active_ns - 1)


def times_of(run: RunRecord) -> Times | None:
    """The sums of one run; None for a backup (one reader) and for what says nothing. An operation
    that stalled beyond the end and was never answered is a client's time and in no latency: no sums
    of such a run can fit."""
    result = run.result
    if result is None or result.clients is None or not isinstance(run.job, ClientsJob):
        return None
    if result.drain is not None and result.drain.unanswered:
        return None
    if run.job.phase.kind == "backup" or not is_complete(run):
        return None
    clients = result.clients
    active_ns = float(clients.active_ns)
    if run.job.outstanding > 1:  # a client is at work once, with several operations
        active_ns = result.in_flight_mean * result.elapsed_ns + clients.think_ns
    operations = timed_operations(result)
    if active_ns <= 0 or not operations or not result.elapsed_ns:
        return None
    if not any(part.response_latency.operations for part in timed_parts(clients)):
        return None  # simulated: it has no latencies
    return Times(
        active_ns=active_ns,
        response_ns=sum(part.response_latency.sum_ns for part in timed_parts(clients)),
        think_ns=clients.think_ns,
        elapsed_ns=result.elapsed_ns,
        operations=operations,
        with_errors=bool(clients.errors),
    )


def little_rows(plan: Plan, runs: Sequence[RunRecord]) -> list[LittleRow]:
    sums: dict[tuple[str, str], Times] = {}
    several = False
    for run in runs:
        times = times_of(run)
        if times is not None:
            key = (run.cell.id, run.system)
            sums[key] = sums.get(key, Times()) + times
            several = several or ConnectionsFactors.of(run.cell).outstanding > 1
    counts = "operations" if several else "clients"
    return [_row(*place, sums[place], counts) for place in plan.places if place in sums]


def _row(cell: str, system: str, times: Times, counts: str) -> LittleRow:
    return LittleRow(
        cell=cell,
        system=system,
        counts=counts,
        active=times.active_ns / times.elapsed_ns,
        rate=times.operations * 1e9 / times.elapsed_ns,
        response_ns=times.response_ns / times.operations,
        think_ns=times.think_ns / times.operations,
        product=(times.response_ns + times.think_ns) / times.elapsed_ns,
        difference_percent=times.difference_percent,
        with_errors=times.with_errors,
    )
