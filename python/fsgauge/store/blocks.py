"""The many rows of a finished block in Parquet: written once, checked, then taken out of the JSON.

A run's JSON is the durable truth until its block is finished. Then `compact` writes the rows of
all its runs into two Parquet files, reads them back, writes `series/BBB.json` with their
checksums, and only then rewrites each run record without rows. A crash in between leaves rows in
both places, and the ones in the JSON are read. `SeriesReader` gives them back as arrays.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from fsgauge.errors import InputError, RigError
from fsgauge.record import RunRecord, SeriesFile, SeriesRecord
from fsgauge.series import COUNT_COLUMNS, INTERVAL_COLUMNS, Columns, Counts, Intervals, Load
from fsgauge.store.files import replacing, write_whole
from fsgauge.store.read import read_record, run_files
from fsgauge.store.rows import HISTOGRAMS, emptied, histograms, rows_of, with_rows
from fsgauge.store.sql import quoted, quoted_path

Places = dict[tuple[int, ...], tuple[int, int]]

_KEYS = {"counts": ("turn", "position", "histogram"), "intervals": ("turn", "position")}
_COLUMNS = {
    "counts": (*_KEYS["counts"], *COUNT_COLUMNS),
    "intervals": (*_KEYS["intervals"], *INTERVAL_COLUMNS),
}
_SELDOM = {name for name in INTERVAL_COLUMNS if name.endswith(("_size_bytes", "_latency_sum_ns"))}
_SMALL = {"turn": "USMALLINT", "position": "USMALLINT", "histogram": "UTINYINT"}
_SMALL |= {"bucket": "UINTEGER", "warm_up": "BOOLEAN"}


def compact(directory: Path, block: int) -> None:
    """Move the rows of a finished block's runs into Parquet; does nothing twice.

    Raises InputError for records that cannot be read, RigError for a folder that takes no more;
    either way the rows stay where they were.
    """
    files = [path for path in run_files(directory) if path.parent.name.startswith(f"{block:03d}-")]
    records = [(path, read_record(RunRecord, path)) for path in files]
    waiting = [(path, record) for path, record in records if record.series is None]
    mark = directory / "series" / f"{block:03d}.json"
    if waiting and not mark.is_file():
        series = _write_series(directory, block, [record for _, record in records])
        write_whole(mark, series.model_dump_json(indent=1))
    for path, record in waiting:
        bare = emptied(record).model_copy(update={"series": f"{block:03d}"})
        write_whole(path, bare.model_dump_json())


def _write_series(directory: Path, block: int, records: list[RunRecord]) -> SeriesRecord:
    files = {}
    for kind, columns in rows_of(records).items():
        path = directory / "series" / f"{block:03d}-{kind}.parquet"
        with replacing(path) as beside:
            _write_parquet(beside, kind, columns)
            _check_same(beside, kind, columns)
        files[kind] = SeriesFile(
            name=path.name,
            rows=len(columns["turn"]),
            size_bytes=path.stat().st_size,
            sha256=_checksum(path),
        )
    return SeriesRecord(block=block, **files)


def _write_parquet(path: Path, kind: str, columns: Columns) -> None:
    import duckdb

    chosen = ", ".join(f"{name}::{_SMALL.get(name, 'BIGINT')} AS {name}" for name in _COLUMNS[kind])
    try:
        with duckdb.connect() as database:
            database.register("rows_in_memory", dict(columns))
            database.execute(
                f"COPY (SELECT {chosen} FROM rows_in_memory) TO {quoted(str(path))}"  # noqa: S608
                " (FORMAT parquet, COMPRESSION zstd)"
            )
    except duckdb.Error as error:
        raise RigError(
            f"cannot write {path}",
            details=(str(error).splitlines()[0],),
            cause="the results folder is read-only or its disk is full; what was recorded is kept",
            next=f"df -h {path.parent}",
        ) from error


def _check_same(path: Path, kind: str, columns: Columns) -> None:
    """What was written must read back as it was: the other copy is about to go."""
    stored = _read_parquet(path, _COLUMNS[kind])
    for name in _COLUMNS[kind]:
        if not np.array_equal(stored[name], columns[name]):
            raise RigError(
                f"{path} does not read back as it was written",
                cause="the disk or the memory of this machine changes data",
                next="dmesg | tail",
            )


def _read_parquet(path: Path, names: Sequence[str]) -> Columns:
    import duckdb

    try:
        with duckdb.connect() as database:
            query = f"SELECT {', '.join(names)} FROM read_parquet({quoted_path(path)})"  # noqa: S608
            found = database.execute(query).fetchnumpy()
    except duckdb.Error as error:
        raise InputError(
            f"cannot read {path}",
            details=(str(error).splitlines()[0],),
            cause="the file was damaged",
            next="restore it from a copy of the folder",
        ) from error
    return {name: np.asarray(found[name]) for name in names}


def _checksum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class _OnDemand(dict[str, npt.NDArray[Any]]):
    """Columns of which the seldom wanted ones are read when they are asked for."""

    path: Path

    def __missing__(self, name: str) -> npt.NDArray[Any]:
        self[name] = _read_parquet(self.path, [name])[name]
        return self[name]


@dataclass(frozen=True)
class _Rows:
    """One Parquet file, which is read when first asked for."""

    path: Path
    kind: str
    file: SeriesFile

    def of(self, place: tuple[int, ...]) -> Load:
        """What gives the rows of one run (and histogram)."""
        return lambda: (self._loaded[0], *self._loaded[1].get(place, (0, 0)))

    @cached_property
    def _loaded(self) -> tuple[Columns, Places]:
        """All rows and where those of each run lie: side by side, as they were written."""
        self._require_same()
        first = [name for name in _COLUMNS[self.kind] if name not in _SELDOM]
        columns = _OnDemand(_read_parquet(self.path, first))
        columns.path = self.path
        keys = np.stack([columns.pop(name).astype(np.int64) for name in _KEYS[self.kind]])
        if not keys.shape[1]:
            return columns, {}
        starts = np.flatnonzero(np.r_[True, np.any(keys[:, 1:] != keys[:, :-1], axis=0)])
        bounds = [*starts.tolist(), keys.shape[1]]
        first_keys = keys[:, starts].T.tolist()
        return columns, {
            tuple(key): bound for key, bound in zip(first_keys, pairwise(bounds), strict=True)
        }

    def _require_same(self) -> None:
        """Raise InputError when the file is not the one that was written."""
        try:
            same = _checksum(self.path) == self.file.sha256
        except OSError as error:
            raise InputError(
                f"cannot read {self.path}: {error.strerror}",
                cause="the folder was copied in part",
                next=f"ls {self.path.parent}",
            ) from error
        if not same:
            raise InputError(
                f"{self.path} is not the file that was written",
                cause="it was cut short, edited or damaged: its checksum differs",
                next="restore it from a copy of the folder",
            )


class SeriesReader:
    """Gives run records their rows back, as arrays."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory / "series"
        self._blocks: dict[str, dict[str, _Rows]] = {}

    def with_rows(self, record: RunRecord, path: Path) -> RunRecord:
        """The record with arrays for lists; raises InputError where its rows cannot be found."""
        if record.series is None or record.result is None:
            return with_rows(record, None, None)
        if record.series != f"{record.block:03d}":
            raise InputError(
                f"{path} names the series {record.series}, which is not its block's",
                cause="it was edited",
                next="restore the file from a copy of the folder",
            )
        block = self._block(record.series, record.block)
        place = (record.turn, record.position)
        counts = {
            name: Counts(block["counts"].of((*place, number)))
            for number, name in enumerate(HISTOGRAMS)
            if name in histograms(record)
        }
        return with_rows(record, counts, Intervals(block["intervals"].of(place)))

    def _block(self, name: str, block: int) -> dict[str, _Rows]:
        if name not in self._blocks:
            record = read_record(SeriesRecord, self._directory / f"{name}.json")
            self._blocks[name] = {
                kind: _Rows(self._directory / f"{block:03d}-{kind}.parquet", kind, file)
                for kind, file in (("counts", record.counts), ("intervals", record.intervals))
            }
        return self._blocks[name]
