"""A folder that is open stays the same one, whatever becomes of its name."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from fsgauge.errors import InputError, RigError
from fsgauge.machine.folder.open_folder import OpenFolder, let_go_below, open_place
from fsgauge.machine.process.tool import run_tool

USER = 57_999


@pytest.fixture
def place(tmp_path: Path) -> Iterator[OpenFolder]:
    (tmp_path / "place" / "below").mkdir(parents=True)
    with open_place(tmp_path / "place") as opened:
        yield opened


def swap(place: OpenFolder) -> Path:
    """Rename it, and put a link to another folder in its place; gives that folder."""
    elsewhere = place.path.with_name("elsewhere")
    (elsewhere / "below").mkdir(parents=True)
    place.path.rename(place.path.with_name("moved"))
    place.path.symlink_to(elsewhere)
    return elsewhere


def test_its_pinned_path_leads_to_it_after_a_swap(place: OpenFolder) -> None:
    elsewhere = swap(place)
    Path(place.pinned_below(place.path / "below/file")).write_text("ours")
    with place.opened(place.path / "below") as below:
        assert os.stat("file", dir_fd=below).st_size == 4
    assert list((elsewhere / "below").iterdir()) == []


def test_a_swap_is_said(place: OpenFolder) -> None:
    place.require_still()
    swap(place)
    with pytest.raises(RigError, match="was renamed or replaced") as said:
        place.require_still()
    assert str(place.path.parent) in said.value.cause and "ls -la" in said.value.next


@pytest.mark.parametrize("instead", ["nothing", "folder", "file", "pipe"])
def test_so_is_anything_else_in_its_place(place: OpenFolder, instead: str) -> None:
    place.path.rename(place.path.with_name("moved"))
    if instead == "folder":
        place.path.mkdir()
    elif instead == "file":
        place.path.touch()
    elif instead == "pipe":
        os.mkfifo(place.path)
    assert not place.is_still()


def test_a_link_to_what_was_made_is_another_thing(place: OpenFolder) -> None:
    """One that the user named may be reached by a link."""
    made = OpenFolder(place.path, place.descriptor, is_made=True)
    place.path.rename(place.path.with_name("moved"))
    place.path.symlink_to(place.path.with_name("moved"))
    assert place.is_still() and not made.is_still()


@pytest.mark.parametrize("way", ["link", "link/deep", "file"])
def test_no_link_is_followed_below_it(place: OpenFolder, way: str, tmp_path: Path) -> None:
    (tmp_path / "roots" / "deep").mkdir(parents=True)
    (place.path / "link").symlink_to(tmp_path / "roots")
    (place.path / "file").touch()
    with pytest.raises(OSError), place.opened(place.path / way):
        pass


@pytest.mark.parametrize("path", ["/etc", "{place}/../elsewhere", "{place}-2"])
def test_what_is_not_below_it_is_not_reached(place: OpenFolder, path: str) -> None:
    with pytest.raises(ValueError, match="is not below"):
        place.pinned_below(path.format(place=place.path))


def test_a_folder_that_may_be_written_and_not_read_is_a_place(tmp_path: Path) -> None:
    tmp_path.chmod(0o300)
    with open_place(tmp_path) as place:
        os.mkdir("made", dir_fd=place.descriptor)
    tmp_path.chmod(0o700)


def test_one_that_is_gone_is_said_in_words(tmp_path: Path) -> None:
    with pytest.raises(RigError, match="there is no folder"), open_place(tmp_path / "gone"):
        pass


@pytest.mark.root
def test_a_link_of_another_user_leads_root_nowhere(tmp_path: Path) -> None:
    (tmp_path / "roots").mkdir()
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "roots")
    with open_place(link):
        pass
    os.lchown(link, USER, USER)
    with pytest.raises(InputError, match="a link of another user"), open_place(link):
        pass


@pytest.mark.root
def test_a_folder_that_is_held_open_lets_its_file_system_be_mounted_anew(tmp_path: Path) -> None:
    """A guest could not unmount the system between two runs: target is busy."""
    point = tmp_path / "point"
    point.mkdir()
    mount = ["mount", "-t", "tmpfs", "none", str(point)]
    run_tool(mount)
    try:
        (point / "before").mkdir()
        with open_place(point) as place, open_place(tmp_path) as elsewhere:
            assert run_tool(["umount", str(point)]).exit_code != 0
            with let_go_below(str(point)):
                assert run_tool(["umount", str(point)]).exit_code == 0
                assert run_tool(mount).exit_code == 0
                (point / "after").mkdir()
            assert os.listdir(place.pinned) == ["after"]  # noqa: PTH208 - a path in /proc
            assert place.is_still() and elsewhere.is_still()
    finally:
        run_tool(["umount", str(point)])


def test_what_was_let_go_of_is_open_again_after_an_error(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    with open_place(tmp_path / "kept") as place:
        with pytest.raises(ZeroDivisionError), let_go_below(str(tmp_path)):
            raise ZeroDivisionError
        assert place.is_still()
        with pytest.raises(RigError, match="was renamed or replaced"), let_go_below(str(tmp_path)):
            (tmp_path / "kept").rmdir()
