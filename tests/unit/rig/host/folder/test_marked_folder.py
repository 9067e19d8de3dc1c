"""Removal is confined to the marked folder, whatever lies in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsgauge.errors import RigError
from fsgauge.rig.host.device import loop_devices
from fsgauge.rig.host.folder.marked_folder import (
    MARKER,
    Owner,
    owner_of,
)
from fsgauge.rig.host.ledger.traces import LoopTrace
from tests.marked_folders import marked, removed

FIRST = "0123456789ab"
OWNER = Owner(token=FIRST, pid=1, start_ticks=2, boot_id="boot")


def test_links_are_removed_and_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "precious").write_text("mine")
    folder = tmp_path / "folder"
    marked(folder, OWNER)
    (folder / "link").symlink_to(outside)
    (folder / "deep" / "er").mkdir(parents=True)
    (folder / "deep" / "er" / "file").write_text("x")
    (folder / "deep" / "link").symlink_to(outside / "precious")
    assert removed(folder, OWNER.token)
    assert not folder.exists()
    assert (outside / "precious").read_text() == "mine"
    assert not removed(folder, OWNER.token)


def test_a_link_in_place_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    real = tmp_path / "real"
    marked(real, OWNER)
    (tmp_path / "link").symlink_to(real)
    assert owner_of(tmp_path / "link") is None
    with pytest.raises(RigError) as refusal:
        removed(tmp_path / "link", OWNER.token)
    assert "a link" in refusal.value.cause and "fsgauge doctor" in refusal.value.next
    assert real.is_dir()


def test_a_loop_device_behind_a_link_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing said that a device stayed attached: the kernel names its file by another path."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    file = (tmp_path / "real" / "storage.img").resolve()
    monkeypatch.setattr(
        loop_devices, "loops_of", lambda asked: ["/dev/loop7"] if asked == file else []
    )
    trace = LoopTrace(file=str(tmp_path / "link" / "storage.img"), token=FIRST)
    with pytest.raises(RigError, match="/dev/loop7 stays attached") as refusal:
        trace.undo()
    assert "losetup --detach /dev/loop7" in refusal.value.next


def test_a_marker_that_is_a_link_does_not_count(tmp_path: Path) -> None:
    real, other = tmp_path / "real", tmp_path / "other"
    marked(real, OWNER)
    other.mkdir()
    (other / MARKER).symlink_to(real / MARKER)
    assert owner_of(other) is None
    with pytest.raises(RigError):
        removed(other, OWNER.token)


def test_killed_between_folder_and_marker(tmp_path: Path) -> None:
    bare, half = tmp_path / "bare", tmp_path / "half"
    bare.mkdir()
    half.mkdir()
    (half / MARKER).touch()
    assert removed(bare, OWNER.token)
    assert removed(half, OWNER.token)


def test_is_private_and_never_takes_over(tmp_path: Path) -> None:
    marked(tmp_path / "a", OWNER)
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o700
    assert owner_of(tmp_path / "a") == OWNER
    with pytest.raises(FileExistsError):
        marked(tmp_path / "a", OWNER)
