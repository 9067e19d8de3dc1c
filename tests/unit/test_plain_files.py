"""Files of other users, too large ones and full disks: the error says which of them it was."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from fsgauge.errors import InputError
from fsgauge.plain_files import PlainFolder, cannot_write, cause_in, cause_of
from fsgauge.store import read_results

NOBODY = 65534


@pytest.mark.root
def test_root_says_that_it_reads_with_the_rights_of_the_folders_owner(tmp_path: Path) -> None:
    (tmp_path / "study.json").write_text("{}")
    (tmp_path / "study.json").chmod(0o600)  # root's own, in a folder of another user
    os.chown(tmp_path, NOBODY, NOBODY)
    with PlainFolder.opened(tmp_path) as folder, pytest.raises(InputError) as refused:
        folder.read("study.json")
    assert f"with the rights of its owner, user {NOBODY}" in refused.value.cause
    with PlainFolder.opened(tmp_path, as_owner=False) as folder:
        assert folder.read("study.json") == b"{}"


def test_the_limit_is_said_in_words(tmp_path: Path) -> None:
    (tmp_path / "large").write_bytes(bytes(3000))
    with PlainFolder.opened(tmp_path) as folder, pytest.raises(InputError) as refused:
        folder.read("large", 2048)
    assert refused.value.what.endswith("is too large: more than 2 KiB are not read")


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (errno.EROFS, "mounted read-only"),
        (errno.ENOSPC, "disk there is full"),
        (errno.EDQUOT, "quota"),
        (errno.EACCES, "may not write"),
        (errno.ENXIO, "dmesg"),
    ],
)
def test_a_full_disk_is_told_from_a_read_only_one(number: int, said: str) -> None:
    error = OSError(number, os.strerror(number))
    assert said in cause_of(error)
    assert cannot_write(Path("/x/y"), error).cause == cause_of(error)
    assert cause_in(f'IO Error: Could not write file: "{os.strerror(number)}"') == cause_of(error)


def test_a_folder_that_is_not_there_is_not_one_without_a_study(tmp_path: Path) -> None:
    with pytest.raises(InputError) as gone:
        read_results(tmp_path / "no" / "such")
    assert "there is no folder" in gone.value.what
    assert gone.value.next == f"ls {tmp_path}" and "moved or removed" in gone.value.cause
    with pytest.raises(InputError) as empty:
        read_results(tmp_path)
    assert "has no study.json" in empty.value.cause
