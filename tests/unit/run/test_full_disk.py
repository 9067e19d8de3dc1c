"""A results folder that takes no more: an error in words, and what was recorded stays."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fsgauge.errors import InputError, RigError
from fsgauge.store import read_results
from tests.laboratory import NoDiskEngine, resume, run

pytestmark = pytest.mark.root


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A tmpfs that holds some of the runs."""
    place = tmp_path / "disk"
    place.mkdir()
    subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=200k", "fsgauge-test", str(place)], check=True
    )
    try:
        yield place
    finally:
        subprocess.run(["umount", str(place)], check=True)


def _remount(place: Path, how: str) -> None:
    subprocess.run(["mount", "-o", f"remount,bind,{how}", str(place)], check=True)


def _fail_after(runs: int) -> Callable[[object], None]:
    """Fails the engine after so many runs."""
    left = [None] * runs

    def before(_job: object) -> None:
        if not left:
            raise RigError("the machine stood still")
        left.pop()

    return before


def test_a_full_disk_ends_the_study_and_room_lets_it_go_on(small_disk: Path) -> None:
    outcome = run(small_disk)
    assert isinstance(outcome.ended_by, RigError)
    assert outcome.ended_by.exit_code == 3
    assert "cannot write" in outcome.ended_by.what
    stored = read_results(outcome.directory)
    assert 0 < len(stored.runs) < 64
    assert not list(outcome.directory.rglob(".*.new"))
    kept = list(outcome.directory.glob("records/000-*/*"))
    subprocess.run(["mount", "-o", "remount,size=8m", str(small_disk)], check=True)
    finished = resume(outcome.directory)
    assert finished is not None
    assert finished.ended_by is None
    assert len(read_results(outcome.directory).runs) == 64
    assert all(path.exists() for path in kept), "a run of the first block is gone"


def test_a_disk_that_is_full_before_the_first_record_keeps_nothing_and_says_nothing_else(
    small_disk: Path,
) -> None:
    """It claimed that what was recorded is kept, when there was nothing."""
    (small_disk / "full").write_bytes(bytes((200 << 10) - (16 << 10)))
    with pytest.raises(RigError) as refused:
        run(small_disk / "results")
    assert "No space left" in refused.value.what
    assert "kept" not in refused.value.render()
    assert list((small_disk / "results").iterdir()) == []


def test_a_study_on_what_became_read_only_goes_on_once_it_is_writable(small_disk: Path) -> None:
    subprocess.run(["mount", "-o", "remount,size=8m", str(small_disk)], check=True)
    outcome = run(small_disk, NoDiskEngine(0, _fail_after(21)))
    _remount(small_disk, "ro")
    with pytest.raises(RigError, match="Read-only"):
        resume(outcome.directory)
    _remount(small_disk, "rw")
    assert len(read_results(outcome.directory).runs) == 21
    assert resume(outcome.directory) is not None
    assert len(read_results(outcome.directory).runs) == 64


def test_a_read_only_folder_can_be_read_and_asked(small_disk: Path) -> None:
    from fsgauge.store.query import asked

    subprocess.run(["mount", "-o", "remount,size=8m", str(small_disk)], check=True)
    directory = run(small_disk).directory
    _remount(small_disk, "ro")
    assert len(read_results(directory).runs) == 64
    with asked(directory, "select count(*) from runs") as answer:
        assert next(answer.batches()) == [(64,)]
    with pytest.raises(InputError, match="Read-only"):
        run(small_disk)
