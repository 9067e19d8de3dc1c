"""Places to compare with are on other file systems, and none of them is memory."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from fsgauge.errors import InputError
from fsgauge.machine.facts.mounts import parse_mountinfo
from fsgauge.machine.folder import places
from fsgauge.machine.folder.places import require_only_ours
from fsgauge.storage import loop
from fsgauge.study.model import LoopStorage


@pytest.mark.parametrize(("file_system", "fits"), [("ext4", True), ("tmpfs", False)])
def test_memory_has_no_direct_io_to_compare(
    file_system: str, fits: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the kernel would open a file on it with O_DIRECT."""
    found = parse_mountinfo(f"30 1 0:26 / {tmp_path} rw - {file_system} none rw\n")
    monkeypatch.setattr("fsgauge.machine.facts.mounts.mounts", lambda: found)
    opened = SimpleNamespace(
        statvfs=os.statvfs, open=lambda *_: 0, close=lambda _: None, O_RDWR=0, O_DIRECT=0
    )
    monkeypatch.setattr(places, "os", opened)
    assert places._fit(tmp_path, 4096) is fits


pytestmark = pytest.mark.root
USER = 57_999


def test_sticky_folders_of_root_are_allowed(tmp_path: Path) -> None:
    sticky = tmp_path / "sticky"
    sticky.mkdir()
    sticky.chmod(0o1777)
    assert require_only_ours(sticky, "loop file") == sticky.resolve()
    assert require_only_ours(Path("/var/tmp"), "loop file") == Path("/var/tmp").resolve()


@pytest.mark.parametrize("deep", [False, True])
def test_a_loop_file_does_not_lie_in_a_folder_of_another_user(tmp_path: Path, deep: bool) -> None:
    """Between the making of our folder and of the file in it the user renamed the folder and put a
    link to one of root's there: root made storage.img in it, and its loop device stayed."""
    owned = tmp_path / "owned"
    folder = owned / "deep" if deep else owned
    folder.mkdir(parents=True)
    os.chown(owned, USER, USER)
    with pytest.raises(InputError, match="another user can replace it") as refusal:
        loop.check(LoopStorage(size=16 << 20, directory=str(folder)))
    assert f"{owned} belongs to the user" in refusal.value.cause
    assert "storage.directory=/var/tmp" in refusal.value.next


@pytest.mark.parametrize("mode", [0o775, 0o757])
def test_nor_where_others_can_write(tmp_path: Path, mode: int) -> None:
    tmp_path.chmod(mode)
    with pytest.raises(InputError) as refusal:
        require_only_ours(tmp_path, "loop file")
    assert f"mode {mode:04o}" in refusal.value.cause


def test_who_came_by_sudo_is_another_user_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.chown(tmp_path, USER, USER)
    monkeypatch.setenv("SUDO_UID", str(USER))
    with pytest.raises(InputError) as refusal:
        require_only_ours(tmp_path, "loop file")
    assert "sudo runs fsgauge as root" in refusal.value.render()


def test_a_link_is_followed_once(tmp_path: Path) -> None:
    """Whoever owns the link can change it after the check, so the place itself is worked in."""
    real = tmp_path / "real"
    real.mkdir()
    (tmp_path / "link").symlink_to(real)
    assert require_only_ours(tmp_path / "link", "loop file") == real.resolve()
