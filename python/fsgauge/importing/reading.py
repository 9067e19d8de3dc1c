"""What wrote a file, and what it says: by the text itself, never by the file's name."""

from __future__ import annotations

import csv
import hashlib
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from fsgauge.errors import InputError, quoted
from fsgauge.importing import bonnie, elbencho, fio, ior, iozone
from fsgauge.importing.bonnie import is_bonnie, read_bonnie
from fsgauge.importing.elbencho import is_elbencho, read_elbencho
from fsgauge.importing.fio import is_fio, read_fio
from fsgauge.importing.ior import is_ior, read_ior
from fsgauge.importing.iozone import is_iozone, read_iozone
from fsgauge.importing.measured import Run, unreadable
from fsgauge.plain_files import read_named_json
from fsgauge.plain_files.bounds import RESULT
from fsgauge.quantities import LARGEST

_NO_NUMBER = re.compile(r"([:\[,]\s*)-?(?:nan|inf)\b", re.IGNORECASE)
_NONSENSE = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, csv.Error)
_TEXTS = (
    (is_iozone, read_iozone, iozone.TOOL),
    (is_elbencho, read_elbencho, elbencho.TOOL),
    (is_ior, read_ior, ior.TOOL),
    (is_bonnie, read_bonnie, bonnie.TOOL),
)


def read_file(path: Path) -> list[Run]:
    """The runs in it; InputError where no known tool wrote it."""
    content = read_named_json(path, RESULT)
    sha256 = hashlib.sha256(content).hexdigest()
    text = content.decode("utf-8", errors="replace")
    document = _json_in(text)
    if is_fio(document):
        with _whole(path, fio.TOOL):
            return _checked(read_fio(document, path, sha256), path, fio.TOOL)
    for is_its, read, tool in _TEXTS:
        if is_its(text):
            with _whole(path, tool):
                return _checked(read(text, path, sha256), path, tool)
    raise InputError(
        f"nothing that is known here wrote {path}",
        cause="read are fio's JSON and json+, IOzone's table, bonnie++'s CSV, elbencho's CSV and"
        " JSON, IOR's table, JSON and CSV",
        next=f"head {quoted(path)}   (of fio: fio --output-format=json JOB.fio > FILE)",
    )


def _checked(runs: list[Run], path: Path, tool: str) -> list[Run]:
    """Runs that have tests, at a time that can be: a clock before 1970 says none."""
    if not any(run.tests for run in runs):
        unreadable(path, tool, "it has no results")
    return [
        run if 0 < (run.started_unix_ns or 0) < LARGEST else replace(run, started_unix_ns=None)
        for run in runs
    ]


@contextmanager
def _whole(path: Path, tool: str) -> Iterator[None]:
    """What is no number, or is not there, makes no result: InputError that names the file."""
    try:
        yield
    except _NONSENSE as error:
        unreadable(path, tool, f"{type(error).__name__} {str(error).partition(chr(10))[0][:200]}")


def _json_in(text: str) -> Any:  # noqa: ANN401 - whatever it holds
    """The first JSON document: fio prints messages before it, and numbers that are not JSON's."""
    begin = re.search(r"^\{", text, flags=re.MULTILINE)
    if begin is None:
        return None
    try:
        found, _ = json.JSONDecoder().raw_decode(_NO_NUMBER.sub(r"\1null", text[begin.start() :]))
    except (ValueError, RecursionError):
        return None
    return found
