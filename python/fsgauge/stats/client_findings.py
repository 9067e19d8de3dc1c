"""Work that clients did not do, of whatever kind of study: given up, failed, cut short by the time.
A kind of study whose runs are clients says these with its own findings."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from fsgauge.engine.wire import ClientErrorKind
from fsgauge.record.records import RunRecord
from fsgauge.stats import client_errors
from fsgauge.stats.evidence import Evidence, count, finding, name_of, part_of
from fsgauge.stats.lost_data import lost_files
from fsgauge.stats.planned import primary_cells
from fsgauge.stats.results import Finding


def work_given_up(evidence: Evidence, grave_share: float | None = None) -> Iterator[Finding]:
    """Systems that did not do all of their work. The study is not valid where more than
    `grave_share` of a primary cell's files were given up."""
    plan = evidence.samples.plan
    lost = [
        each for each in client_errors.given_up(plan, evidence.runs) if each.files or each.clients
    ]
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
        f"{worst.system} did not do all of its work: in {names[worst.cell]} {worst.files} of"
        f" {worst.of_files} files were given up.{gone}"
        + (different if grave and len(plan.systems) > 1 else ""),
        "The errors below say why. Remove the cause and repeat; until then the numbers of this test"
        " are those of less work.",
        [
            f"{entry.system}, {names[entry.cell]}: {entry.files} of {entry.of_files} files,"
            f" {entry.clients} of {entry.of_clients} clients"
            for entry in lost
        ],
    )


def _share(entry: client_errors.GivenUp) -> float:
    return entry.files / entry.of_files if entry.of_files else 1.0


def failed_operations(evidence: Evidence) -> Iterator[Finding]:
    """One finding per kind of error; lost data has findings of its own."""
    cells = {cell.id: cell for cell in evidence.study.plan.cells}
    by_kind: dict[ClientErrorKind, list[client_errors.ErrorRow]] = {}
    for row in _not_lost(evidence):
        by_kind.setdefault(row.kind, []).append(row)
    for kind, rows in by_kind.items():
        first, total = rows[0], sum(row.count for row in rows)
        why = client_errors.ERRORS[kind].because
        advice = f"Use {client_errors.needed(kind, cells[first.cell])}."
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


def _not_lost(evidence: Evidence) -> Iterator[client_errors.ErrorRow]:
    """The errors that no finding about lost files counts already."""
    lost: dict[tuple[str, str, str, str], int] = {}
    for run, error in lost_files(evidence.runs):
        key = (run.cell.id, run.system, error.operation, error.kind)
        lost[key] = lost.get(key, 0) + error.count
    for row in client_errors.error_rows(evidence.study.plan, evidence.runs):
        rest = row.count - lost.get((row.cell, row.system, row.operation, row.kind), 0)
        if rest:
            yield row.model_copy(update={"count": rest})


def cut_runs(
    evidence: Evidence, advice: str, ends: Callable[[RunRecord], bool] = lambda _: True
) -> Iterator[Finding]:
    """Runs that the time limit ended; `ends` says whether a run is to end by itself."""
    made = [run for run, _ in client_errors.clients_of(evidence.runs) if ends(run)]
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
