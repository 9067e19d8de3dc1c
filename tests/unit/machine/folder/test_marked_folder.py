"""Removal is confined to the marked folder, whatever lies in it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from fsgauge.errors import RigError
from fsgauge.machine.device import loop_devices
from fsgauge.machine.folder import marked_folder
from fsgauge.machine.folder.open_folder import OpenFolder, open_place, which_of
from fsgauge.machine.ledger.traces import LoopTrace
from fsgauge.machine.process.tool import run_tool
from fsgauge.plain_files.opening import closing
from fsgauge.programs.libc import LIBC
from tests.marked_folders import marked, removed

_NOBODY = 65534
_PR_SET_DUMPABLE = 4
FIRST = "0123456789ab"
OWNER = marked_folder.Owner(token=FIRST, pid=1, start_ticks=2, boot_id="boot")


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


@contextmanager
def given_to_an_ordinary_user(folder: str) -> Iterator[None]:
    """Whom permissions hinder; the process may look at itself all the same."""
    is_root = os.geteuid() == 0
    if is_root:
        os.chown(folder, _NOBODY, -1)
        os.seteuid(_NOBODY)
        LIBC.prctl(_PR_SET_DUMPABLE, 1, 0, 0, 0)
    try:
        yield
    finally:
        if is_root:
            os.seteuid(0)


def test_folders_without_permissions_are_removed_too() -> None:
    """What Go makes of its modules stayed, and the next run of the program failed for it."""
    with tempfile.TemporaryDirectory() as place, given_to_an_ordinary_user(place):
        left = Path(place, "left")
        (left / "read only" / "closed").mkdir(parents=True)
        (left / "read only" / "file").touch()
        (left / "read only" / "closed").chmod(0)
        (left / "read only").chmod(0o555)
        with closing(os.open(place, os.O_RDONLY | os.O_DIRECTORY)) as above:
            marked_folder.remove_in(above, "left")
        assert not left.exists()


def test_a_link_in_place_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    real = tmp_path / "real"
    marked(real, OWNER)
    (tmp_path / "link").symlink_to(real)
    assert marked_folder.owner_of(tmp_path / "link") is None
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
    (other / marked_folder.MARKER).symlink_to(real / marked_folder.MARKER)
    assert marked_folder.owner_of(other) is None
    with pytest.raises(RigError):
        removed(other, OWNER.token)


def test_killed_between_folder_and_marker(tmp_path: Path) -> None:
    bare, half = tmp_path / "bare", tmp_path / "half"
    bare.mkdir()
    half.mkdir()
    (half / marked_folder.MARKER).touch()
    assert removed(bare, OWNER.token)
    assert removed(half, OWNER.token)


def test_is_private_and_never_takes_over(tmp_path: Path) -> None:
    marked(tmp_path / "a", OWNER)
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o700
    assert marked_folder.owner_of(tmp_path / "a") == OWNER
    with pytest.raises(FileExistsError):
        marked(tmp_path / "a", OWNER)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[OpenFolder]:
    with open_place(tmp_path) as opened:
        yield opened


def test_one_that_was_moved_is_emptied_where_it_is(place: OpenFolder, tmp_path: Path) -> None:
    """And what was put in its place is left alone."""
    folder = marked_folder.make_marked(place, "mine", OWNER)
    (tmp_path / "mine" / "data").touch()
    (tmp_path / "mine").rename(tmp_path / "moved")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "precious").touch()
    assert not marked_folder.remove_made(folder)
    assert (tmp_path / "mine" / "precious").exists()
    assert not (tmp_path / "moved").exists()


def test_one_in_its_place_is_removed_once(place: OpenFolder, tmp_path: Path) -> None:
    assert marked_folder.remove_made(marked_folder.make_marked(place, "mine", OWNER))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("instead", ["filled", "other owner"])
def test_a_folder_that_was_put_in_its_place_at_once_is_not_used(
    place: OpenFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, instead: str
) -> None:
    real = os.mkdir

    def swapped(name: str, *rest: Any, **more: Any) -> None:
        real(name, *rest, **more)
        if instead == "filled":
            (tmp_path / name / "precious").touch()
        else:
            os.chown(tmp_path / name, 57_999, 57_999)

    if instead != "filled" and os.geteuid() != 0:
        pytest.skip("needs root")
    monkeypatch.setattr(os, "mkdir", swapped)
    with pytest.raises(RigError, match="was renamed or replaced"):
        marked_folder.make_marked(place, "mine", OWNER)
    assert [each.name for each in (tmp_path / "mine").iterdir()] == (
        ["precious"] if instead == "filled" else []
    )


def test_one_that_is_renamed_before_it_is_open_leaves_nothing(
    place: OpenFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Root's empty folder stayed in the user's under the name that the user gave it."""
    real = os.mkdir
    real(tmp_path / "older", 0o700)
    os.utime(tmp_path / "older", ns=(0, 0))
    real(tmp_path / "shared", 0o755)

    def renamed(name: str, *rest: Any, **more: Any) -> None:
        real(name, *rest, **more)
        (tmp_path / name).rename(tmp_path / "taken")
        (tmp_path / name).symlink_to("/etc")

    monkeypatch.setattr(os, "mkdir", renamed)
    with pytest.raises(RigError, match="was renamed or replaced"):
        marked_folder.make_marked(place, "mine", OWNER)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["mine", "older", "shared"]


