"""The many rows of a finished block in Parquet: written once, checked, then taken out of the JSON.

A run's JSON is the durable truth until its block is finished. In a short study the rows stay there.
In others `compact` writes the rows of all its runs into two Parquet files, reads them back, writes
`series/BBB.json` with their checksums, and only then rewrites each run record without rows. A crash
in between leaves rows in both places, and the ones in the JSON are read. `SeriesReader` gives them
back as arrays.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from pathlib import Path

import numpy as np

from fsgauge.engine.wire import LoadResult
from fsgauge.errors import InputError, RigError
from fsgauge.plain_files import PlainFolder, SeenFolder, cannot_write, cause_in
from fsgauge.plain_files.bounds import MOST_ROWS
from fsgauge.plain_files.kept import Kept
from fsgauge.record.records import Record, RunRecord
from fsgauge.record.series import INTERVAL_COLUMNS, Columns, Counts, Intervals, Load, OnDemand
from fsgauge.store.files import read_record, record_files, turn_of
from fsgauge.store.folder import ResultsFolder
from fsgauge.store.parquet import RowsTogether, first_words, quoted, reading, require_few_rows
from fsgauge.store.rows import (
    HISTOGRAMS,
    KEYS,
    PARQUET_COLUMNS,
    Place,
    as_arrays,
    changed,
    emptied,
    filled,
    histograms,
    rows_of,
)


class SeriesFile(Kept):
    """A Parquet file as it was written: a file that differs is not read."""

    name: str
    rows: int
    size_bytes: int
    sha256: str


class SeriesRecord(Record):
    """The rows of a finished block's runs, moved out of their JSON."""

    block: int
    counts: SeriesFile
    intervals: SeriesFile


Places = dict[tuple[int, ...], tuple[int, int]]

_SELDOM = {name for name in INTERVAL_COLUMNS if name.endswith(("_size_bytes", "_latency_sum_ns"))}
_SMALL = {"turn": "USMALLINT", "position": "USMALLINT", "histogram": "UTINYINT"}
_SMALL |= {"part": "USMALLINT", "slice": "USMALLINT"}
_SMALL |= {"bucket": "UINTEGER", "warm_up": "BOOLEAN"}


SHORT_BYTES = 8 << 20
"""Of all run records of a study: they are read in a fifth of a second, as soon as Parquet would be,
and to write that and each record anew took a seventh of the time of a study of short cells."""


def compact(folder: ResultsFolder, block: int, blocks: int, short_bytes: int = SHORT_BYTES) -> None:
    """Move the rows of a finished block's runs into Parquet, unless the study is short: `blocks` of
    this one's size have less than `short_bytes`. Does nothing twice.

    Raises InputError for records that cannot be read, RigError for a folder that takes no more;
    either way the rows stay where they were.
    """
    files = folder.files
    names = [name for name in record_files(files).runs if turn_of(name).startswith(f"{block:03d}-")]
    mark = f"series/{block:03d}.json"
    if blocks * sum(map(files.size_bytes, names)) < short_bytes and not files.is_file(mark):
        return
    records = [(name, read_record(RunRecord, files, name)) for name in names]
    waiting = [(name, record) for name, record in records if record.series is None]
    if waiting and not files.is_file(mark):
        rows = rows_of([record for _, record in records])
        if max(len(columns["turn"]) for columns in rows.values()) > MOST_ROWS:
            return  # they could not be read again
        series = _write_series(folder, block, rows)
        folder.write(mark, series.model_dump_json(indent=1))
    for name, record in waiting:
        bare = changed(record, lambda _, result: emptied(result)).model_copy(
            update={"series": f"{block:03d}"}
        )
        folder.write(name, bare.model_dump_json())


def _write_series(folder: ResultsFolder, block: int, rows: dict[str, Columns]) -> SeriesRecord:
    written = {}
    for kind, columns in rows.items():
        name = f"series/{block:03d}-{kind}.parquet"
        try:
            folder.files.make_folder("series")
            with folder.files.replacing(name, partial(folder.announce, name)) as descriptor:
                _write_parquet(folder.directory / name, descriptor, kind, columns)
                _check_same(folder.directory / name, descriptor, kind, columns)
        except OSError as error:
            raise cannot_write(folder.directory / name, error) from error
        sha256, size_bytes = folder.files.digest(name)
        written[kind] = SeriesFile(
            name=name.rpartition("/")[2],
            rows=len(columns["turn"]),
            size_bytes=size_bytes,
            sha256=sha256,
        )
    return SeriesRecord(block=block, **written)


def _write_parquet(path: Path, descriptor: int, kind: str, columns: Columns) -> None:
    """Write into the open file that is to become `path`."""
    import duckdb

    chosen = ", ".join(_as_number(name) for name in PARQUET_COLUMNS[kind])
    try:
        with duckdb.connect() as database:
            database.register("rows_in_memory", dict(columns))
            database.execute(
                f"COPY (SELECT {chosen} FROM rows_in_memory) TO {quoted(_path_of(descriptor))}"  # noqa: S608
                " (FORMAT parquet, COMPRESSION zstd, USE_TMP_FILE false)"
            )
    except duckdb.Error as error:
        raise RigError(
            f"cannot write {path}",
            details=(first_words(error),),
            cause=cause_in(str(error)),
            next=f"df -h {shlex.quote(str(path.parent))}",
        ) from error


