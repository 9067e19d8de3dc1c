"""What statistics say of many clients: beside the metrics, what only a study `connections` has."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import get_args

from fsgauge.engine.wire import ClientOperation, ClientsJob
from fsgauge.kinds.connections.analysis.extents import (
    cell_extents,
    extents_sentence,
    reference_of,
    scanned_cells,
)
from fsgauge.kinds.connections.analysis.findings import connections_findings
from fsgauge.kinds.connections.analysis.little import little_rows
from fsgauge.kinds.connections.analysis.model import (
    ByClients,
    CallRow,
    ClientShares,
    Connections,
    OperationTime,
)
from fsgauge.kinds.connections.analysis.serving import read_serving
from fsgauge.kinds.connections.factors import ConnectionsFactors, Test
from fsgauge.record.records import Cell, Plan, RunRecord
from fsgauge.stats.analysis import Analysis, Material
from fsgauge.stats.answer import plain_answer
from fsgauge.stats.client_errors import clients_of, error_rows, given_up
from fsgauge.stats.contrast import Contrast, Value, in_blocks, judged_ratio
from fsgauge.stats.estimate import Estimate
from fsgauge.stats.evidence import Evidence, Question
from fsgauge.stats.histogram import mean_ns
from fsgauge.stats.metrics import METRICS, client_paces
from fsgauge.stats.results import Finding
from fsgauge.stats.samples import Samples, is_complete
from fsgauge.stats.sentence import comparisons_in
from fsgauge.stats.verdict import BLOCKS_FOR_A_VERDICT
from fsgauge.units import count

RESPONSES: Mapping[Test, str] = {
    "write": "write.mean",
    "backup fill": "write.mean",
    "read": "read.mean",
    "mix": "read.mean",
    "stat": "stat.mean",
    "delete": "unlink.mean",
    "backup": "read.mean",
}
"""The operation of which a test is made most."""
_Key = tuple[str, str, str]
"""Cell, system, and which of the ratios."""
COUNTED_IN_FILES = ("mix", "stat", "delete")
"""Tests that are judged by files per second; in the others all systems move the same bytes."""


def _rate_metric(test: Test) -> str:
    return "files" if test in COUNTED_IN_FILES else "bandwidth"


class ConnectionsAnalysis(Analysis):
    own = Connections

    def primary_metric(self, cell: Cell, *, paced: bool) -> str:  # noqa: ARG002
        return _rate_metric(ConnectionsFactors.of(cell).test)

    def read(self, material: Material) -> Connections:
        plan, runs, scans = material.study.plan, material.runs, material.scans
        margin, samples = material.equivalence_percent, collect_clients(material.samples, runs)
        factors = [ConnectionsFactors.of(cell) for cell in plan.cells]
        found = [clients for _, clients in clients_of(runs)]
        jobs = [run.job for run in runs if isinstance(run.job, ClientsJob)]
        with_extents = {scan.system for scan in scanned_cells(scans)}
        measured = {run.system for run in runs}
        return Connections(
            clients=max(each.at_once_on_all_hosts for each in factors),
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
            extents=cell_extents(material.samples, scans, margin),
            extents_primary=plan.primary_layout,
            extents_reference=reference_of(plan, scans),
            without_extents=[each for each in plan.systems if each in measured - with_extents],
            errors=error_rows(plan, runs),
            given_up=given_up(plan, runs),
            serving=read_serving(material),
            by_clients=by_clients(plan, material.samples, margin),
        )

    def findings(self, evidence: Evidence) -> Iterable[Finding]:
        return connections_findings(evidence)

    def answer(self, question: Question) -> str:
        found = [each for cell in question.primary for each in comparisons_in(question, cell)]
        is_told = any(each.n >= BLOCKS_FOR_A_VERDICT for each in found)
        extents = extents_sentence(question) if is_told else ""
        failed = _failed(Connections.within(question))
        return " ".join(filter(None, (plain_answer(question), extents, failed)))


def _failed(connections: Connections) -> str:
    failed = sum(row.count for row in connections.errors)
    return f"{count(failed, 'operation')} failed: look at the errors first." if failed else ""


ANALYSIS = ConnectionsAnalysis()
OPERATIONS: tuple[ClientOperation, ...] = get_args(ClientOperation)
DISPATCHES = {"event_loop": "event loop", "threads": "threads"}


def _calls(runs: Sequence[RunRecord]) -> list[CallRow]:
    """Every call that carried an operation of clients, operations in their usual order. A backup's
    one reader makes plain calls, whatever carries the clients."""
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


def by_clients(plan: Plan, samples: Samples, equivalence_percent: float) -> list[ByClients]:
    """One entry a test, system and number of clients, numbers ascending; [] without a sweep.

    Rates and responses are over those of the fewest clients on the same system in the same block;
    `gain_ratio` is how the gain over the baseline differs from that with the fewest. Gains are one
    family of comparisons, each kind of scaling another.
    """
    swept = [cell for cell in plan.cells if ConnectionsFactors.of(cell).swept_clients is not None]
    judged = in_blocks(dict(_contrasts(plan, swept)), samples, equivalence_percent)
    found = []
    for cell in swept:
        factors = ConnectionsFactors.of(cell)
        rate_of, response_of = _rate_metric(factors.test), RESPONSES[factors.test]
        for system in plan.systems:
            rate = samples.number(rate_of, cell.id, system)
            if rate is None or factors.swept_clients is None:
                continue
            found.append(
                ByClients(
                    cell=cell.id,
                    test=_test_words(factors),
                    system=system,
                    clients=factors.swept_clients,
                    unit=METRICS[rate_of].unit,
                    operation=response_of.partition(".")[0],
                    rate=rate,
                    response_ns=samples.number(response_of, cell.id, system),
                    rate_ratio=judged_ratio(judged.get((cell.id, system, "rate"))),
                    response_ratio=judged_ratio(judged.get((cell.id, system, "response"))),
                    gain_ratio=judged_ratio(judged.get((cell.id, system, "gain"))),
                )
            )
    tests = list(dict.fromkeys(_test_words(ConnectionsFactors.of(cell)) for cell in swept))
    return sorted(found, key=lambda each: tests.index(each.test))


def _test_words(factors: ConnectionsFactors) -> str:
    """The test without its number of clients: "write", "backup, directory order, 4 hosts"."""
    order = f"{factors.order} order" if factors.order else ""
    return ", ".join(filter(None, (factors.test, order, factors.hosts_words)))


def _contrasts(plan: Plan, swept: list[Cell]) -> Iterator[tuple[_Key, Contrast]]:
    fewest: dict[str, Cell] = {}
    for cell in swept:
        factors = ConnectionsFactors.of(cell)
        first = fewest.setdefault(_test_words(factors), cell)
        if first is cell:
            continue
        rate, response = _rate_metric(factors.test), RESPONSES[factors.test]
        for system in plan.systems:
            for name, metric in (("rate", rate), ("response", response)):
                many, few = (Value(metric, each.id, system) for each in (cell, first))
                yield (cell.id, system, name), Contrast(many, few, name)
            if system != plan.baseline:
                gain, of_few = (
                    Contrast(Value(rate, each.id, system), Value(rate, each.id, plan.baseline))
                    for each in (cell, first)
                )
                yield (cell.id, system, "gain"), Contrast(gain, of_few, "gain")


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
