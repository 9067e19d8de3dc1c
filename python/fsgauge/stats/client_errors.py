"""What clients did not do: errors by operation and kind, files and clients given up; and the
findings that say it, of whatever kind of study. A kind whose runs are clients has its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from fsgauge.engine import wire
from fsgauge.record.factors import factors_of
from fsgauge.record.records import Cell, Plan, RunRecord
from fsgauge.stats.evidence import Evidence, count, finding, name_of, part_of
from fsgauge.stats.lost_data import clients_of, lost_files
from fsgauge.stats.planned import primary_cells
from fsgauge.stats.result_model import ResultModel
from fsgauge.stats.results import Finding
from fsgauge.units import grouped

LARGEST_LOSS = 0.01
"""Share of a cell's files that may be missing before its comparisons mean nothing."""


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


def work_given_up(evidence: Evidence, grave_share: float | None = None) -> Iterator[Finding]:
    """Systems that did not do all of their work. The study is not valid where more than
    `grave_share` of a primary cell's files were given up."""
    plan = evidence.samples.plan
    lost = [each for each in given_up(plan, evidence.runs) if each.files or each.clients]
    if not lost:
        return
    names = {cell.id: cell.name for cell in plan.cells}
    primary = {cell.id for cell in primary_cells(plan)}
    grave = [
        entry
        for entry in lost
        if grave_share is not None and entry.cell in primary and _share(entry) > grave_share
    ]
    worst = max(grave or lost, key=_share)
    clients = sum(entry.clients for entry in lost)
    gone = f" {count(clients, 'client')} gave up altogether." if clients else ""
    different = " Systems that did different work cannot be compared."
    yield finding(
        "clients.gave_up",
        "invalid" if grave else "warning",
        f"{worst.system} did not do all of its work: in {names[worst.cell]} {worst.files:,} of"
        f" {worst.of_files:,} files were given up.{gone}"
        + (different if grave and len(plan.systems) > 1 else ""),
        "The errors below say why. Remove the cause and repeat; until then the numbers of this test"
        " are those of less work.",
        [
            f"{entry.system}, {names[entry.cell]}: {entry.files:,} of {entry.of_files:,} files,"
            f" {entry.clients:,} of {entry.of_clients:,} clients"
            for entry in lost
        ],
    )


def _share(entry: GivenUp) -> float:
    return entry.files / entry.of_files if entry.of_files else 1.0


def failed_operations(evidence: Evidence) -> Iterator[Finding]:
    """One finding per kind of error; lost data has findings of its own."""
    cells = {cell.id: cell for cell in evidence.study.plan.cells}
    by_kind = grouped((row.kind, row) for row in _not_lost(evidence))
    for kind, rows in by_kind.items():
        first, total = rows[0], sum(row.count for row in rows)
        why = ERRORS[kind].because
        advice = f"Use {needed(kind, cells[first.cell])}."
        if kind == "short":  # files that were written whole are lost data
            why = "files that clients gave up while they wrote them end early"
            advice = (
                "Remove the cause of the write errors in the same turns. No file that had been"
                " written whole was lost."
            )
        elif kind == "other":
            advice = "See the first error's own words, and dmesg."
        operations = ", ".join(dict.fromkeys(row.operation for row in rows))
        yield finding(
            f"clients.{kind}",
            "warning",
            f"{count(total, 'operation')} failed because {why} ({operations}); first"
            f" {first.system}, {cells[first.cell].name}: {first.first_path}, {first.message}.",
            advice,
            [
                f"{row.system}, {cells[row.cell].name}: {row.operation} {count(row.count, 'time')}"
                f" in {count(row.runs, 'run')}; first {row.first_path}"
                for row in rows
            ],
        )


def _not_lost(evidence: Evidence) -> Iterator[ErrorRow]:
    """The errors that no finding about lost files counts already."""
    lost: dict[tuple[str, str, str, str], int] = {}
    for run, error in lost_files(evidence.runs):
        key = (run.cell.id, run.system, error.operation, error.kind)
        lost[key] = lost.get(key, 0) + error.count
    for row in error_rows(evidence.study.plan, evidence.runs):
        rest = row.count - lost.get((row.cell, row.system, row.operation, row.kind), 0)
        if rest:
            yield row.model_copy(update={"count": rest})


def unfinished_work(
    evidence: Evidence,
    advice: str,
    ends: Callable[[RunRecord], bool] = lambda _: True,
    grave_share: float | None = LARGEST_LOSS,
) -> Iterator[Finding]:
    """What clients gave up, what failed, and what the time limit cut; `advice` is about the last,
    and `ends` says whether a run is to end by itself. `grave_share` as in `work_given_up`."""
    yield from work_given_up(evidence, grave_share)
    yield from failed_operations(evidence)
    made = [run for run in evidence.runs if _has_an_end(run) and ends(run)]
    cut = [run for run in made if run.result is not None and run.result.ended == "duration"]
    if cut:
        yield finding(
            "clients.cut",
            "warning",
            f"In {part_of(len(cut), len(made), 'run')} the time limit ended the work early: there"
            " is no completion time, and rates cover only the part that was done.",
            advice,
            [name_of(run) for run in cut],
        )


def _has_an_end(run: RunRecord) -> bool:
    """Whether clients or a load worked, whose work ends before the time limit."""
    if run.load is not None:
        return run.load.passes is not None or run.load.size_limit_bytes is not None
    return run.result is not None and run.result.clients is not None
