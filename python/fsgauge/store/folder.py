"""Writes a study's records. One process at a time: the folder is locked while it is written.

Nothing is rewritten but the environment after, what the report makes, and run records whose rows
have moved, checked, to Parquet.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from fsgauge.errors import InputError, RigError
from fsgauge.record import (
    EnvironmentRecord,
    RunRecord,
    ScanRecord,
    StepRecord,
    StudyRecord,
    TurnRecord,
)
from fsgauge.store.files import (
    cannot_write,
    scan_name,
    slug,
    step_name,
    turn_folder,
    write_whole,
)
from fsgauge.store.journal import Journal


class ResultsFolder:
    """One study's folder, open and locked."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._journal = Journal(directory)

    @classmethod
    @contextmanager
    def created(cls, parent: Path, study_name: str) -> Iterator[ResultsFolder]:
        """A new folder PARENT/STUDY-DATE-TIME; raises RigError where none can be made.

        One that ends before its study is stored is taken away: it says nothing.
        """
        folder = cls(_new_directory(parent, study_name))
        try:
            yield folder
        finally:
            if not (folder.directory / "study.json").is_file():
                folder.discard()
            folder.close()

    @classmethod
    @contextmanager
    def opened(cls, directory: Path) -> Iterator[ResultsFolder]:
        """A folder that is there, to go on writing; InputError where nothing was begun."""
        if not (directory / "study.json").is_file():
            raise not_a_results_folder(directory)
        folder = cls(directory)
        try:
            yield folder
        finally:
            folder.close()

    def write_study(self, record: StudyRecord, study_toml: str) -> None:
        """The plan and the effective study; last before the first run, as it marks a study."""
        self._write("study.toml", study_toml)
        self._write("study.json", record.model_dump_json(indent=1))

    def write_environment(self, when: str, record: EnvironmentRecord) -> None:
        """The machine as it is now; `when` is before, after or resumed."""
        if when == "resumed":
            when = f"resumed-{len(list(self.directory.glob('environment-resumed-*.json'))) + 1:03d}"
        self._write(f"environment-{when}.json", record.model_dump_json(indent=1))

    def write_turn(self, record: TurnRecord) -> None:
        """How the system of a turn was made."""
        folder = turn_folder(record.block, record.turn, record.system)
        self._write(f"records/{folder}/turn.json", record.model_dump_json(indent=1))

    def write_scan(self, record: ScanRecord) -> None:
        """The layout of a turn's system, before or after its runs, or after one of them."""
        folder = turn_folder(record.block, record.turn, record.system)
        self._write(f"records/{folder}/{scan_name(record)}", record.model_dump_json())

    def write_step(self, record: StepRecord) -> None:
        """What was done to a turn's system before a cell."""
        folder = turn_folder(record.block, record.turn, record.system)
        self._write(f"records/{folder}/{step_name(record)}", record.model_dump_json())

    def write_run(self, record: RunRecord) -> None:
        """One run, measured or failed."""
        folder = turn_folder(record.block, record.turn, record.system)
        name = f"{record.position:02d}-{slug(record.cell.id)}.json"
        self._write(f"records/{folder}/{name}", record.model_dump_json())

    def journal(self, event: str, **facts: object) -> None:
        """Append one line and have it on disk before returning."""
        self._journal.append(event, **facts)

    def close(self) -> None:
        """Let another process write."""
        self._journal.close()

    def has_runs(self) -> bool:
        """Whether anything measured is here, whole or set aside."""
        return any(self.directory.glob("records*/**/[0-9]*-*.json"))

    def discard(self) -> None:
        """Take away a folder in which nothing was measured."""
        shutil.rmtree(self.directory, ignore_errors=True)

    def _write(self, name: str, text: str) -> None:
        write_whole(self.directory / name, text)


def _new_directory(parent: Path, study_name: str) -> Path:
    stamp = datetime.now().astimezone().strftime("%Y-%m-%d-%H%M%S")
    name = f"{slug(study_name)}-{stamp}"
    for attempt in range(100):
        directory = parent / (name if attempt == 0 else f"{name}-{attempt + 1}")
        try:
            (directory / "records").mkdir(parents=True)
        except FileExistsError:
            continue
        except OSError as error:
            raise _cannot_make(directory, error) from error
        return directory
    raise RigError(f"{parent / name} and 99 like it exist already", next="--results DIR")


def not_a_results_folder(directory: Path) -> InputError:
    """The folder holds no study."""
    return InputError(
        f"{directory} is not a results folder",
        cause="it holds no study.json; a folder that `fsgauge run` made does, from before its"
        " first run",
        next=f"ls {directory.parent}",
    )


def _cannot_make(directory: Path, error: OSError) -> RigError:
    refused = cannot_write(directory, error)
    return RigError(
        refused.what, cause=refused.cause, next="--results DIR   (a folder on another disk)"
    )
