"""A Parquet file says in its footer what it unpacks to; what it hides there meets a bound too."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pytest

from fsgauge.errors import InputError
from fsgauge.store import parquet
from fsgauge.store.parquet import RowsTogether, connected, require_few_rows


def written(path: Path, select: str) -> Path:
    with duckdb.connect() as database:
        database.execute(f"COPY ({select}) TO '{path}' (FORMAT parquet, COMPRESSION zstd)")
    return path


@contextmanager
def opened(path: Path) -> Iterator[Path]:
    descriptor = os.open(path, os.O_RDONLY)
    yield Path(f"/proc/self/fd/{descriptor}")
    os.close(descriptor)


def rows_of(path: Path, columns: int = 1) -> int:
    with connected() as database, opened(path) as place:
        return require_few_rows(database, path, place, columns)


def test_rows_are_counted_without_being_read(tmp_path: Path) -> None:
    assert rows_of(written(tmp_path / "a", "SELECT * FROM range(1000)")) == 1000
    assert rows_of(written(tmp_path / "b", "SELECT * FROM range(0)")) == 0


@pytest.mark.parametrize(
    ("name", "limit", "says"),
    [
        ("MOST_ROWS", 999, "has 1,000 rows, and 999 are allowed"),
        ("MOST_ROW_BYTES", 1000, "unpacks to .* and 1000 B are allowed"),
        ("MOST_FOOTER_BYTES", 20, "has a footer of .* and 20 B are allowed"),
    ],
)
def test_too_much_is_refused_with_what_is_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, limit: int, says: str
) -> None:
    path = written(tmp_path / "a", "SELECT random() FROM range(1000)")
    monkeypatch.setattr(parquet.bounds, name, limit)
    with pytest.raises(InputError, match=says) as refused:
        rows_of(path)
    assert refused.value.cause and refused.value.next


def test_a_file_has_its_own_columns_alone(tmp_path: Path) -> None:
    path = written(tmp_path / "a", "SELECT range AS a, range AS b FROM range(10)")
    with pytest.raises(InputError, match="has 20 values in 2 columns of 10 rows"):
        rows_of(path)
    assert rows_of(path, columns=2) == 10


@pytest.mark.parametrize("content", [b"", b"PAR1", b"x" * 100, b"x" * 92 + b"\xff\xff\xff\x7fPAR1"])
def test_what_is_no_parquet_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a").write_bytes(content)
    with pytest.raises(InputError, match="is no Parquet file"):
        rows_of(tmp_path / "a")


def test_a_footer_that_says_less_than_its_pages_have_is_refused(tmp_path: Path) -> None:
    """Its number of rows is a small one; that of its columns is still there."""
    path = written(tmp_path / "a", "SELECT * FROM range(3000)")
    content = path.read_bytes()
    footer_bytes = struct.unpack("<I", content[-8:-4])[0]
    footer = content[-8 - footer_bytes : -8]
    at = footer.index(bytes([0xF0, 0x2E]))  # 3000, in zigzag
    lying = footer[:at] + bytes([0xF0, 0x00]) + footer[at + 2 :]
    path.write_bytes(content[: -8 - footer_bytes] + lying + content[-8:])
    with pytest.raises((InputError, duckdb.Error)):
        rows_of(path)


def test_rows_of_all_files_are_bounded_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet.bounds, "MOST_ROWS_TOGETHER", 100)
    together = RowsTogether()
    together.add(Path("x"), 60)
    with pytest.raises(InputError, match="more rows than the 100 allowed"):
        together.add(Path("x"), 60)


def test_the_database_takes_no_more_memory_than_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet.bounds, "DATABASE_MEMORY", "50MiB")
    with connected() as database, pytest.raises(duckdb.OutOfMemoryException):
        database.execute("CREATE TABLE t AS SELECT random() FROM range(1000000000)")
