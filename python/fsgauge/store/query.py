"""SQL over a results folder, in place and read-only.

Takes a folder and one SELECT; gives column names and rows. The database lives in memory; it can
read the folder and nothing else, and a statement that could write is refused.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fsgauge.errors import InputError
from fsgauge.plain_files import PlainFolder
from fsgauge.plain_files.bounds import DATABASE_MEMORY
from fsgauge.store import parquet, sources
from fsgauge.store.files import RecordFiles, read_text, turn_folder, turn_of
from fsgauge.store.folder import opened_results
from fsgauge.store.journal import NAME as JOURNAL
from fsgauge.store.read import checked_files
from fsgauge.store.rows import PARQUET_COLUMNS
from fsgauge.store.seals import Changes
from fsgauge.store.sources import RATES_SOURCE
from fsgauge.store.views import VIEWS

if TYPE_CHECKING:
    import duckdb

_BATCH = 10_000
_OF_COLUMNS = ("histograms", "client_histograms", "intervals", "rates")


class Answer:
    """Column names, and rows in batches."""

    def __init__(self, cursor: duckdb.DuckDBPyConnection, changes: Changes) -> None:
        self._cursor = cursor
        self.changes = changes
        self.columns = [name for name, *_ in cursor.description or ()]

    def batches(self) -> Iterator[list[tuple[Any, ...]]]:
        """All rows; raises InputError with DuckDB's words."""
        with _said():
            while rows := self._cursor.fetchmany(_BATCH):
                yield rows


@contextmanager
def asked(directory: Path, sql: str, *, accept_changed: bool = False) -> Iterator[Answer]:
    """The answer to one SELECT; raises InputError with DuckDB's words. Raises ChangedError for
    records that are not what was written, unless that is accepted."""
    with opened_results(directory) as folder:
        files, changes = checked_files(folder, accept_changed=accept_changed)
        with parquet.connected() as database:
            with _said():
                _require_readable(database, folder, files)
            with folder.rights(), _said():
                _make_views(database, folder, files, directory.resolve())
                _lock(database, directory.resolve())
                database.execute(_without_zones(database, _only_select(database, sql)))
            with folder.rights():
                yield Answer(database, changes)


def _require_readable(
    database: duckdb.DuckDBPyConnection, folder: PlainFolder, files: RecordFiles
) -> None:
    """Raise InputError for what is no plain file or too large to read, also where it was added."""
    for name in files.all():
        read_text(folder, name)
    together = parquet.RowsTogether()
    for mark in (Path(name).stem for name in files.series):
        for kind, columns in PARQUET_COLUMNS.items():
            name = f"series/{mark}-{kind}.parquet"
            with folder.pinned(name) as opened:
                rows = parquet.require_few_rows(database, folder.path / name, opened, len(columns))
            together.add(folder.path, rows)


@contextmanager
def _said() -> Iterator[None]:
    """DuckDB's errors as ours."""
    import duckdb

    try:
        yield
    except duckdb.Error as error:
        _, *more = str(error).strip().splitlines()
        if isinstance(error, duckdb.OutOfMemoryException):
            raise InputError(
                f"the query needs more than {DATABASE_MEMORY} of memory, the most allowed",
                cause="it holds or sorts too many rows at once",
                next="ask for fewer rows and columns: where cell = ... and block = ...",
            ) from error
        raise InputError(
            parquet.first_words(error),
            details=tuple(line for line in more if line.strip()),
            cause="the SQL, as DuckDB reads it, is not right",
            next="fsgauge query DIR   lists the views and their columns",
        ) from error


def _only_select(database: duckdb.DuckDBPyConnection, sql: str) -> str:
    """The statement without its end; InputError for anything that is not one SELECT."""
    import duckdb

    statements = database.extract_statements(sql)
    if [each.type for each in statements] != [duckdb.StatementType.SELECT]:
        raise InputError(
            "a query is one SELECT (or DESCRIBE, SUMMARIZE, FROM)",
            cause="records are read-only",
            next='fsgauge query DIR "select * from runs limit 5"',
        )
    return statements[0].query.strip().rstrip(";")


def _without_zones(database: duckdb.DuckDBPyConnection, select: str) -> str:
    """Times with a zone as text: Python needs a further package to hold them."""
    import duckdb

    try:
        described = database.execute(f"SELECT * FROM (DESCRIBE {select}\n)").fetchall()  # noqa: S608
    except duckdb.Error:
        return select  # whatever is wrong with it is said of the user's own words
    zoned = [name for name, kind, *_ in described if "WITH TIME ZONE" in kind]
    if not zoned:
        return select
    quoted_names = ['"' + name.replace('"', '""') + '"' for name in zoned]
    casts = ", ".join(f"CAST({name} AS VARCHAR) AS {name}" for name in quoted_names)
    return f"SELECT * REPLACE ({casts}) FROM ({select}\n)"  # noqa: S608


