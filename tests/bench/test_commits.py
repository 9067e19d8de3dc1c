"""pg_test_fsync is read to the end of its first table, and is then ended."""

from pathlib import Path

import pytest

import commits
from side_by_side import Failed, Skipped

TABLE = """\
1 second per test
Compare file sync methods using one 8kB write:
        open_datasync                      1817.466 ops/sec     550 usecs/op
        fdatasync                           989.604 ops/sec    1011 usecs/op
        fsync                               500.000 ops/sec    2000 usecs/op
        fsync_writethrough                              n/a
Compare file sync methods using two 8kB writes:
        open_datasync                         7.000 ops/sec  142857 usecs/op
"""


def script(folder: Path, end: str) -> list[str]:
    program, table = folder / "pg", folder / "table"
    table.write_text(TABLE)
    program.write_text(f"#!/bin/sh\ntrap 'touch {folder}/gone; exit 1' TERM\ncat {table}\n{end}\n")
    program.chmod(0o755)
    return [str(program)]


def test_it_ends_with_its_first_table(tmp_path: Path) -> None:
    table = commits.first_table(script(tmp_path, "while :; do sleep 0.05; done"))
    assert [commits.printed(table, name) for name in commits.SYNCS] == [1817.466, 989.604, 500.0]
    assert (tmp_path / "gone").exists()


def test_a_method_without_a_rate_costs_the_row(tmp_path: Path) -> None:
    table = commits.first_table(script(tmp_path, ":"))
    with pytest.raises(Failed, match="no rate of fsync_writethrough"):
        commits.printed(table, "fsync_writethrough")
    with pytest.raises(Failed, match="ended before its second table"):
        commits.first_table(["sh", "-c", "echo no; exit 1"])


def test_a_missing_peer_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(commits.VARIABLE, "no-such-program")
    with pytest.raises(Skipped, match="names no-such-program, which cannot be run"):
        commits.pg_test_fsync()
    monkeypatch.delenv(commits.VARIABLE)
    monkeypatch.setattr(commits, "DEBIAN", tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Skipped, match="apt-get install postgresql"):
        commits.pg_test_fsync()
