"""The journal: on disk line by line, one writer, torn lines skipped."""

from __future__ import annotations

import resource
from pathlib import Path

import pytest

from fsgauge.errors import RigError
from fsgauge.store.journal import NAME, Journal, read_journal
from fsgauge.store.query import asked


def events(directory: Path) -> list[object]:
    return [line["event"] for line in read_journal(directory)]


def test_a_line_that_a_crash_cut_short_is_skipped(tmp_path: Path) -> None:
    """At every length of the last line, and what is appended after it is whole."""
    journal = Journal(tmp_path)
    journal.append("started", runs=3)
    journal.append("run", cell="randread", fault=None)
    journal.close()
    whole = (tmp_path / NAME).read_bytes()
    first = whole.index(b"\n") + 1
    for length in range(first, len(whole) - 1):
        (tmp_path / NAME).write_bytes(whole[:length])
        assert events(tmp_path) == ["started"]
        again = Journal(tmp_path)
        again.append("resumed")
        again.close()
        assert events(tmp_path) == ["started", "resumed"]


def test_sql_skips_it_too(tmp_path: Path) -> None:
    (tmp_path / "study.json").write_text("{}")
    (tmp_path / NAME).write_text('{"unix_ns": 1, "event": "started"}\n{"unix_ns": 2, "ev')
    with asked(tmp_path, "select event from journal") as answer:
        assert [row for batch in answer.batches() for row in batch] == [("started",)]


def test_one_writer(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    with pytest.raises(RigError, match="in use by another fsgauge"):
        Journal(tmp_path)
    journal.close()
    Journal(tmp_path).close()


def test_a_disk_that_is_full_in_the_middle_of_a_line(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    journal.append("started")
    size = (tmp_path / NAME).stat().st_size
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    import signal

    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 10, limits[1]))
    try:
        with pytest.raises(RigError, match="cannot write"):
            journal.append("run", cell="randread")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, before)
    journal.append("ended")
    journal.close()
    assert events(tmp_path) == ["started", "ended"]


def test_no_journal_is_no_events(tmp_path: Path) -> None:
    assert read_journal(tmp_path) == []
    assert list(tmp_path.iterdir()) == []
