"""Data that did not come back as written: before noise and ratios, in a study of any kind.

Takes every run, also those over a path beside a server; gives findings that make a study invalid.
There are four: blocks that a load read back, records that clients read back, files that are gone or
too short, and damage that the file system itself reported.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator, Sequence

from fsgauge.engine.wire import ClientError, ClientsJob, ClientsResult, IntegrityResult
from fsgauge.record.records import RunRecord, StepRecord
from fsgauge.stats.evidence import Evidence, count, finding, name_of, part_of, turn_name
from fsgauge.stats.results import Finding
from fsgauge.stats.wording import listed
from fsgauge.units import grouped

OFFSETS_NAMED = 3
KINDS = ("corrupt", "torn", "foreign", "stale", "lost")
GONE = ("missing", "short")
"""Errors of a file that is not there, or not whole."""
DAMAGED = (errno.EUCLEAN, errno.EBADMSG)
"""What file systems answer when they find themselves damaged. EIO may be the device's alone."""

DIFFERS = "io.differs"
"""Of the fault of a load that read other bytes than were written."""
LOST_DATA = ("integrity", "clients.bad_records", "clients.lost_files", "damaged")
"""The codes of all findings of this file."""

Faulty = tuple[RunRecord, ClientError]
"""A run, and an error that its clients met in it."""


def lost_data(evidence: Evidence) -> Iterator[Finding]:
    """All findings about data that was changed or lost, the surest first."""
    runs = [*evidence.runs, *evidence.path_runs]
    in_folders = evidence.before.storage.kind in ("path", "share")
    yield from _wrong_blocks(runs, in_folders)
    yield from _other_bytes(runs)
    yield from _bad_records(runs, in_folders)
    yield from _lost_files(runs)
    yield from _damaged(runs, evidence.steps, in_folders)


_ELSEWHERE = (
    "repeat it in a folder on other storage: if it fails there too, it is the file system or"
    " memory, else the storage"
)
"""How to tell the culprit where a file system is used as it is: nothing below it can be tested."""


def _wrong_blocks(runs: Sequence[RunRecord], in_folders: bool) -> Iterator[Finding]:
    checked = [
        (run, run.result.integrity)
        for run in runs
        if run.result is not None and run.result.integrity is not None
    ]
    broken = [each for each in checked if any(blocks_of(each[1], kind) for kind in KINDS)]
    if not broken:
        return
    by_kind = {kind: sum(blocks_of(found, kind) for _, found in broken) for kind in KINDS}
    kinds = ", ".join(f"{number:,} {kind}" for kind, number in by_kind.items() if number)
    first, found = broken[0]
    yield finding(
        "integrity",
        "invalid",
        f"{_systems(run for run, _ in broken)} did not keep what was written: in"
        f" {part_of(len(broken), len(checked), 'run')} read back, {kinds}"
        f" {'block' if sum(by_kind.values()) == 1 else 'blocks'};"
        f" first {first.system}, {first.cell.name}, {_offsets(found)}.",
        "The rates of a file system that loses data mean nothing. See dmesg for I/O errors, and "
        + (
            f"{_ELSEWHERE}. Report it with the run's record."
            if in_folders
            else "test the storage alone (a study of the raw system with verify = true): if raw"
            " fails too, it is the device or memory; if not, report it to the file system's"
            " developers with the run's record."
        ),
        [f"{name_of(run)}: {_described(found)}" for run, found in broken],
    )


def _other_bytes(runs: Sequence[RunRecord]) -> Iterator[Finding]:
    """Loads that compare what they read end at the first block that differs."""
    found = [(run, run.fault.what) for run in runs if run.fault and run.fault.code == DIFFERS]
    if found:
        yield finding(
            "integrity",
            "invalid",
            f"{_systems(run for run, _ in found)} did not give back what was written: a"
            f" {found[0][1]}.",
            "The rates of a file system that loses data mean nothing. See dmesg, and"
            f" {_ELSEWHERE}.",
            [f"{name_of(run)}: {what}" for run, what in found],
        )


def clients_of(runs: Sequence[RunRecord]) -> Iterator[tuple[RunRecord, ClientsResult]]:
    """The runs in which clients worked, also those that were cut short: an error is an error."""
    for run in runs:
        if run.result is not None and run.result.clients is not None:
            yield run, run.result.clients


def blocks_of(found: IntegrityResult, kind: str) -> int:
    """How many blocks that were read back have this fault."""
    number: int = getattr(found, f"{kind}_blocks")
    return number


def _offsets(found: IntegrityResult) -> str:
    """ "corrupt at byte 0, 4096 and 8192 of file 2, torn at byte 512": each fault said once."""
    places = grouped(
        ((block.fault, block.file), str(block.offset_bytes))
        for block in found.faulty[:OFFSETS_NAMED]
    )
    named = [
        f"{fault} at byte {listed(offsets)}" + (f" of file {file}" if file else "")
        for (fault, file), offsets in places.items()
    ]
    return ", ".join(named) or "at places that the record does not name"


def _described(found: IntegrityResult) -> str:
    kinds = [f"{blocks_of(found, kind)} {kind}" for kind in KINDS if blocks_of(found, kind)]
    return f"{', '.join(kinds)} of {found.checked_blocks} blocks; {_offsets(found)}"


