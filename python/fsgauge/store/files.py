"""Names of the files of a results folder, and their text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, fields
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from fsgauge.errors import InputError
from fsgauge.plain_files import PlainFolder, require_few_in_toml
from fsgauge.plain_files.bounds import PLAN, RECORD, STUDY
from fsgauge.record import records


def read_text(folder: PlainFolder, name: str) -> str:
    """A file's text, of as many values as such a file may have; InputError names the file."""
    if name == "study.toml":
        content = folder.read(name, STUDY.size_bytes)
    else:
        content = folder.read_json(name, PLAN if name == "study.json" else RECORD)
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(
            f"cannot read {folder.path / name}: {error}",
            cause="the file was damaged",
            next="restore it from a copy of the folder",
        ) from error
    if name == "study.toml":
        require_few_in_toml(text, str(folder.path / name), STUDY)
    return text


def name_of(record: records.OfTurn) -> str:
    match record:
        case records.TurnRecord():
            return "turn.json"
        case records.RunRecord():
            return f"{record.position:02d}-{slug(record.cell.id)}.json"
        case records.ScanRecord(when="after cell", cell=str(cell)):
            return f"scan-after-{slug(cell)}.json"
        case records.ScanRecord():
            return f"scan-{record.when}.json"
        case records.StepRecord():
            return f"step-{record.number:02d}-{slug(record.cell)}.json"


def host_prefix(machine: str) -> str:
    """Begins the names of the records that one of several machines made; no reader takes them for
    the study's own."""
    return f"host-{slug(machine)}-"


def turn_folder(block: int, turn: int, system: str) -> str:
    return f"{block:03d}-{turn:02d}-{slug(system)}"


def slug(name: str) -> str:
    """A name fit for a file: letters, digits, dots and dashes, at most 60."""
    return re.sub(r"[^A-Za-z0-9._+-]+", "-", name).strip("-.")[:60] or "unnamed"


@dataclass(frozen=True)
class RecordFiles:
    """Names of files that are read as records; `series` are the marks of blocks in Parquet."""

    turns: list[str]
    runs: list[str]
    scans: list[str]
    steps: list[str]
    series: list[str]
    environments: list[str]

    def all(self) -> list[str]:
        return [name for kind in fields(self) for name in getattr(self, kind.name)]


def record_files(
    folder: PlainFolder, is_left_out: Callable[[str], bool] = lambda _: False
) -> RecordFiles:
    """What is there; raises InputError for a folder that cannot be listed."""
    names = [
        f"records/{turn}/{name}"
        for turn in folder.folders("records")
        for name in folder.names(f"records/{turn}")
    ]
    names = [name for name in names if not is_left_out(name)]

    def of(pattern: str) -> list[str]:
        return [name for name in names if fnmatchcase(name.rpartition("/")[2], pattern)]

    series = [f"series/{name}" for name in folder.names("series") if fnmatchcase(name, _MARK)]
    return RecordFiles(
        turns=sorted(of("turn.json"), key=_place),
        runs=sorted(of("[0-9]*.json"), key=_place),
        scans=sorted(of("scan-*.json"), key=lambda name: (_place(name), *_moment(name))),
        steps=sorted(of("step-*.json"), key=lambda name: (_place(name), _step_number(name))),
        series=[name for name in series if not is_left_out(name)],
        environments=[name for name in folder.names() if fnmatchcase(name, "environment-*.json")],
    )


_MARK = "[0-9]*.json"


def turn_of(name: str) -> str:
    """The name of the turn's folder that a file lies in."""
    return name.split("/")[-2]


def position_of(name: str) -> str:
    """What a run file's name says of its position."""
    return name.rpartition("/")[2].partition("-")[0]


def _step_number(name: str) -> int:
    word = name.rpartition("/")[2].split("-")[1].partition(".")[0]
    return _number(word)


def _moment(name: str) -> tuple[int, str]:
    last = name.rpartition("/")[2]
    return {"scan-before.json": 0, "scan-after.json": 2}.get(last, 1), last


def _place(name: str) -> tuple[int, ...]:
    """Block, turn and position as numbers: the hundredth comes after the ninety-ninth."""
    block, turn, *_ = [*turn_of(name).split("-"), "", ""]
    return tuple(_number(word) for word in (block, turn, position_of(name)))


def _number(word: str) -> int:
    return int(word) if word.isascii() and word.isdecimal() and len(word) < 20 else -1


def require_known_format(document: object, newest: int, label: str) -> None:
    """InputError where a newer fsgauge wrote the JSON document that is called `label`."""
    written = document.get("format") if isinstance(document, dict) else None
    if isinstance(written, int) and written > newest:
        raise InputError(
            f"{label} is in format {written}; this fsgauge reads up to {newest}",
            cause="a newer fsgauge wrote it",
            next="upgrade fsgauge",
        )


R = TypeVar("R", bound=BaseModel)


def read_record(kind: type[R], folder: PlainFolder, name: str) -> R:
    """One record; InputError says whether it is newer, cut short, or something else."""
    text = read_text(folder, name)
    try:
        return kind.model_validate_json(text)
    except ValidationError as error:
        raise _unreadable(folder.path / name, text, error) from error


def _unreadable(path: Path, text: str, error: ValidationError) -> InputError:
    """Cut short, or not a record at all; raises InputError itself for a newer version's."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return InputError(
            f"{path} is not complete JSON",
            cause="it was cut short or edited; fsgauge writes records whole",
            next="restore the file from a copy of the folder, or move it away",
        )
    require_known_format(document, records.FORMAT, str(path))
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"]) or "the document"
    return InputError(
        f"{path} is not a record of fsgauge",
        details=(f"{where}: {first['msg']}",),
        cause="it was edited, or another program wrote it",
        next="restore the file from a copy of the folder, or move it away",
    )
