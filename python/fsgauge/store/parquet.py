"""A Parquet file of rows, looked at by its footer before any of it is unpacked.

The footer says how many rows there are and what they unpack to; a megabyte can unpack to a
terabyte. What the footer hides is bounded by what the database may take.
"""

from __future__ import annotations

import os
import re
import struct
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from fsgauge.errors import InputError
from fsgauge.plain_files import bounds
from fsgauge.units import format_size

if TYPE_CHECKING:
    import duckdb

_FOOTER = """
SELECT file.num_rows, file.num_row_groups, of_columns.* FROM parquet_file_metadata(?) AS file,
    (SELECT count(DISTINCT path_in_schema), coalesce(sum(num_values), 0),
    coalesce(sum(total_uncompressed_size), 0) FROM parquet_metadata(?)) AS of_columns
"""
_END = struct.Struct("<I4s")
_MARK = b"PAR1"
_MOST_LETTERS = 300


def connected() -> duckdb.DuckDBPyConnection:
    """A database in memory that takes no more of it than is allowed, and nothing of a disk."""
    import duckdb

    return duckdb.connect(
        config={"memory_limit": bounds.DATABASE_MEMORY, "temp_directory": "", "threads": 2}
    )


def reading() -> duckdb.DuckDBPyConnection:
    """A cursor of one such database that all readers of rows share: a new one for each of a study's
    files would take longer than to read them."""
    return _shared().cursor()


_shared = cache(connected)


def require_few_rows(
    database: duckdb.DuckDBPyConnection, path: Path, opened: Path, columns: int
) -> int:
    """How many rows a file has; InputError for too many, or where they unpack to more than so many
    rows can have. `opened` is a path to the open file, which is called `path` in errors."""
    import duckdb

    _require_small_footer(path, int(opened.name))
    try:
        rows, groups, wide, values, unpacked = database.execute(
            _FOOTER, [str(opened)] * 2
        ).fetchall()[0]
    except (duckdb.Error, IndexError) as error:
        raise _refused(path, f"has a footer that cannot be read: {first_words(error)}") from error
    if rows > bounds.MOST_ROWS:
        raise _refused(path, f"has {rows:,} rows, and {bounds.MOST_ROWS:,} are allowed")
    if groups > rows or wide > columns or values > rows * columns:
        raise _refused(path, f"has {values:,} values in {wide} columns of {rows:,} rows")
    if unpacked > bounds.MOST_ROW_BYTES:
        raise _refused(
            path,
            f"unpacks to {format_size(unpacked)}, and {format_size(bounds.MOST_ROW_BYTES)} are"
            " allowed",
        )
    return int(rows)


@dataclass
class RowsTogether:
    """How many rows were read of the files of a folder."""

    rows: int = 0

    def add(self, folder: Path, rows: int) -> None:
        """Raise InputError where they become too many."""
        self.rows += rows
        if self.rows > bounds.MOST_ROWS_TOGETHER:
            raise _refused(folder, f"has more rows than the {bounds.MOST_ROWS_TOGETHER:,} allowed")


def first_words(error: Exception) -> str:
    """What DuckDB said first; it quotes values, which have any length."""
    return str(error).strip().partition("\n")[0][:_MOST_LETTERS]


def _require_small_footer(path: Path, descriptor: int) -> None:
    size_bytes = os.fstat(descriptor).st_size
    end = os.pread(descriptor, _END.size, max(0, size_bytes - _END.size))
    footer_bytes, mark = _END.unpack(end) if len(end) == _END.size else (0, b"")
    if mark != _MARK or footer_bytes > size_bytes:
        raise _refused(path, "is no Parquet file")
    if footer_bytes > bounds.MOST_FOOTER_BYTES:
        raise _refused(
            path,
            f"has a footer of {format_size(footer_bytes)}, and"
            f" {format_size(bounds.MOST_FOOTER_BYTES)} are allowed",
        )


def _refused(path: Path, what: str) -> InputError:
    return InputError(
        f"{path} {what}",
        cause="the file was damaged, or another program wrote it",
        next="restore it from a copy of the folder",
    )


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def quoted_path(path: Path) -> str:
    """A path of exactly one file as a string of SQL: DuckDB would read *, ? and [ as patterns."""
    return quoted(plain_path(path))


def plain_path(path: Path) -> str:
    """A path in which nothing is a pattern."""
    return re.sub(r"([*?\[])", r"[\1]", str(path))
