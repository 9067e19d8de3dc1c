"""Results of other tools become a results folder, marked as theirs: the one entrance.

Takes files by system, each file a run of that system (or several, where a tool repeats itself in
one file); gives the folder. The first runs of all systems are block 1, the second ones block 2.
"""

from __future__ import annotations

import csv
import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fsgauge.errors import InputError, quoted
from fsgauge.importing import elbencho, fio, printed
from fsgauge.importing.elbencho import is_elbencho, read_elbencho
from fsgauge.importing.fio import is_fio, read_fio
from fsgauge.importing.measured import Run, unreadable
from fsgauge.importing.records import Imported, stored
from fsgauge.plain_files import read_named_json
from fsgauge.plain_files.bounds import RESULT
from fsgauge.quantities import LARGEST

_NO_NUMBER = re.compile(r"([:\[,]\s*)-?(?:nan|inf)\b", re.IGNORECASE)
_NONSENSE = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, csv.Error)
_TEXTS = (
    (printed.is_iozone, printed.read_iozone, printed.IOZONE),
    (is_elbencho, read_elbencho, elbencho.TOOL),
    (printed.is_ior, printed.read_ior, printed.IOR),
    (printed.is_bonnie, printed.read_bonnie, printed.BONNIE),
)
__all__ = ["ImportedFolder", "import_results"]


@dataclass(frozen=True)
class ImportedFolder:
    """Where it is, what is in it, and what was left out, a sentence each."""

    directory: Path
    tool: str
    blocks: int
    tests: list[str]
    left_out: list[str]


def import_results(
    files: Mapping[str, Sequence[Path]],
    results: Path,
    command: list[str],
    *,
    question: str = "",
    machine: str = "",
) -> ImportedFolder:
    """Raises InputError for what is no tool's result, or no repetition of the others."""
    runs: dict[str, list[Run]] = {}
    for system, paths in files.items():
        read = [run for path in paths for run in read_file(path)]
        runs[system] = sorted(read, key=lambda run: run.started_unix_ns or 0)
    imported = Imported.of(runs, question=question, machine=machine)
    directory = stored(imported, results, command)
    return ImportedFolder(
        directory,
        imported.tool,
        imported.blocks,
        [cell.name for cell in imported.cells.values()],
        imported.left_out,
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
