"""Results of other tools become a results folder, marked as theirs: the one entrance.

Takes files by system, each file a run of that system (or several, where a tool repeats itself in
one file); gives the folder. The first runs of all systems are block 1, the second ones block 2.
"""

from __future__ import annotations

import csv
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from fsgauge.errors import InputError, quoted
from fsgauge.importing import elbencho, fio, printed
from fsgauge.importing.elbencho import is_elbencho, read_elbencho
from fsgauge.importing.fio import is_fio, read_fio
from fsgauge.importing.measured import NonsenseError, Run
from fsgauge.importing.records import Imported, stored
from fsgauge.plain_files import read_named_json
from fsgauge.plain_files.bounds import RESULT
from fsgauge.quantities import LARGEST

_NONSENSE = (
    *(ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError),
    csv.Error,
)
_TEXTS = (
    (is_fio, read_fio, fio.TOOL),
    (printed.is_iozone, printed.read_iozone, printed.IOZONE),
    (is_elbencho, read_elbencho, elbencho.TOOL),
    (printed.is_ior, printed.read_ior, printed.IOR),
    (printed.is_bonnie, printed.read_bonnie, printed.BONNIE),
)
__all__ = ["import_results"]


def import_results(
    files: Mapping[str, Sequence[Path]],
    results: Path,
    command: list[str],
    *,
    question: str = "",
    machine: str = "",
) -> tuple[Path, Imported]:
    """The folder, and what is in it. Raises InputError for what is no tool's result, or no
    repetition of the others."""
    runs: dict[str, list[Run]] = {}
    known: dict[str, Path] = {}
    for system, paths in files.items():
        read = [run for path in paths for run in _new(read_file(path), known)]
        runs[system] = sorted(read, key=lambda run: run.started_unix_ns or 0)
    imported = Imported.of(runs, question=question, machine=machine)
    return stored(imported, results, command), imported


def read_file(path: Path) -> list[Run]:
    """The runs in it; InputError where no known tool wrote it."""
    if path.is_dir():
        raise InputError(
            f"{quoted(path)} is a folder",
            cause="files are named one by one, and a shell names those of a folder",
            next=f"fsgauge import {quoted(path)}/*",
        )
    content = read_named_json(path, RESULT)
    sha256 = hashlib.sha256(content).hexdigest()
    text = content.decode("utf-8", errors="replace")
    for is_its, read, tool in _TEXTS:
        if not is_its(text):
            continue
        try:
            runs = [_of_file(run, path, sha256) for run in read(text, path)]
            if not any(run.tests for run in runs):
                raise NonsenseError("it has no results")
        except _NONSENSE as error:
            raise InputError(
                f"{path} is no whole result of {tool}: {_in_words(error)}",
                cause="the run failed or was cut short, or another version of the tool wrote it",
                next=f"head {quoted(path)}",
            ) from error
        return runs
    raise InputError(
        f"nothing that is known here wrote {path}",
        cause="read are fio's JSON and json+, IOzone's table, bonnie++'s CSV, elbencho's CSV and"
        " JSON, IOR's table, JSON and CSV",
        next=f"head {quoted(path)}   (of fio: fio --output-format=json JOB.fio > FILE)",
    )


def _of_file(run: Run, path: Path, sha256: str) -> Run:
    """The run at a time that can be: a clock before 1970 says none."""
    at = run.started_unix_ns
    started = at if at and 0 < at < LARGEST else None
    return replace(run, path=path, sha256=sha256, started_unix_ns=started)


def _new(runs: list[Run], known: dict[str, Path]) -> list[Run]:
    """The runs, now `known` by file, and by numbers with a time; InputError for a known one."""
    path, sha256 = runs[0].path, runs[0].sha256
    own = [repr((run.tests, run.started_unix_ns)) for run in runs if run.started_unix_ns]
    for each in (sha256, *own):
        before = known.get(each)
        if before is not None:
            inside = each != sha256 and before == path
            what = f"{path} has the run of {before}"
            if before == path:
                what = f"{path} has the same run twice" if inside else f"{path} is named twice"
            raise InputError(
                what,
                cause="it was named twice, copied or appended: one run is one sample",
                next=f"head {quoted(path)}" if inside else f"fsgauge import {quoted(before)}",
            )
        known[each] = path
    return runs


def _in_words(error: Exception) -> str:
    """An exception of a reader as a sentence about the file: a user sees no Python."""
    if isinstance(error, json.JSONDecodeError):
        return f"its JSON is cut short or damaged at line {error.lineno}, column {error.colno}"
    if isinstance(error, KeyError):
        return f"it has no {str(error.args[0])[:100]!r}"
    if isinstance(error, NonsenseError | csv.Error):
        return str(error)[:200]
    found = re.search(r": ('.{,100}')$", str(error))
    return f"{found[1]} is no number" if found else "a number is missing, or cannot be"