def _bad_records(runs: Sequence[RunRecord], in_folders: bool) -> Iterator[Finding]:
    checked = [(run, found) for run, found in clients_of(runs) if found.checked_records]
    broken = [(run, found) for run, found in checked if found.bad_records]
    if not broken:
        return
    bad = sum(found.bad_records for _, found in broken)
    run, found = broken[0]
    place = "at a place that the record does not name"
    if found.bad:
        first = found.bad[0]
        place = f"{first.path}, byte {first.first_byte}"
    yield finding(
        "clients.bad_records",
        "invalid",
        f"{_systems(run for run, _ in broken)} did not give back what was written:"
        f" {count(bad, 'bad record')} in"
        f" {part_of(len(broken), len(checked), 'run')} read back; first {run.system},"
        f" {run.cell.name}, {place}.",
        "The file system, its storage or memory corrupted data: its rates mean nothing."
        + (
            f" {_ELSEWHERE[:1].upper()}{_ELSEWHERE[1:]}."
            if in_folders
            else " Repeat it on other storage (--storage ram): if the records are bad there too it"
            " is the file system or memory, else the device."
        )
        + " Report it with the run's record.",
        [
            f"{name_of(run)}: {found.bad_records:,} of {found.checked_records:,} records"
            + (f"; {found.bad[0].path}, byte {found.bad[0].first_byte}" if found.bad else "")
            for run, found in broken
        ],
    )


def _lost_files(runs: Sequence[RunRecord]) -> Iterator[Finding]:
    lost = lost_files(runs)
    if not lost:
        return
    run, error = lost[0]
    total = sum(each.count for _, each in lost)
    yield finding(
        "clients.lost_files",
        "invalid",
        f"{_systems(run for run, _ in lost)} lost what was written, or another program removed or"
        f" changed it: {count(total, 'operation')} met a file or directory that is gone or too"
        f" short; first {run.system}, {run.cell.name}, {error.first_path}.",
        "Leave the place to the study and repeat it. If it comes again, the file system, its"
        " storage or the server lost data that it had acknowledged: see dmesg and the server's log,"
        " and report it with the run's record.",
        [
            f"{name_of(run)}: {error.operation} {count(error.count, 'time')}, {error.message};"
            f" first {error.first_path}"
            for run, error in lost
        ],
    )


def lost_files(runs: Sequence[RunRecord]) -> list[Faulty]:
    """Files gone or too short in turns whose writers had written all of theirs. After a writer gave
    up or was cut short, files that are missing or end early are its own. Where a connection was
    made again, a file is missing that was removed before the answer was lost."""
    incomplete: set[tuple[bool, int, int]] = set()
    found: list[Faulty] = []
    for run in sorted(runs, key=lambda run: (run.block, run.turn, run.position)):
        turn = (run.over_path, run.block, run.turn)
        if _left_files_unwritten(run):
            incomplete.add(turn)
        clients = run.result.clients if run.result is not None else None
        if clients is None or turn in incomplete:
            continue
        again = clients.network is not None and clients.network.reconnections > 0
        gone = ("short",) if again else GONE
        found += [(run, error) for error in clients.errors if error.kind in gone]
    return found


def _left_files_unwritten(run: RunRecord) -> bool:
    job = run.job
    if not isinstance(job, ClientsJob) or job.phase.kind not in ("write", "mix"):
        return False
    if run.result is None or run.result.clients is None:
        return True
    cut = run.result.ended != "size_limit" and job.phase.kind == "write"
    clients = run.result.clients
    return cut or clients.files_given_up > 0 or clients.clients_gave_up > 0


def _damaged(
    runs: Sequence[RunRecord], steps: Sequence[StepRecord], in_folders: bool
) -> Iterator[Finding]:
    found = [(run.system, f"{name_of(run)}: {words}") for run in runs if (words := _damage_of(run))]
    found += [
        (step.system, f"{turn_name(step)}, ageing: {error.text}")
        for step in steps
        for error in (step.result.errors if step.result is not None else ())
        if error.errno in DAMAGED
    ]
    if not found:
        return
    systems = ", ".join(dict.fromkeys(system for system, _ in found))
    yield finding(
        "damaged",
        "invalid",
        f"{systems} found its own structures damaged; first {found[0][1]}.",
        "The rates of a damaged file system mean nothing. See dmesg, check it (fsck without"
        " repair), and "
        + (
            f"{_ELSEWHERE}."
            if in_folders
            else "test the storage alone: if raw fails too, it is the device or memory."
        ),
        [where for _, where in found],
    )


def _damage_of(run: RunRecord) -> str:
    """The words in which a run's first damage was reported; "" for a run without any."""
    if run.fault is not None:
        return run.fault.what if run.fault.errno in DAMAGED else ""
    clients = run.result.clients if run.result is not None else None
    words = [f"(os error {number})" for number in DAMAGED]
    for error in clients.errors if clients is not None else ():
        if error.kind == "io" and any(each in error.message for each in words):
            return f"{error.operation} of {error.first_path}, {error.message}"
    return ""


def _systems(runs: Iterator[RunRecord]) -> str:
    return ", ".join(dict.fromkeys(run.system for run in runs))
