"""The journal: on disk line by line, one writer, torn lines skipped."""

from __future__ import annotations

import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from fsgauge.errors import RigError
from fsgauge.plain_files import PlainFolder
from fsgauge.store.journal import NAME, Journal, JournalLine, read_lines
from fsgauge.store.query import asked
from tests.sealing import seal


@contextmanager
def opened(directory: Path) -> Iterator[Journal]:
    with PlainFolder.opened(directory) as folder:
        journal = Journal(folder)
        try:
            yield journal
        finally:
            journal.close()


def lines(directory: Path) -> list[JournalLine]:
    with PlainFolder.opened(directory) as folder:
        return read_lines(folder)


def events(directory: Path) -> list[object]:
    return [line.facts["event"] for line in lines(directory)]


def unlinked(directory: Path) -> list[int]:
    """Numbers of the lines to which the chain does not lead."""
    return [line.number for line in lines(directory) if not line.is_linked]


def test_a_line_that_a_crash_cut_short_is_skipped(tmp_path: Path) -> None:
    """At every length of the last line, and what is appended after it is whole."""
    with opened(tmp_path) as journal:
        journal.append("started", runs=3)
        journal.append("run", cell="randread", fault=None)
    whole = (tmp_path / NAME).read_bytes()
    first = whole.index(b"\n") + 1
    for length in range(first, len(whole) - 1):
        (tmp_path / NAME).write_bytes(whole[:length])
        assert events(tmp_path) == ["started"]
        with opened(tmp_path) as again:
            again.append("resumed")
            again.append("ended")
        assert events(tmp_path) == ["started", "resumed", "ended"]
        assert unlinked(tmp_path) == []


@pytest.mark.parametrize("change", ["a digit", "taken out", "in another order", "added"])
def test_the_chain_shows_every_change_of_a_line(tmp_path: Path, change: str) -> None:
    with opened(tmp_path) as journal:
        for runs in range(4):
            journal.append("started", runs=runs)
    assert unlinked(tmp_path) == []
    first, second, third, last = (tmp_path / NAME).read_bytes().splitlines(keepends=True)
    changed = {
        "a digit": [first, second, third, last.replace(b'"runs": 3', b'"runs": 4')],
        "taken out": [first, third, last],
        "in another order": [first, third, second, last],
        "added": [first, second, b'{"unix_ns": 1, "event": "ended"}\n', third, last],
    }
    (tmp_path / NAME).write_bytes(b"".join(changed[change]))
    assert unlinked(tmp_path) != []


def test_sql_skips_it_too(tmp_path: Path) -> None:
    (tmp_path / "study.json").write_text("{}")
    seal(tmp_path, "started")
    with (tmp_path / NAME).open("a") as file:
        file.write('{"unix_ns": 2, "ev')
    with asked(tmp_path, "select event from journal") as answer:
        rows = [row for batch in answer.batches() for row in batch]
        assert rows == [("stored",), ("started",)]


def test_one_writer(tmp_path: Path) -> None:
    refused = pytest.raises(RigError, match="in use by another fsgauge")
    with opened(tmp_path), refused, opened(tmp_path):
        pass
    with opened(tmp_path):
        pass


def test_a_disk_that_is_full_in_the_middle_of_a_line(tmp_path: Path) -> None:
    with opened(tmp_path) as journal:
        journal.append("started")
        size = (tmp_path / NAME).stat().st_size
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + 10, limits[1]))
        try:
            with pytest.raises(RigError, match="cannot write"):
                journal.append("run", cell="randread")
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
            signal.signal(signal.SIGXFSZ, before)
        journal.append("ended")
    assert events(tmp_path) == ["started", "ended"]
    assert unlinked(tmp_path) == []


def test_no_journal_is_no_events(tmp_path: Path) -> None:
    assert lines(tmp_path) == []
    assert list(tmp_path.iterdir()) == []