def _as_number(name: str) -> str:
    return f"{name}::{_SMALL.get(name, 'BIGINT')} AS {name}"


def _path_of(descriptor: int) -> str:
    return f"/proc/self/fd/{descriptor}"


def _check_same(path: Path, descriptor: int, kind: str, columns: Columns) -> None:
    """What was written must read back as it was: the other copy is about to go."""
    stored = _read_parquet(path, Path(_path_of(descriptor)), PARQUET_COLUMNS[kind])
    for name in PARQUET_COLUMNS[kind]:
        if not np.array_equal(stored[name], columns[name]):
            raise RigError(
                f"{path} does not read back as it was written",
                cause="the disk or the memory of this machine changes data",
                next="dmesg | tail",
            )


def _read_parquet(path: Path, opened: Path, names: Sequence[str]) -> Columns:
    """Columns of the file that `opened` leads to; it is called `path` in errors."""
    import duckdb

    kind = "counts" if "bucket" in names else "intervals"
    chosen = ", ".join(_as_number(name) for name in names)
    try:
        with reading() as database:
            require_few_rows(database, path, opened, len(PARQUET_COLUMNS[kind]))
            found = database.execute(
                f"SELECT {chosen} FROM read_parquet({quoted(str(opened))})"  # noqa: S608
            ).fetchnumpy()
    except duckdb.Error as error:
        raise InputError(
            f"cannot read {path}",
            details=(first_words(error),),
            cause="the file was damaged",
            next="restore it from a copy of the folder",
        ) from error
    return {name: np.asarray(found[name]) for name in names}


@dataclass(frozen=True)
class _Rows:
    """One Parquet file, which is read when first asked for."""

    folder: SeenFolder
    name: str
    kind: str
    together: RowsTogether

    def of(self, place: tuple[int, ...]) -> Load:
        """What gives the rows of one slice of a run (and histogram)."""
        return lambda: (self._loaded[0], *self._loaded[1].get(place, (0, 0)))

    @cached_property
    def _loaded(self) -> tuple[Columns, Places]:
        """All rows and where those of each slice lie: side by side, as they were written."""
        first = [name for name in PARQUET_COLUMNS[self.kind] if name not in _SELDOM]
        columns = OnDemand(lambda name: self._read([name])[name])
        columns.update(self._read(first))
        self.together.add(self.folder.path, len(columns["turn"]))
        keys = np.stack([columns.pop(name).astype(np.int64) for name in KEYS[self.kind]])
        if not keys.shape[1]:
            return columns, {}
        starts = np.flatnonzero(np.r_[True, np.any(keys[:, 1:] != keys[:, :-1], axis=0)])
        bounds = [*starts.tolist(), keys.shape[1]]
        first_keys = keys[:, starts].T.tolist()
        return columns, {
            tuple(key): bound for key, bound in zip(first_keys, pairwise(bounds), strict=True)
        }

    def _read(self, names: Sequence[str]) -> Columns:
        with self.folder.opened() as folder, folder.pinned(self.name) as opened:
            return _read_parquet(self.folder.path / self.name, opened, names)


class SeriesReader:
    """Gives run records their rows back, as arrays."""

    def __init__(self, folder: PlainFolder) -> None:
        self._folder = folder
        self._blocks: dict[str, dict[str, _Rows]] = {}
        self._together = RowsTogether()

    def with_rows(self, record: RunRecord, path: Path) -> RunRecord:
        """The record with arrays for lists; raises InputError where its rows cannot be found."""
        if record.series is None:
            return changed(record, lambda _, result: as_arrays(result))
        if record.series != f"{record.block:03d}":
            raise InputError(
                f"{path} names the series {record.series}, which belongs to another block",
                cause="it was edited",
                next="restore the file from a copy of the folder",
            )
        block = self._block(record.series, record.block)

        def stored(place: Place, result: LoadResult) -> LoadResult:
            of_slice = (record.turn, record.position, *place)
            counts = {
                name: Counts(block["counts"].of((*of_slice, number)))
                for number, name in enumerate(HISTOGRAMS)
                if name in histograms(result)
            }
            return filled(result, counts, Intervals(block["intervals"].of(of_slice)))

        return changed(record, stored)

    def _block(self, name: str, block: int) -> dict[str, _Rows]:
        if name not in self._blocks:
            read_record(SeriesRecord, self._folder, f"series/{name}.json")
            seen = SeenFolder.of(self._folder)
            self._blocks[name] = {
                kind: _Rows(seen, f"series/{block:03d}-{kind}.parquet", kind, self._together)
                for kind in PARQUET_COLUMNS
            }
        return self._blocks[name]
