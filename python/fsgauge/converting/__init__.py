"""A job of another tool becomes a study: read, turned into groups, written with where each key is
from. Nothing that a job names is run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fsgauge import kinds
from fsgauge.converting.commands import convert_command
from fsgauge.converting.fio import convert_fio
from fsgauge.converting.groups import SYSTEMS, Converted
from fsgauge.converting.job_file import LARGEST_BYTES
from fsgauge.converting.personalities import convert_personality, is_personality
from fsgauge.converting.study_text import study_text
from fsgauge.converting.vdbench import convert_vdbench, is_vdbench
from fsgauge.errors import InputError
from fsgauge.plain_files import read_named
from fsgauge.study.parse import parse_study

__all__ = ["SYSTEMS", "Study", "study_from_command", "study_from_file"]


@dataclass(frozen=True)
class Study:
    text: str
    converted: Converted


def study_from_file(
    path: Path,
    *,
    systems: Sequence[str] = SYSTEMS,
    without: Sequence[str] = (),
    size_bytes: int | None = None,
) -> Study:
    """Of a job file of fio's, a personality of filebench's (.f) or a parameter file of vdbench's;
    InputError, with all its reasons, where the load would be another one."""
    text, given_up = read_named(path, LARGEST_BYTES).decode("utf-8", "replace"), frozenset(without)
    if is_personality(text):
        return _valid(convert_personality(path, text, given_up), systems)
    if is_vdbench(text):
        return _valid(convert_vdbench(path, text, given_up), systems)
    return _valid(convert_fio(path, without=given_up, size_bytes=size_bytes), systems)


def study_from_command(command: str, *, systems: Sequence[str] = SYSTEMS) -> Study:
    """Of a command line of elbencho, IOR or mdtest; it is read, never run. Raises InputError."""
    return _valid(convert_command(command), systems)


def _valid(converted: Converted, systems: Sequence[str]) -> Study:
    """Raises InputError for a load that no group can have."""
    converted.findings.note_unused()
    text = study_text(converted, systems)
    if kinds.GROUPS in kinds.names():
        try:
            parse_study(text, f"the study of {converted.title}", "converted")
        except InputError as error:
            raise _at_its_lines(error, converted) from error
    return Study(text, converted)


def _at_its_lines(error: InputError, converted: Converted) -> InputError:
    """The same at the lines of the job, where the keys of the study come from some."""
    shown = (error.location.text if error.location else "", *error.details)
    options = [
        option
        for line in shown
        for group in converted.groups
        for sources in group.sources.values()
        for option in sources
        if f"{option.place} {option.text}" in line
    ]
    if not options:
        return error
    first, *others = dict.fromkeys(options)
    also = tuple(f"{each.place}:{each.column}: {each.text}" for each in others)
    return InputError(
        error.what, location=first.location(), details=also, cause=error.cause, next=error.next
    )
