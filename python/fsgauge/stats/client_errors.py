"""What clients did not do: errors by operation and kind, files and clients given up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fsgauge.factors import factors_of
from fsgauge.record import Plan, RunRecord
from fsgauge.stats.results import ResultModel
from fsgauge.wire import (
    ClientError,
    ClientErrorKind,
    ClientOperation,
    ClientsJob,
    ClientsResult,
)

ERROR_WORDS: dict[ClientErrorKind, str] = {
    "no_space": "the storage was full",
    "quota": "a quota was used up",
    "too_many_open_files": "too many files were open",
    "permission_denied": "permission was denied",
    "read_only": "the file system was read-only",
    "exists": "a file that should be new was there",
    "missing": "a file or directory was gone",
    "io": "the storage or file system reported an I/O error",
    "short": "a file ended before its size",
    "connection_refused": "a server refused the connection",
    "connection_lost": "the connection to the server was lost",
    "timed_out": "the server did not answer in time",
    "login_refused": "the server refused the login",
    "protocol": "the server does not speak this version, or broke its protocol",
    "other": "another error",
}
"""Why operations failed, in words that follow "because"."""


class ErrorRow(ResultModel):
    """Errors of one operation and kind on one system in one cell, over `runs` runs."""

    cell: str
    system: str
    operation: ClientOperation
    kind: ClientErrorKind
    count: int
    runs: int
    first_path: str
    message: str


class GivenUp(ResultModel):
    """What one system's clients did not do in one cell, over all runs."""

    cell: str
    system: str
    files: int
    of_files: int
    clients: int
    of_clients: int


def clients_of(runs: Sequence[RunRecord]) -> Iterator[tuple[RunRecord, ClientsResult]]:
    """The runs in which clients worked, also those that were cut short: an error is an error."""
    for run in runs:
        if run.result is not None and run.result.clients is not None:
            yield run, run.result.clients


def error_rows(plan: Plan, runs: Sequence[RunRecord]) -> list[ErrorRow]:
    """One row a cell, system, operation and kind, in the order of the plan."""
    found: dict[tuple[str, str, str, str], list[ClientError]] = {}
    for run, clients in clients_of(runs):
        for error in clients.errors:
            key = (run.cell.id, run.system, error.operation, error.kind)
            found.setdefault(key, []).append(error)
    cells = [cell.id for cell in plan.cells]
    order = sorted(found, key=lambda key: (cells.index(key[0]), plan.systems.index(key[1])))
    return [
        ErrorRow(
            cell=key[0],
            system=key[1],
            operation=found[key][0].operation,
            kind=found[key][0].kind,
            count=sum(error.count for error in found[key]),
            runs=len(found[key]),
            first_path=found[key][0].first_path,
            message=found[key][0].message,
        )
        for key in order
    ]


def given_up(plan: Plan, runs: Sequence[RunRecord]) -> list[GivenUp]:
    """One entry a cell and system that gave up a file or a client."""
    found = []
    for cell in plan.cells:
        for system in plan.systems:
            of_cell = [
                (run, clients)
                for run, clients in clients_of(runs)
                if (run.cell.id, run.system) == (cell.id, system)
            ]
            gave_up = sum(clients.clients_gave_up for _, clients in of_cell)
            if not gave_up and not any(clients.files_given_up for _, clients in of_cell):
                continue
            planned = [_planned(run, clients) for run, clients in of_cell]
            found.append(
                GivenUp(
                    cell=cell.id,
                    system=system,
                    files=sum(planned) - sum(clients.files for _, clients in of_cell),
                    of_files=sum(planned),
                    clients=gave_up,
                    of_clients=sum(factors_of(run.cell).at_once for run, _ in of_cell),
                )
            )
    return found


def _planned(run: RunRecord, clients: ClientsResult) -> int:
    """Files of a run: those of a client that gave up are missing, though none of them failed."""
    tried = clients.files + clients.files_given_up
    job = run.job
    if not isinstance(job, ClientsJob) or job.phase.kind in ("mix", "backup"):
        return tried
    ended = run.result is not None and run.result.ended == "size_limit"
    return max(tried, job.clients * job.files.files_per_client) if ended else tried
