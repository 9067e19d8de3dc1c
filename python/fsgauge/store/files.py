"""Names of the files of a results folder, and their text."""

from __future__ import annotations

import re

from fsgauge.errors import InputError
from fsgauge.plain_files import PlainFolder, require_few_in_toml
from fsgauge.plain_files.bounds import PLAN, RECORD, STUDY
from fsgauge.record.records import RunRecord, ScanRecord, StepRecord


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


def run_name(record: RunRecord) -> str:
    """The name of a run's file in its turn's folder."""
    return f"{record.position:02d}-{slug(record.cell.id)}.json"


def host_prefix(machine: str) -> str:
    """Begins the names of the records that one of several machines made; no reader takes them for
    the study's own."""
    return f"host-{slug(machine)}-"


def scan_name(record: ScanRecord) -> str:
    """The name of a scan's file in its turn's folder."""
    words = (
        f"after-{slug(record.cell)}" if record.when == "after cell" and record.cell else record.when
    )
    return f"scan-{words}.json"


def step_name(record: StepRecord) -> str:
    """The name of a step's file in its turn's folder."""
    return f"step-{record.number:02d}-{slug(record.cell)}.json"


def turn_folder(block: int, turn: int, system: str) -> str:
    """The name of a turn's folder."""
    return f"{block:03d}-{turn:02d}-{slug(system)}"


def slug(name: str) -> str:
    """A name fit for a file: letters, digits, dots and dashes, at most 60."""
    return re.sub(r"[^A-Za-z0-9._+-]+", "-", name).strip("-.")[:60] or "unnamed"
