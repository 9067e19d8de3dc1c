"""Every record of a results folder, checked against its plan.

Many rows (histogram counts, intervals) come as arrays: at once from a run's JSON, or from the
block's Parquet when first asked for.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from fsgauge.errors import InputError
from fsgauge.record import (
    FORMAT,
    EnvironmentRecord,
    Plan,
    RunRecord,
    ScanRecord,
    StepRecord,
    StudyRecord,
    Turn,
    TurnRecord,
)
from fsgauge.store.files import read_text, scan_name, step_name
from fsgauge.store.folder import not_a_results_folder

R = TypeVar("R", bound=BaseModel)


@dataclass(frozen=True)
class StoredStudy:
    """All records of one results folder, in the order of the plan.

    `path_turns` and `path_runs` are those over paths beside a server: no sample of the study. Their
    scans and steps are in none of its lists.
    """

    directory: Path
    study: StudyRecord
    turns: list[TurnRecord]
    runs: list[RunRecord]
    environment_before: EnvironmentRecord
    environment_after: EnvironmentRecord | None
    study_toml: str
    scans: list[ScanRecord] = field(default_factory=list)
    path_turns: list[TurnRecord] = field(default_factory=list)
    path_runs: list[RunRecord] = field(default_factory=list)
    steps: list[StepRecord] = field(default_factory=list)


def read_results(directory: Path) -> StoredStudy:
    """Every record of a results folder; InputError names the file that cannot be read."""
    from fsgauge.store.blocks import SeriesReader

    if not (directory / "study.json").is_file():
        raise not_a_results_folder(directory)
    after = directory / "environment-after.json"
    study = read_record(StudyRecord, directory / "study.json")
    planned = {(turn.block, turn.turn): turn for turn in study.plan.turns}
    series = SeriesReader(directory)
    turns = [_planned_turn(path, planned) for path in turn_files(directory)]
    runs = [
        series.with_rows(_planned_run(path, planned, study.plan), path)
        for path in run_files(directory)
    ]
    scans = [_planned_scan(path, planned) for path in scan_files(directory)]
    steps = [_planned_step(path, planned) for path in step_files(directory)]
    return StoredStudy(
        directory=directory,
        study=study,
        turns=[turn for turn in turns if not turn.over_path],
        runs=[run for run in runs if not run.over_path],
        path_turns=[turn for turn in turns if turn.over_path],
        path_runs=[run for run in runs if run.over_path],
        environment_before=read_record(EnvironmentRecord, directory / "environment-before.json"),
        environment_after=read_record(EnvironmentRecord, after) if after.is_file() else None,
        study_toml=read_text(directory / "study.toml"),
        scans=[scan for scan in scans if not planned[scan.block, scan.turn].over_path],
        steps=[step for step in steps if not planned[step.block, step.turn].over_path],
    )


def turn_files(directory: Path) -> list[Path]:
    """The turn records of a folder in the order of the plan."""
    return sorted(directory.glob("records/*/turn.json"), key=_place)


def run_files(directory: Path) -> list[Path]:
    """The run records of a folder in the order of the plan."""
    return sorted(directory.glob("records/*/[0-9]*.json"), key=_place)


def scan_files(directory: Path) -> list[Path]:
    """The scans of a folder in the order of the plan."""
    found = directory.glob("records/*/scan-*.json")
    return sorted(found, key=lambda path: (_place(path), *_moment(path)))


def step_files(directory: Path) -> list[Path]:
    """The steps of a folder in the order in which they happened."""
    found = directory.glob("records/*/step-*.json")
    return sorted(found, key=lambda path: (_place(path), _step_number(path)))


def _step_number(path: Path) -> int:
    word = path.name.split("-")[1]
    return int(word) if word.isdecimal() else -1


def _moment(path: Path) -> tuple[int, str]:
    """Before the runs, after one of them, after all."""
    return {"scan-before.json": 0, "scan-after.json": 2}.get(path.name, 1), path.name


def _place(path: Path) -> tuple[int, ...]:
    """Block, turn and position as numbers: the hundredth comes after the ninety-ninth."""
    block, turn, *_ = [*path.parent.name.split("-"), "", ""]
    return tuple(int(word) if word.isdecimal() else -1 for word in (block, turn, _position(path)))


def _position(path: Path) -> str:
    return path.name.partition("-")[0]


def read_record(kind: type[R], path: Path) -> R:
    """One record; InputError says whether it is newer, cut short, or something else."""
    text = read_text(path)
    try:
        return kind.model_validate_json(text)
    except ValidationError as error:
        raise _unreadable(path, text, error) from error


def _planned_turn(path: Path, planned: dict[tuple[int, int], Turn]) -> TurnRecord:
    record = read_record(TurnRecord, path)
    turn = planned.get((record.block, record.turn))
    if turn is None or (turn.system, turn.again) != (record.system, record.again):
        raise _foreign(path)
    return record


def _planned_scan(path: Path, planned: dict[tuple[int, int], Turn]) -> ScanRecord:
    record = read_record(ScanRecord, path)
    turn = planned.get((record.block, record.turn))
    if (
        turn is None
        or (turn.system, turn.again) != (record.system, record.again)
        or path.name != scan_name(record)
        or not path.parent.name.startswith(f"{record.block:03d}-{record.turn:02d}-")
    ):
        raise _foreign(path)
    return record


def _planned_step(path: Path, planned: dict[tuple[int, int], Turn]) -> StepRecord:
    record = read_record(StepRecord, path)
    turn = planned.get((record.block, record.turn))
    if (
        turn is None
        or (turn.system, turn.again) != (record.system, record.again)
        or record.cell not in turn.cells
        or path.name != step_name(record)
        or not path.parent.name.startswith(f"{record.block:03d}-{record.turn:02d}-")
    ):
        raise _foreign(path)
    return record


def _planned_run(path: Path, planned: dict[tuple[int, int], Turn], plan: Plan) -> RunRecord:
    record = read_record(RunRecord, path)
    turn = planned.get((record.block, record.turn))
    if (
        turn is None
        or (turn.system, turn.again) != (record.system, record.again)
        or turn.cells[record.position : record.position + 1] != [record.cell.id]
        or record.cell not in plan.cells
        or _position(path) != f"{record.position:02d}"
        or not path.parent.name.startswith(f"{record.block:03d}-{record.turn:02d}-")
    ):
        raise _foreign(path)
    return record


def _foreign(path: Path) -> InputError:
    return InputError(
        f"{path} is no run of this study's plan",
        cause="it was copied from another folder, or edited",
        next=f"move it out of {path.parent}, and repeat",
    )


def _unreadable(path: Path, text: str, error: ValidationError) -> InputError:
    """Say which of three it is: a newer version's, cut short, or not a record at all."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return InputError(
            f"{path} is not whole JSON",
            cause="it was cut short or edited; fsgauge writes records whole",
            next="restore the file from a copy of the folder, or move it away",
        )
    written = document.get("format") if isinstance(document, dict) else None
    if isinstance(written, int) and written > FORMAT:
        return InputError(
            f"{path} is in format {written}; this fsgauge reads up to {FORMAT}",
            cause="a newer fsgauge wrote it",
            next="upgrade fsgauge",
        )
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"]) or "the document"
    return InputError(
        f"{path} is not a record of fsgauge",
        details=(f"{where}: {first['msg']}",),
        cause="it was edited, or another program wrote it",
        next="restore the file from a copy of the folder, or move it away",
    )