def test_one_that_is_renamed_again_and_again_is_removed(
    place: OpenFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = marked_folder.make_marked(place, "mine", OWNER)
    (tmp_path / "mine" / "data").touch()
    real, renames = os.stat, iter(range(5))

    def looked_up(name: Any, **more: Any) -> os.stat_result:
        if more.get("dir_fd") is not None and (number := next(renames, None)) is not None:
            next(each for each in tmp_path.iterdir()).rename(tmp_path / f"old{number}")
        return real(name, **more)

    monkeypatch.setattr(os, "stat", looked_up)
    marked_folder.remove_made(folder)
    assert list(tmp_path.iterdir()) == []


def test_one_that_is_moved_elsewhere_meanwhile_is_removed_there(
    place: OpenFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And a folder with something in it, which was put in its place, stays."""
    folder = marked_folder.make_marked(place, "mine", OWNER)
    (tmp_path / "elsewhere").mkdir()
    real, moved = os.rmdir, []

    def raced(name: Any, **more: Any) -> None:
        if not moved:
            moved.append(name)
            (tmp_path / "mine").rename(tmp_path / "elsewhere" / "moved")
            (tmp_path / "mine").mkdir()
            (tmp_path / "mine" / "precious").touch()
        real(name, **more)

    monkeypatch.setattr(os, "rmdir", raced)
    marked_folder.remove_made(folder)
    assert (tmp_path / "mine" / "precious").exists()
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_one_that_is_renamed_without_end_is_not_forgotten(
    place: OpenFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = marked_folder.make_marked(place, "mine", OWNER)
    monkeypatch.setattr("fsgauge.machine.folder.marked_folder.which_of", lambda _: (0, 0))
    with pytest.raises(OSError, match="busy"):
        marked_folder.remove_made(folder)


@pytest.mark.parametrize("whose", ["another run's", "nobody's"])
def test_what_this_run_did_not_mark_stays(tmp_path: Path, whose: str) -> None:
    if whose == "nobody's":
        (tmp_path / "mine").mkdir()
    else:
        marked(tmp_path / "mine", OWNER)
    (tmp_path / "mine" / "precious").write_text("x")
    with pytest.raises(RigError, match="does not have this run's marker"):
        marked_folder.remove_left(tmp_path / "mine", "f" * 12, None, same_boot=True)
    assert (tmp_path / "mine" / "precious").exists()


def test_of_a_dead_run_only_what_was_made_is_removed(tmp_path: Path) -> None:
    """Here a copy of it, marker and all, lies in its place."""
    marked(tmp_path / "mine", OWNER)
    which = which_of((tmp_path / "mine").stat())
    (tmp_path / "mine").rename(tmp_path / "moved")
    marked(tmp_path / "mine", OWNER)
    (tmp_path / "mine" / "precious").touch()
    with pytest.raises(RigError, match="no longer a folder of fsgauge"):
        marked_folder.remove_left(tmp_path / "mine", OWNER.token, which, same_boot=True)
    assert (tmp_path / "mine" / "precious").exists()
    (tmp_path / "mine" / "precious").unlink()
    assert marked_folder.remove_left(
        tmp_path / "mine", OWNER.token, which_of((tmp_path / "mine").stat()), same_boot=True
    )


def test_after_a_boot_a_device_may_have_another_number(tmp_path: Path) -> None:
    marked(tmp_path / "mine", OWNER)
    device, inode = which_of((tmp_path / "mine").stat())
    other = os.makedev(os.major(device) or 8, os.minor(device) + 1), inode
    if os.major(device):
        with pytest.raises(RigError):
            marked_folder.remove_left(tmp_path / "mine", OWNER.token, other, same_boot=True)
    assert marked_folder.remove_left(tmp_path / "mine", OWNER.token, other, same_boot=False)


@pytest.mark.root
def test_a_bind_mount_in_it_is_not_entered(place: OpenFolder, tmp_path: Path) -> None:
    """It is on the same device as the folder."""
    (tmp_path / "roots").mkdir()
    (tmp_path / "roots" / "precious").touch()
    folder = marked_folder.make_marked(place, "mine", OWNER)
    (tmp_path / "mine" / "point").mkdir()
    run_tool(["mount", "--bind", str(tmp_path / "roots"), str(tmp_path / "mine" / "point")])
    try:
        with pytest.raises(RigError, match="another file system is mounted"):
            marked_folder.remove_made(folder)
    finally:
        run_tool(["umount", str(tmp_path / "mine" / "point")])
    assert (tmp_path / "roots" / "precious").exists()
    assert marked_folder.remove_made(folder)
