"""One record of a results folder, read and understood."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from fsgauge.errors import InputError
from fsgauge.plain_files import PlainFolder
from fsgauge.record.records import FORMAT
from fsgauge.store.files import read_text

R = TypeVar("R", bound=BaseModel)


def read_record(kind: type[R], folder: PlainFolder, name: str) -> R:
    """One record; InputError says whether it is newer, cut short, or something else."""
    text = read_text(folder, name)
    try:
        return kind.model_validate_json(text)
    except ValidationError as error:
        raise _unreadable(folder.path / name, text, error) from error


def _unreadable(path: Path, text: str, error: ValidationError) -> InputError:
    """Say which of three it is: a newer version's, cut short, or not a record at all."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return InputError(
            f"{path} is not complete JSON",
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
