"""A job of another tool becomes a study: read, turned into groups, written. Nothing that a job
names is run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fsgauge import kinds
from fsgauge.converting.commands import convert_command
from fsgauge.converting.fio import convert_fio
from fsgauge.converting.groups import SYSTEMS, Converted, at_lines_of_job
from fsgauge.converting.job_file import LARGEST_BYTES
from fsgauge.converting.personalities import convert_personality, is_personality
from fsgauge.converting.vdbench import convert_vdbench, is_vdbench
from fsgauge.converting.writing import study_text
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
        with at_lines_of_job(converted):
            parse_study(text, f"the study of {converted.title}", "converted")
    return Study(text, converted)
