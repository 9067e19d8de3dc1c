"""mountinfo as it is written in the wild: escapes, optional fields, containers."""

from __future__ import annotations

import pytest

from fsgauge.machine.facts import mounts
from fsgauge.machine.facts.mounts import mount_at, mount_holding, parse_mountinfo

TEXT = r"""22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard
40 27 8:1 /sub /mnt/a\040b rw,noatime shared:5 master:1 - xfs /dev/sda1 rw,inode64,noatime
41 27 8:2 / /mnt ro - ext4 /dev/sda2 ro
42 27 8:3 / /mnt rw - btrfs /dev/sda3 rw,ssd
nonsense
"""


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mounts, "mounts", lambda process="self": parse_mountinfo(TEXT))


def test_fields() -> None:
    found = parse_mountinfo(TEXT)
    assert len(found) == 5
    assert found[2].mount_point == "/mnt/a b"
    assert found[2].root == "/sub"
    assert found[2].file_system == "xfs"
    assert found[2].all_options == "rw,noatime,inode64"


@pytest.mark.usefixtures("table")
def test_the_last_of_stacked_mounts_is_the_visible_one() -> None:
    at, holding = mount_at("/mnt"), mount_holding("/mnt/x/y")
    assert at is not None and at.file_system == "btrfs"
    assert holding is not None and holding.file_system == "btrfs"
    assert mount_at("/mnt/x") is None


@pytest.mark.usefixtures("table")
def test_a_path_belongs_to_the_deepest_mount() -> None:
    for path, point in (("/", "/"), ("/mntx", "/"), ("/mnt/a b/c", "/mnt/a b")):
        found = mount_holding(path)
        assert found is not None and found.mount_point == point


def test_a_chroot_whose_root_is_not_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mounts, "mounts", lambda process="self": parse_mountinfo(TEXT)[:1])
    assert mount_holding("/home") is None
