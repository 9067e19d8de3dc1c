"""What statistics say of many clients: beside the metrics, what only a study `connections` has."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import get_args

from fsgauge.engine.wire import ClientOperation, ClientsJob, ScanResult
from fsgauge.kinds.connections.analysis.answer import connections_answer
from fsgauge.kinds.connections.analysis.findings import connections_findings
from fsgauge.kinds.connections.analysis.little import little_rows
from fsgauge.kinds.connections.analysis.model import ByClients, CallRow, CellExtents, Connections
from fsgauge.kinds.connections.analysis.samples import (
    client_shares,
    collect_clients,
    operation_times,
)
from fsgauge.kinds.connections.analysis.serving import read_serving
from fsgauge.kinds.connections.factors import ConnectionsFactors, Test
from fsgauge.record.records import Cell, Plan, RunRecord, ScanRecord
from fsgauge.stats.analysis import Analysis, Material
from fsgauge.stats.client_errors import error_rows, given_up
from fsgauge.stats.contrast import Contrast, Value, in_blocks, judged_ratio
from fsgauge.stats.evidence import Evidence, Question
from fsgauge.stats.layouts import PER_FILE, at_least, with_numbers
from fsgauge.stats.lost_data import clients_of
from fsgauge.stats.metrics import METRICS
from fsgauge.stats.results import Finding, JudgedRatio
from fsgauge.stats.samples import Samples
from fsgauge.stats.sentence import comparisons_in, noise_alone

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
    """Operations, shares, extents and servers of many clients."""

    own = Connections

    def primary_metric(self, cell: Cell, *, paced: bool) -> str:  # noqa: ARG002
        return _rate_metric(ConnectionsFactors.of(cell).test)

    def read(self, material: Material) -> Connections:
        return read_connections(material)

    def findings(self, evidence: Evidence) -> Iterable[Finding]:
        return connections_findings(evidence)

    def answer(self, question: Question) -> str | None:
        connections = Connections.within(question)
        if not question.others:
            return (question.over_hosts or noise_alone(question)) + _failed(connections)
        found = [entry for cell in question.primary for entry in comparisons_in(question, cell)]
        if not found:
            return None
        said = connections_answer(connections, question.baseline, question.primary, found)
        return said + _failed(connections)


def _failed(connections: Connections) -> str:
    """A sentence about operations that failed, with a space before it; "" without any."""
    count = sum(row.count for row in connections.errors)
    if not count:
        return ""
    return f" {count:,} operation{'s' if count > 1 else ''} failed: look at the errors first."


ANALYSIS = ConnectionsAnalysis()
OPERATIONS: tuple[ClientOperation, ...] = get_args(ClientOperation)
DISPATCHES = {"event_loop": "event loop", "threads": "threads"}


def read_connections(material: Material) -> Connections:
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


EXTENTS = "extents"


def scanned_cells(scans: Sequence[ScanRecord]) -> list[ScanRecord]:
    """The scans that followed a cell and can be counted: whole, with files that have extents."""
    return [
        scan
        for scan in scans
        if scan.when == "after cell"
        and scan.result is not None
        and scan.result.ended != "interrupted"
        and _files(scan.result) > 0
        and scan.result.counts.extents > 0
    ]


def reference_of(plan: Plan, scans: Sequence[ScanRecord]) -> str:
    """Whom ratios are to: the baseline, or the first system that has extents."""
    with_extents = {scan.system for scan in scanned_cells(scans)}
    found = [system for system in plan.systems if system in with_extents]
    return plan.baseline if plan.baseline in with_extents or not found else found[0]


def cell_extents(
    study: Samples, scans: Sequence[ScanRecord], equivalence_percent: float
) -> list[CellExtents]:
    """One entry a cell and system whose files were scanned after the cell. Of the baseline, the
    mean of its two turns counts in a block; ratios are one family of comparisons."""
    plan, whole = study.plan, scanned_cells(scans)
    of_cells = [(scan, scan.cell or "") for scan in whole]
    samples = with_numbers(study.beside(), of_cells, (EXTENTS, PER_FILE))
    ratios = _ratios(plan, samples, reference_of(plan, scans), equivalence_percent)
    found = []
    for cell, system in plan.places:
        of_cell = [scan for scan in whole if (scan.cell, scan.system) == (cell, system)]
        results = [scan.result for scan in of_cell if scan.result is not None]
        extents = samples.number(EXTENTS, cell, system)
        per_file = samples.number(PER_FILE, cell, system)
        if extents is None or per_file is None:
            continue
        fragmented = sum(each.counts.fragmented_files for each in results)
        found.append(
            CellExtents(
                cell=cell,
                system=system,
                files=statistics.fmean(map(_files, results)),
                extents=extents,
                per_file=per_file,
                fragmented_share=fragmented / sum(map(_files, results)),
                mean_extent_bytes=_mean_extent_bytes(results),
                ratio=ratios.get((cell, system)),
                lengths=at_least([one for each in results for one in each.extent_lengths]),
                by_extents=_by_extents(results),
            )
        )
    return found


def _files(result: ScanResult) -> int:
    """An empty file, or one inside its inode, has no extent."""
    return result.counts.files - result.counts.files_without_extents


def _ratios(
    plan: Plan, samples: Samples, reference: str, equivalence_percent: float
) -> dict[tuple[str, str], JudgedRatio]:
    contrasts = {
        (cell, system): Contrast(Value(PER_FILE, cell, system), Value(PER_FILE, cell, reference))
        for cell, system in plan.places
        if system != reference
    }
    return {
        place: JudgedRatio(**judged.numbers())
        for place, judged in in_blocks(contrasts, samples, equivalence_percent).items()
    }


def _mean_extent_bytes(results: Sequence[ScanResult]) -> float:
    extents = sum(each.counts.extents for each in results)
    return sum(each.counts.extent_bytes for each in results) / extents


def _by_extents(results: Sequence[ScanResult]) -> list[tuple[int, float]]:
    """The share of files with so many extents, to below twice that; ascending."""
    files: dict[int, int] = {}
    for each in results:
        for found in each.files_by_extents:
            files[found.at_least_extents] = files.get(found.at_least_extents, 0) + found.files
    total = sum(files.values())
    return [(at, files[at] / total) for at in sorted(files)]
