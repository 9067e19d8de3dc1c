"""Writes a study's records. One process at a time: the folder is locked while it is written.

Nothing is rewritten but the environment after, what the report makes, and run records whose rows
have moved, checked, to Parquet. The journal has the checksum of each file before it is there.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime
from functools import partial
from pathlib import Path

from pydantic import BaseModel

from fsgauge.errors import InputError, RigError, quoted
from fsgauge.plain_files import MissingError, PlainFolder, cannot_write
from fsgauge.programs.interruption import undisturbed
from fsgauge.record import records
from fsgauge.store.files import (
    host_prefix,
    name_of,
    record_files,
    slug,
    turn_folder,
)
from fsgauge.store.journal import Journal
from fsgauge.store.seals import NOT_STORED, SET_ASIDE, STORED, holds, read_seals


class ResultsFolder:
    """One study's folder, open and locked."""

    def __init__(self, files: PlainFolder) -> None:
        self.files = files
        self.directory = files.path
        self._announced: tuple[str, str, int] | None = None
        self._journal = Journal(files)

    @classmethod
    @contextmanager
    def created(cls, parent: Path, study_name: str) -> Iterator[ResultsFolder]:
        """A new folder PARENT/STUDY-DATE-TIME; raises RigError where none can be made. One that
        ends before its study is stored is taken away: it says nothing."""
        with new_folder(parent, slug(study_name)) as files:
            folder = cls(files)
            try:
                yield folder
            finally:
                if not files.is_file("study.json"):
                    folder.discard()
                folder.close()

    @classmethod
    @contextmanager
    def opened(cls, directory: Path) -> Iterator[ResultsFolder]:
        """A folder that is there, to go on writing; InputError where nothing was begun. Root goes
        on in a folder of its own only: its study says what root does."""
        with opened_results(directory, as_owner=False) as files:
            files.require_roots_alone()
            folder = cls(files)
            try:
                folder._announced = read_seals(files).announced
                yield folder
            finally:
                folder.close()

    def write_study(self, record: records.StudyRecord, study_toml: str) -> None:
        """The plan and the effective study; last before the first run, as it marks a study."""
        self.write("study.toml", study_toml)
        self._write_record("study.json", record, indent=1)

    def write_environment(self, when: str, record: records.EnvironmentRecord) -> None:
        """The machine as it is now; `when` is before, after or resumed."""
        if when == "resumed":
            earlier = [each for each in self.files.names() if each.startswith(_RESUMED)]
            when = f"resumed-{len(earlier) + 1:03d}"
        self._write_record(f"environment-{when}.json", record, indent=1)

    def write_of_turn(self, record: records.OfTurn, machine: str = "") -> None:
        """A record of the study, or of one of several machines, whose own it is kept apart."""
        folder = turn_folder(record.block, record.turn, record.system)
        prefix = host_prefix(machine) if machine else ""
        is_whole_turn = isinstance(record, records.TurnRecord) and not machine
        self._write_record(
            f"records/{folder}/{prefix}{name_of(record)}",
            record,
            indent=1 if is_whole_turn else None,
        )

    def journal(self, event: str, **facts: object) -> None:
        """Append one line and have it on disk before returning."""
        with undisturbed():
            if self._announced is not None and not holds(self.files, *self._announced):
                self._journal.append(NOT_STORED, file=self._announced[0])
            self._announced = None
            self._journal.append(event, **facts)

    def announce(self, name: str, sha256: str, size_bytes: int) -> None:
        """Say in the journal what a file holds that is about to take its place."""
        self.journal(STORED, file=name, sha256=sha256, size_bytes=size_bytes)
        self._announced = (name, sha256, size_bytes)

    def set_aside(self, names: list[str], place: str) -> None:
        """Move records out of the study, the journal first; raises RigError."""
        with undisturbed():
            self.journal(SET_ASIDE, paths=names, to=place)
            try:
                self.files.make_folder(place)
                for name in names:
                    self.files.move(name, f"{place}/{name.rpartition('/')[2]}")
            except OSError as error:
                raise cannot_write(self.directory / place, error) from error

    def close(self) -> None:
        self._journal.close()

    def has_runs(self) -> bool:
        """Whether anything measured is here, whole or set aside."""
        return bool(record_files(self.files).runs) or bool(self.files.names("records-abandoned"))

    def discard(self) -> None:
        """Take away a folder in which nothing was measured."""
        if self.files.is_at(self.directory):
            shutil.rmtree(self.directory, ignore_errors=True)

    def write(self, name: str, text: str) -> None:
        """Write a record file, announced in the journal; raises RigError."""
        try:
            self.files.write(name, text, partial(self.announce, name))
        except OSError as error:
            raise cannot_write(self.directory / name, error) from error

    def _write_record(self, name: str, record: BaseModel, *, indent: int | None = None) -> None:
        with undisturbed():
            self.write(name, record.model_dump_json(indent=indent))


