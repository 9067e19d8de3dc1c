"""Every record of a results folder, checked against its plan.

Many rows (histogram counts, intervals) come as arrays: at once from a run's JSON, or from the
block's Parquet when first asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from fsgauge.errors import InputError
from fsgauge.plain_files import PlainFolder, SeenFolder
from fsgauge.record import records
from fsgauge.record.stored import StoredStudy
from fsgauge.store.blocks import SeriesReader
from fsgauge.store.files import (
    RecordFiles,
    name_of,
    position_of,
    read_record,
    read_text,
    record_files,
    turn_of,
)
from fsgauge.store.folder import opened_results, require_results
from fsgauge.store.journal import GIVEN_UP, NOT_REMOVED, VOID, read_journal
from fsgauge.store.seals import (
    ChangedError,
    Changes,
    changes_in,
    read_seals,
    require_known_study,
    understood,
)

_BLOCKS: TypeAdapter[list[int]] = TypeAdapter(list[int])
Planned = dict[tuple[int, int], records.Turn]
Journaled = Sequence[dict[str, object]]
_LONGEST_CAUSE = 300
R = TypeVar("R", bound=records.OfTurn)


def read_results(source: Path | PlainFolder, *, accept_changed: bool = False) -> StoredStudy:
    """Every record of a results folder, each what was written. InputError names a file that cannot
    be read; ChangedError the files that are not what was written, which are read all the same where
    that is accepted, and named in `changes`."""
    if isinstance(source, PlainFolder):
        return _read(source, accept_changed)
    with opened_results(source) as folder:
        return _read(folder, accept_changed)


def checked_files(folder: PlainFolder, *, accept_changed: bool) -> tuple[RecordFiles, Changes]:
    """The record files of a study and what differs from its seals; ChangedError otherwise."""
    require_results(folder)
    require_known_study(folder)
    seals = read_seals(folder)
    files = record_files(folder, seals.is_leaving)
    changes = changes_in(folder, seals, files.all())
    if changes and not accept_changed:
        raise ChangedError(folder.path, changes)
    return files, changes


def _read(folder: PlainFolder, accept_changed: bool) -> StoredStudy:
    files, changes = checked_files(folder, accept_changed=accept_changed)
    with understood(changes):
        return _parsed(folder, files, changes, SeriesReader(folder))


def _parsed(
    folder: PlainFolder, files: RecordFiles, changes: Changes, series: SeriesReader
) -> StoredStudy:
    directory = folder.path
    study = read_record(records.StudyRecord, folder, "study.json")
    planned = {(turn.block, turn.turn): turn for turn in study.plan.all_turns}
    own = {place for place, turn in planned.items() if not (turn.over_path or turn.strikes)}
    turns = [_planned(records.TurnRecord, folder, name, planned) for name in files.turns]
    before = read_record(records.EnvironmentRecord, folder, "environment-before.json")
    machines = {machine.name for machine in before.machines}
    runs = [
        series.with_rows(
            _planned_run(folder, name, planned, study.plan, machines), directory / name
        )
        for name in files.runs
    ]
    scans = [_planned(records.ScanRecord, folder, name, planned) for name in files.scans]
    steps = [_planned(records.StepRecord, folder, name, planned) for name in files.steps]
    after, journal = "environment-after.json", read_journal(folder)
    return StoredStudy(
        directory=directory,
        folder=SeenFolder.of(folder),
        study=study,
        turns=[turn for turn in turns if (turn.block, turn.turn) in own],
        runs=[run for run in runs if (run.block, run.turn) in own],
        path_turns=[turn for turn in turns if turn.over_path],
        path_runs=[run for run in runs if run.over_path],
        struck_turns=[turn for turn in turns if planned[turn.block, turn.turn].strikes],
        struck_runs=[run for run in runs if planned[run.block, run.turn].strikes],
        before=before,
        after=read_record(records.EnvironmentRecord, folder, after)
        if after in files.environments
        else None,
        study_toml=read_text(folder, "study.toml"),
        changes=changes,
        scans=[scan for scan in scans if (scan.block, scan.turn) in own],
        steps=[step for step in steps if (step.block, step.turn) in own],
        lost=list(_lost_blocks(journal)),
        ended_by=_ended_by(journal),
        resumed=any(facts.get("event") == "resumed" for facts in journal),
        not_removed=list(_not_removed(journal)),
    )


def _ended_by(journal: Journaled) -> str:
    """What ended it when it was measured last; "" for a study that was measured to its end, or
    whose process was killed."""
    last = next(
        (facts for facts in reversed(journal) if facts.get("event") in ("ended", "resumed")), {}
    )
    return str(last.get("by") or "")[:_LONGEST_CAUSE]


def _lost_blocks(journal: Journaled) -> Iterator[records.LostBlock]:
    """Each time that a machine was lost, from the journal; a void block of an older fsgauge does
    not say what was lost."""
    for facts in journal:
        if facts.get("event") not in (VOID, GIVEN_UP) or "during" not in facts:
            continue
        with suppress(ValidationError):
            for block in _BLOCKS.validate_python(facts.get("blocks")):
                told = {**facts, "block": block, "again": facts["event"] == VOID}
                yield records.LostBlock.model_validate(told)


def _not_removed(journal: Journaled) -> Iterator[records.NotRemovedTurn]:
    for facts in journal:
        if facts.get("event") == NOT_REMOVED:
            with suppress(ValidationError):
                yield records.NotRemovedTurn.model_validate(facts)


def _planned(kind: type[R], folder: PlainFolder, name: str, planned: Planned) -> R:
    """A record of a planned turn; InputError where it is of none, or has another one's name."""
    record = read_record(kind, folder, name)
    turn = planned.get((record.block, record.turn))
    if (
        turn is None
        or (turn.system, turn.again) != (record.system, record.again)
        or not turn_of(name).startswith(f"{record.block:03d}-{record.turn:02d}-")
        or not _has_place(record, name, turn)
    ):
        raise _foreign(folder.path / name)
    return record


def _has_place(record: records.OfTurn, name: str, turn: records.Turn) -> bool:
    match record:
        case records.RunRecord():
            is_planned = turn.cells[record.position : record.position + 1] == [record.cell.id]
            return is_planned and position_of(name) == f"{record.position:02d}"
        case records.StepRecord() if record.cell not in turn.cells:
            return False
        case _:
            return name.rpartition("/")[2] == name_of(record)


def _planned_run(
    folder: PlainFolder, name: str, planned: Planned, plan: records.Plan, machines: set[str]
) -> records.RunRecord:
    record = _planned(records.RunRecord, folder, name, planned)
    if not plan.has_cell(record.cell) or not {part.machine for part in record.parts} <= machines:
        raise _foreign(folder.path / name)
    return record


def _foreign(path: Path) -> InputError:
    return InputError(
        f"{path} is not a run of this study's plan",
        cause="it was copied from another folder, or edited",
        next=f"move it out of {path.parent}, and repeat",
    )
