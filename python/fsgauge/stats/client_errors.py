"""What clients did not do: errors by operation and kind, files and clients given up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fsgauge.engine import wire
from fsgauge.record.factors import factors_of
from fsgauge.record.records import Cell, Plan, RunRecord
from fsgauge.stats.result_model import ResultModel


@dataclass(frozen=True)
class ErrorWords:
    """One kind of error: its name in a table, and words after "because" and after "use"."""

    name: str
    because: str
    needed: str


ERRORS: dict[wire.ClientErrorKind, ErrorWords] = {
    "no_space": ErrorWords("no space", "the storage was full", ""),
    "quota": ErrorWords(
        "quota",
        "a quota was used up",
        "a larger quota for this user on that file system, or fewer files",
    ),
    "too_many_open_files": ErrorWords(
        "too many open files",
        "too many files were open",
        "a higher limit of open files (ulimit -Hn), or fewer workload.clients",
    ),
    "permission_denied": ErrorWords(
        "permission denied",
        "permission was denied",
        "a folder in which this user may make directories and files",
    ),
    "read_only": ErrorWords(
        "read-only",
        "the file system was read-only",
        "a file system that is mounted for writing; dmesg | tail says why it is not",
    ),
    "exists": ErrorWords(
        "exists",
        "a file that should be new was there",
        "an empty folder: something else makes files of the same names",
    ),
    "missing": ErrorWords(
        "missing",
        "a file or directory was gone",
        "a folder that nothing else removes while the study runs",
    ),
    "io": ErrorWords(
        "I/O error",
        "the storage or file system reported an I/O error",
        "healthy storage: dmesg | tail",
    ),
    "short": ErrorWords(
        "short file",
        "a file ended before its size",
        "a folder in which nothing else changes files while the study runs",
    ),
    "connection_refused": ErrorWords(
        "connection refused",
        "a server refused the connection",
        "a server that listens on that port and accepts this many connections: its limit of"
        " connections or processes, and net.core.somaxconn; or fewer workload.clients",
    ),
    "connection_lost": ErrorWords(
        "connection lost",
        "the connection to the server was lost",
        "a server that stays up: its log says why it dropped its sessions",
    ),
    "timed_out": ErrorWords(
        "timed out",
        "the server did not answer in time",
        "a server that answers within 30 s: look at its load and at the network",
    ),
    "login_refused": ErrorWords(
        "login refused",
        "the server refused the login",
        "the user's password (FSGAUGE_SMB_PASSWORD, or access.password_file), and a server that"
        " accepts this many sessions of one user",
    ),
    "protocol": ErrorWords(
        "protocol error",
        "the server does not speak this version, or broke its protocol",
        "a server that speaks this version: --set access.smb_dialect=2.1 is an older one",
    ),
    "other": ErrorWords("other error", "another error occurred", "dmesg | tail"),
}


def needed(kind: wire.ClientErrorKind, cell: Cell) -> str:
    """What would let the clients of a cell do their work."""
    return factors_of(cell).more_space if kind == "no_space" else ERRORS[kind].needed


class ErrorRow(ResultModel):
    """Errors of one operation and kind on one system in one cell, over `runs` runs."""

    cell: str
    system: str
    operation: wire.ClientOperation
    kind: wire.ClientErrorKind
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


def clients_of(runs: Sequence[RunRecord]) -> Iterator[tuple[RunRecord, wire.ClientsResult]]:
    """The runs in which clients worked, also those that were cut short: an error is an error."""
    for run in runs:
        if run.result is not None and run.result.clients is not None:
            yield run, run.result.clients


def error_rows(plan: Plan, runs: Sequence[RunRecord]) -> list[ErrorRow]:
    """One row a cell, system, operation and kind, in the order of the plan."""
    found: dict[tuple[str, str, str, str], list[wire.ClientError]] = {}
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
                    of_clients=sum(factors_of(run.cell).at_once_on_all_hosts for run, _ in of_cell),
                )
            )
    return found


def _planned(run: RunRecord, clients: wire.ClientsResult) -> int:
    """Files of a run: those of a client that gave up are missing, though none of them failed."""
    tried = clients.files + clients.files_given_up
    job = run.job
    if not isinstance(job, wire.ClientsJob) or job.phase.kind in ("mix", "backup"):
        return tried
    ended = run.result is not None and run.result.ended == "size_limit"
    of_host = job.clients * job.files.files_per_client
    hosts = factors_of(run.cell).host_count or 1
    return max(tried, hosts * of_host) if ended else tried
