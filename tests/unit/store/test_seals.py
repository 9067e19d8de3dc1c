"""Seals: every way in which a folder can differ from what its journal lists."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsgauge.plain_files import PlainFolder
from fsgauge.store import ResultsFolder
from fsgauge.store.files import record_files
from fsgauge.store.journal import NAME, Journal
from fsgauge.store.seals import (
    NOT_STORED,
    SET_ASIDE,
    STORED,
    ChangedError,
    changes_in,
    read_seals,
)
from tests.sealing import seal

TURN = "records/000-00-raw/turn.json"
RUN = "records/000-00-raw/00-randread.json"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two sealed records."""
    for name in (TURN, RUN):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("{}")
    return seal(tmp_path, "ended")


def changes(folder: Path) -> list[str]:
    """What differs, with every record file of the folder read."""
    with PlainFolder.opened(folder) as files:
        found = record_files(files)
        read = [*found.turns, *found.runs]
        return list(changes_in(files, read_seals(files), read))


def announce(folder: Path, event: str, **facts: object) -> None:
    with PlainFolder.opened(folder) as files:
        journal = Journal(files)
        journal.append(event, **facts)
        journal.close()


def test_what_was_written_is_what_is_there(folder: Path) -> None:
    assert changes(folder) == []


def test_a_record_with_other_content_was_changed(folder: Path) -> None:
    (folder / RUN).write_text('{"a": 1}')
    assert changes(folder) == [f"{RUN}: this record was changed after it was written"]


def test_one_of_the_same_size_was_changed_too(folder: Path) -> None:
    (folder / RUN).write_text("[]")
    assert changes(folder) == [f"{RUN}: this record was changed after it was written"]


def test_a_record_that_is_gone_is_missing(folder: Path) -> None:
    (folder / TURN).unlink()
    assert changes(folder) == [f"{TURN}: it is missing"]


@pytest.mark.parametrize(
    "added", ["records/000-00-raw/01-randread.json", "records/000-01-ext4/turn.json"]
)
def test_a_plain_record_that_the_journal_does_not_list_was_added(folder: Path, added: str) -> None:
    (folder / added).parent.mkdir(exist_ok=True)
    (folder / added).write_text("{}")
    assert changes(folder) == [f"{added}: this record was added; the journal does not list it"]


def test_a_journal_without_checksums_vouches_for_nothing(folder: Path) -> None:
    (folder / NAME).write_text("")
    assert changes(folder) == [f"{NAME} has no checksums, so changed records cannot be detected"]


def test_a_line_that_was_changed_is_named(folder: Path) -> None:
    lines = (folder / NAME).read_bytes()
    (folder / NAME).write_bytes(lines.replace(b'"unix_ns": 0', b'"unix_ns": 1', 1))
    assert changes(folder)[0] == f"{NAME}: line 1 or one before it was changed"


def test_an_announced_file_that_never_came_is_no_change(folder: Path) -> None:
    """The crash was between the journal's line and the file."""
    announce(folder, STORED, file=RUN, sha256="0" * 64, size_bytes=7)
    assert changes(folder) == []
    announce(folder, STORED, file="report.json", sha256="0" * 64, size_bytes=7)
    assert f"{RUN}: this record was changed after it was written" in changes(folder)


def test_what_is_taken_back_is_as_it_was_before(folder: Path) -> None:
    announce(folder, STORED, file=RUN, sha256="0" * 64, size_bytes=7)
    announce(folder, NOT_STORED, file=RUN)
    assert changes(folder) == []


def test_another_file_than_the_announced_one_is_not_taken_back(folder: Path) -> None:
    announce(folder, STORED, file=RUN, sha256="0" * 64, size_bytes=7)
    announce(folder, NOT_STORED, file=TURN)
    assert changes(folder) == [f"{RUN}: this record was changed after it was written"]


def test_what_is_set_aside_may_be_there_still_until_the_next_line(folder: Path) -> None:
    announce(folder, SET_ASIDE, paths=["records/000-00-raw"], to="records-abandoned/1")
    with PlainFolder.opened(folder) as files:
        seals = read_seals(files)
    assert not seals.files and seals.is_leaving(RUN) and not seals.is_leaving("records/000-00-raws")
    announce(folder, "resumed")
    with PlainFolder.opened(folder) as files:
        assert not read_seals(files).is_leaving(RUN)


def test_a_folder_that_is_written_lists_what_it_writes(tmp_path: Path) -> None:
    with ResultsFolder.created(tmp_path, "study") as folder:
        folder.write("study.json", "{}")
        folder.write(RUN.rpartition("/")[2], "{}")
        where = folder.directory
    assert changes(where) == []


def test_what_was_only_added_is_moved_out_and_nothing_is_restored(tmp_path: Path) -> None:
    added = "a (1).json: this record was added; the journal does not list it"
    error = ChangedError(tmp_path, (added, added))
    assert (error.next or "").startswith("move what was added out of the folder; report, ")
    mixed = ChangedError(tmp_path, (added, "b.json: it is missing"))
    assert (mixed.next or "").startswith("restore the folder from a copy; report, ")