_RESUMED = "environment-resumed-"


@contextmanager
def opened_results(directory: Path, *, as_owner: bool = True) -> Iterator[PlainFolder]:
    """A folder that holds a study; raises InputError for any other."""
    with ExitStack() as stack:
        try:
            files = stack.enter_context(PlainFolder.opened(directory, as_owner=as_owner))
        except MissingError as error:
            raise _nothing_there(directory) from error
        require_results(files)
        yield files


def require_results(files: PlainFolder) -> None:
    if not files.is_file("study.json"):
        raise _no_results(files.path)


def _nothing_there(directory: Path) -> InputError:
    above = next(each for each in (*directory.parents, Path()) if each.is_dir())
    return InputError(
        f"there is no folder {directory}",
        cause="it was moved or removed, is a file, or the path is relative to another folder",
        next=f"ls {quoted(above)}",
    )


def _no_results(directory: Path) -> InputError:
    if inside := results_in(directory):
        several = f"{len(inside)} of them, the newest of which is"
        holds = several if len(inside) > 1 else "one:"
        return InputError(
            f"{directory} is not a results folder, but holds {holds} {inside[-1]}",
            cause="`fsgauge run --results` takes the folder above and makes one in it for each run",
            next=f"name it: {quoted(inside[-1])}",
        )
    return InputError(
        f"{directory} is not a results folder",
        cause="it has no study.json, which `fsgauge run` writes before its first run",
        next=f"ls {quoted(directory.parent)}",
    )


_DATED = len("-2026-11-29-120000")
"""The end of a results folder's name."""


def study_in_name(directory: Path) -> str:
    """The study of a results folder, as its name has it."""
    return directory.name[:-_DATED]


def results_in(directory: Path) -> list[Path]:
    """The results folders in a folder, in order of time."""
    found: list[Path] = []
    with suppress(OSError):
        found = [each.parent for each in directory.glob("*/study.json")]
    return sorted(found, key=lambda each: (each.name[-_DATED:], each.name))


def require_place(parent: Path) -> None:
    """InputError for what `ResultsFolder.created` would fail at, as far as it is seen before."""
    above = next(each for each in (parent, *parent.absolute().parents) if os.path.lexists(each))
    number = 0
    if not above.is_dir():
        number = errno.ENOTDIR
    elif not os.access(above, os.W_OK | os.X_OK):
        read_only = os.statvfs(above).f_flag & os.ST_RDONLY
        number = errno.EROFS if read_only else errno.EACCES
    if number:
        seen = _cannot_make(parent, OSError(number, os.strerror(number)))
        raise InputError(seen.what, cause=seen.cause, next=seen.next)


@contextmanager
def new_folder(parent: Path, name: str, below: str = "records") -> Iterator[PlainFolder]:
    """A new folder PARENT/NAME-DATE-TIME, open, with a folder in it; RigError where none can be."""
    name += datetime.now().astimezone().strftime("-%Y-%m-%d-%H%M%S")
    with ExitStack() as stack:
        try:
            place = stack.enter_context(PlainFolder.made(parent, as_owner=False))
            files = stack.enter_context(place.below(_make_new(place, name)))
            files.make_folder(below)
        except OSError as error:
            raise _cannot_make(parent / name, error) from error
        yield files


def _make_new(place: PlainFolder, name: str) -> str:
    for attempt in range(100):
        made = name if attempt == 0 else f"{name}-{attempt + 1}"
        try:
            place.make_new_folder(made)
        except FileExistsError:
            continue
        return made
    raise RigError(f"{place.path / name} and 99 like it already exist", next="--results DIR")


def _cannot_make(directory: Path, error: OSError) -> RigError:
    refused = cannot_write(directory, error)
    is_owned = error.errno in (errno.EACCES, errno.EPERM)
    elsewhere = "--results ~/results" if is_owned else "--results DIR   (a folder on another disk)"
    return RigError(refused.what, cause=refused.cause, next=elsewhere)
