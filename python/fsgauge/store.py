"""The results folder of a study: written once, file by file, each atomically; read by anyone.

Takes records, gives records; the layout is drawn in `fsgauge.record`. Nothing here is ever
rewritten but the environment-after and what the report makes. The journal says what happened,
in order, and is on disk before the next step begins.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import time
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal, TypeVar

from pydantic import BaseModel, ValidationError

from fsgauge.errors import InputError, RigError
from fsgauge.record import FORMAT, EnvironmentRecord, RunRecord, StudyRecord, TurnRecord

R = TypeVar("R", bound=BaseModel)


@dataclass(frozen=True)
class StoredStudy:
    """All records of one results folder, in the order they were made."""

    directory: Path
    study: StudyRecord
    turns: list[TurnRecord]
    runs: list[RunRecord]
    environment_before: EnvironmentRecord
    environment_after: EnvironmentRecord | None
    study_toml: str


class ResultsFolder:
    """Writes one study's records."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    @classmethod
    def create(cls, parent: Path, study_name: str) -> ResultsFolder:
        """A new folder PARENT/STUDY-DATE-TIME; raises RigError where none can be made."""
        stamp = datetime.now().astimezone().strftime("%Y-%m-%d-%H%M%S")
        name = f"{_slug(study_name)}-{stamp}"
        for attempt in range(100):
            directory = parent / (name if attempt == 0 else f"{name}-{attempt + 1}")
            try:
                (directory / "records").mkdir(parents=True)
            except FileExistsError:
                continue
            except OSError as error:
                raise _cannot_write(directory, error) from error
            return cls(directory)
        raise RigError(f"{parent / name} and 99 like it exist already", next="--results DIR")

    def write_study(self, record: StudyRecord, study_toml: str) -> None:
        """The plan and the effective study; before the first run."""
        self._write("study.toml", study_toml)
        self._write("study.json", record.model_dump_json(indent=1))

    def write_environment(
        self, when: Literal["before", "after"], record: EnvironmentRecord
    ) -> None:
        """The machine as it is now."""
        self._write(f"environment-{when}.json", record.model_dump_json(indent=1))

    def write_turn(self, record: TurnRecord) -> None:
        """How the system of a turn was made."""
        folder = _turn_folder(record.block, record.turn, record.system)
        self._write(f"records/{folder}/turn.json", record.model_dump_json(indent=1))

    def write_run(self, record: RunRecord) -> None:
        """One run, measured or failed."""
        folder = _turn_folder(record.block, record.turn, record.system)
        name = f"{record.position:02d}-{_slug(record.cell.id)}.json"
        self._write(f"records/{folder}/{name}", record.model_dump_json())

    def journal(self, event: str, **facts: object) -> None:
        """Append one line and have it on disk before returning."""
        line = json.dumps({"unix_ns": time.time_ns(), "event": event, **facts}) + "\n"
        path = self.directory / "journal.ndjson"
        try:
            with path.open("a", encoding="utf-8") as file:
                file.write(line)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise _cannot_write(path, error) from error

    def discard(self) -> None:
        """Take away a folder in which nothing was measured."""
        shutil.rmtree(self.directory, ignore_errors=True)

    def _write(self, name: str, text: str) -> None:
        """Write beside, flush, rename: a reader sees the whole file or none."""
        path = self.directory / name
        beside = path.with_name(f".{path.name}.new")
        try:
            path.parent.mkdir(exist_ok=True)
            with beside.open("w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            beside.replace(path)
        except OSError as error:
            beside.unlink(missing_ok=True)
            raise _cannot_write(path, error) from error


def read_results(directory: Path) -> StoredStudy:
    """Every record of a results folder; InputError names the file that cannot be read."""
    if not (directory / "study.json").is_file():
        raise InputError(
            f"{directory} is not a results folder",
            cause="it holds no study.json; a folder that `fsgauge run` made does",
            next="ls results/",
        )
    after = directory / "environment-after.json"
    return StoredStudy(
        directory=directory,
        study=_read(StudyRecord, directory / "study.json"),
        turns=[_read(TurnRecord, path) for path in sorted(directory.glob("records/*/turn.json"))],
        runs=[_read(RunRecord, path) for path in sorted(directory.glob("records/*/[0-9]*.json"))],
        environment_before=_read(EnvironmentRecord, directory / "environment-before.json"),
        environment_after=_read(EnvironmentRecord, after) if after.is_file() else None,
        study_toml=_read_text(directory / "study.toml"),
    )


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read {path}: {error}") from error


def _read(kind: type[R], path: Path) -> R:
    text = _read_text(path)
    try:
        return kind.model_validate_json(text)
    except ValidationError as error:
        raise _unreadable(path, text, error) from error


def _unreadable(path: Path, text: str, error: ValidationError) -> InputError:
    """Say which of three it is: a newer version's, cut short, or not a record at all."""
    try:
        document = json.loads(text)
    except ValueError:
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
    )


def _turn_folder(block: int, turn: int, system: str) -> str:
    return f"{block:03d}-{turn:02d}-{_slug(system)}"


def _slug(name: str) -> str:
    """A name fit for a file: letters, digits, dots and dashes, at most 60."""
    return re.sub(r"[^A-Za-z0-9._+-]+", "-", name).strip("-.")[:60] or "unnamed"


def _cannot_write(path: Path, error: OSError) -> RigError:
    return RigError(
        f"cannot write {path}: {error.strerror}",
        cause="the results folder is read-only or its disk is full; what was recorded is kept",
        next="--results DIR   (another folder)",
    )
