"""Files of a results folder: written whole or not at all, read with an error that names them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fsgauge.errors import InputError, RigError
from fsgauge.record import ScanRecord, StepRecord


def write_whole(path: Path, text: str) -> None:
    """Write beside, flush, rename, flush the folder: a reader sees the old file or the new one.

    Raises RigError where that cannot be done; what was there stays.
    """
    with replacing(path) as beside, beside.open("w", encoding="utf-8") as file:
        file.write(text)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A path to write to, which then takes the place of `path` durably, or is gone on failure."""
    beside = path.with_name(f".{path.name}.new")
    try:
        path.parent.mkdir(exist_ok=True)
        yield beside
        _flush(beside)
        beside.replace(path)
        _flush(path.parent)
    except OSError as error:
        _forget(beside)
        raise cannot_write(path, error) from error
    except BaseException:
        _forget(beside)
        raise


def read_text(path: Path) -> str:
    """A file's text; raises InputError that names the file."""
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise InputError(
            f"{path} is missing",
            cause="the folder was copied in part, or the study was killed before its first run",
            next=f"ls {path.parent}",
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"cannot read {path}: {error}",
            cause="the file was damaged, or belongs to another user",
            next="restore it from a copy of the folder",
        ) from error


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


def cannot_write(path: Path, error: OSError) -> RigError:
    """The results folder does not take more."""
    return RigError(
        f"cannot write {path}: {error.strerror}",
        cause="the results folder is read-only or its disk is full; what was recorded is kept",
        next="df -h " + str(path.parent),
    )


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _forget(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError:
        return
