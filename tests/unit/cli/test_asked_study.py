"""A study and folders, as they are typed: what is no folder is said with a command that works."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsgauge.cli.asked_study import _as_folder, _is_said, study_and_folders
from fsgauge.errors import InputError


def test_folders_that_are_not_there_are_refused_with_all_else(tmp_path: Path) -> None:
    """They were refused alone, and what else was wrong at the next try."""
    words = [str(tmp_path), str(tmp_path / "a"), str(tmp_path / "b")]
    assert study_and_folders(["overhead", *words]) == ("overhead", words)


@pytest.mark.parametrize(
    ("key", "typed", "is_said"),
    [
        ("storage.size", "size", True),
        ("workload.clients", "numjobs", True),
        ("workload.direct", "buffered", True),
        ("workload.access", "direct", True),
        ("workload.clients", "size", False),
    ],
)
def test_what_a_person_sets_in_any_word_does_not_give_way(
    key: str, typed: str, is_said: bool
) -> None:
    assert _is_said(key, {typed}) is is_said


def test_a_word_that_is_no_path_is_a_system(tmp_path: Path) -> None:
    """Without the folders: one of them beside a made system is refused."""
    with pytest.raises(InputError) as refusal:
        study_and_folders(["overhead", str(tmp_path), "xfs"])
    assert refusal.value.next == "fsgauge plan overhead --system xfs"


def test_folders_alone_are_compared_relative_ones_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    assert study_and_folders(["a", "b"]) == ("overhead", ["./a", "./b"])


def test_systems_alone_get_a_study_that_compares_them() -> None:
    """The next command was `fsgauge plan ext4 --system xfs`, which compares xfs with raw."""
    with pytest.raises(InputError) as refusal:
        study_and_folders(["ext4", "xfs:mount=noatime"])
    assert refusal.value.next == (
        "fsgauge plan overhead --baseline ext4 --system ext4 --system xfs:mount=noatime"
    )


def test_each_system_is_proposed_once_as_it_was_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a folder of that name here the baseline was the name of a study."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ext4").mkdir()
    with pytest.raises(InputError) as refusal:
        study_and_folders(["ext4", "xfs", "xfs"])
    assert refusal.value.next == (
        "fsgauge plan overhead --baseline ext4 --system ext4 --system xfs"
    )
    with pytest.raises(InputError) as refusal:
        study_and_folders(["xfs", "xfs"])
    assert refusal.value.next == "fsgauge plan overhead --system xfs"


def test_a_word_after_folders_is_a_folder_that_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a").mkdir()
    assert study_and_folders(["a", "nosuch"])[1] == ["./a", "./nosuch"]
    assert [_as_folder(each) for each in ("a", "n=a", "n=xfs")] == ["./a", "n=./a", "n=xfs"]