def _lock(database: duckdb.DuckDBPyConnection, directory: Path) -> None:
    """From here on the database reads this folder and nothing else."""
    allowed = ", ".join(dict.fromkeys(parquet.quoted(f"{each}/") for each in _spellings(directory)))
    database.execute(f"SET allowed_directories = [{allowed}]")
    for setting in (
        "autoinstall_known_extensions = false",
        "autoload_known_extensions = false",
        "enable_external_access = false",
        "lock_configuration = true",
    ):
        database.execute(f"SET {setting}")


def _spellings(directory: Path) -> tuple[str, str]:
    """The folder as it is called, and as it stands in our views, where nothing is a pattern."""
    return str(directory), parquet.plain_path(directory)


def _make_views(
    database: duckdb.DuckDBPyConnection, folder: PlainFolder, files: RecordFiles, directory: Path
) -> None:
    study = directory / "study.json"
    beside, struck = _beside(folder)
    of_study = {
        "study.json": sources.documents([study]),
        "cells": sources.elements([study], "plan.cells"),
        "plan": sources.elements([study], "plan.turns"),
        "environment": _machines([directory / name for name in files.environments]),
        "rates": RATES_SOURCE,
        "journal": sources.documents(
            [directory / name for name in [JOURNAL] if folder.is_file(name)], lines=True
        ),
    }
    own = of_study | _sources(directory, files, lambda name: turn_of(name) not in beside | struck)
    over_paths = _sources(directory, files, lambda name: turn_of(name) in beside)
    for view in VIEWS:
        source = (over_paths if view.twin_of else own)[view.source]
        if view.source in _OF_COLUMNS:
            columns = ", ".join(f"{each.name}::{each.type} AS {each.name}" for each in view.columns)
        else:
            columns = ", ".join(column.sql for column in view.columns)
            # Sorted otherwise with a document for each of its columns: 2 GiB for 1,000 runs.
            source = f"(WITH own AS MATERIALIZED (SELECT {columns} FROM {source}) FROM own)"  # noqa: S608
            columns = "*"
        database.execute(f"CREATE VIEW {view.name} AS SELECT {columns} FROM {source}")  # noqa: S608 - our own words


def _beside(folder: PlainFolder) -> tuple[set[str], set[str]]:
    """The folders of turns over paths beside a server, and of those that were struck on purpose;
    none where the plan cannot be read."""

    def folders(turns: Sequence[dict[str, Any]]) -> set[str]:
        return {turn_folder(each["block"], each["turn"], each["system"]) for each in turns}

    try:
        plan = json.loads(read_text(folder, "study.json"))["plan"]
        beside = folders([turn for turn in plan["turns"] if turn.get("over_path")])
        return beside, folders(plan.get("struck", []))
    except (ValueError, LookupError, TypeError, RecursionError, AttributeError):
        return set(), set()


def _sources(directory: Path, files: RecordFiles, wanted: Callable[[str], bool]) -> dict[str, str]:
    """What views of turns read from, of the turns that are wanted."""

    def of(names: Sequence[str]) -> list[Path]:
        return [directory / name for name in names if wanted(name)]

    runs, marked = of(files.runs), [Path(name).stem for name in files.series]
    counts = sources.counts_source(directory, runs, marked)
    return {
        "turns": sources.documents(of(files.turns)),
        "runs": sources.slices(runs),
        "jobs": sources.elements_of_runs(runs, "jobs"),
        "companions": sources.elements_of_runs(runs, "companions"),
        "integrity": sources.elements_of_runs(runs, "integrity.faulty"),
        "client_operations": sources.elements_of_runs(runs, "clients.operations"),
        "client_errors": sources.elements_of_runs(runs, "clients.errors"),
        "client_bad_records": sources.elements_of_runs(runs, "clients.bad"),
        "scans": sources.documents(of(files.scans)),
        "steps": sources.documents(of(files.steps)),
        "histograms": f"(SELECT * FROM {counts} WHERE NOT of_clients)",  # noqa: S608 - our own words
        "client_histograms": f"(SELECT * FROM {counts} WHERE of_clients)",  # noqa: S608 - our own words
        "intervals": sources.intervals_source(directory, runs, marked),
    }


def _machines(files: Sequence[Path]) -> str:
    moment = r"regexp_extract(filename, 'environment-([^/]*)\.json$', 1) AS moment"
    machines = "unnest(CAST(json->'$.machines' AS JSON[])) AS json"
    return f"(SELECT {machines}, {moment} FROM {sources.documents(files)})"  # noqa: S608
