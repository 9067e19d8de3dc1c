"""The argument lists that mkfs and mount are given, and what their tools answer."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from fsgauge.system import FileSystem, find_kind
from fsgauge.system.kind import placed
from tests.needs import need_mkfs

XFS_INFO = """meta-data=/dev/loop0             isize=512    agcount=4, agsize=32768 blks
         =                       sectsz=512   attr=2, projid32bit=1
data     =                       bsize=4096   blocks=131072, imaxpct=25
log      =internal log           bsize=4096   blocks=16384, version=2
"""


def file_system(name: str) -> FileSystem:
    kind = find_kind(name)
    assert isinstance(kind, FileSystem)
    return kind


def test_mke2fs_keeps_only_the_last_extended_option_so_they_are_joined() -> None:
    command = file_system("ext4").mkfs_command(
        ["-E", "stride=4", "-O", "^has_journal", "-Elazy_itable_init=1"], "/dev/x"
    )
    extended = "lazy_itable_init=0,lazy_journal_init=0,stride=4,lazy_itable_init=1"
    assert command == [
        *("mkfs.ext4", "-q", "-F", "-E", extended),
        *("-O", "^has_journal", "/dev/x"),
    ]


def test_the_user_s_options_come_after_the_defaults() -> None:
    command = file_system("xfs").mkfs_command(["-d", "agcount=8"], "/dev/x")
    assert command == ["mkfs.xfs", "-q", "-f", "-d", "agcount=8", "/dev/x"]


def test_mount() -> None:
    kind = file_system("btrfs")
    assert kind.mount_command([], "/dev/x", "/m") == ["mount", "-t", "btrfs", "/dev/x", "/m"]
    assert kind.mount_command(["noatime", "compress=zstd"], "/dev/x", "/m") == [
        *("mount", "-t", "btrfs", "-o", "noatime,compress=zstd", "/dev/x", "/m")
    ]


def test_facts() -> None:
    facts = file_system("xfs").read_facts(XFS_INFO)
    assert facts["meta-data"].endswith(
        "agcount=4, agsize=32768 blks sectsz=512 attr=2, projid32bit=1"
    )
    assert facts["log"].startswith("internal log bsize=4096")
    text = "Filesystem features:      has_journal extent\nLast mounted on: /x\nBlock size: 4096\n"
    assert file_system("ext4").read_facts(text) == {
        "Filesystem features": "has_journal extent",
        "Block size": "4096",
    }
    assert file_system("btrfs").read_facts("Data, single: total=8.00MiB, used=0.00B\n") == {
        "Data, single": "total=8.00MiB, used=0.00B"
    }
    command = file_system("btrfs").facts_command
    assert placed(command, "/dev/x", "/m") == ["btrfs", "filesystem", "df", "/m"]


def test_inodes_of_the_ext_family_follow_from_the_size_or_the_options() -> None:
    ext4 = file_system("ext4")
    gibibyte = 1 << 30
    own = 11
    assert ext4.inodes_made(8 * gibibyte, []) == 8 * gibibyte // 16384 - own
    assert ext4.inodes_made(gibibyte // 4, []) == gibibyte // 4 // 4096 - own
    assert ext4.inodes_made(8 << 40, []) == (8 << 40) // 32768 - own
    assert ext4.inodes_made(gibibyte, ["-i", "4096"]) == gibibyte // 4096 - own
    assert ext4.inodes_made(gibibyte, ["-N500", "-i", "4096"]) == 500 - own
    assert ext4.inodes_made(gibibyte, ["-T", "news"]) is None
    assert file_system("xfs").inodes_made(gibibyte, []) is None


def test_as_many_inodes_are_free_as_were_asked_for(tmp_path: Path) -> None:
    """Of the first ones a file system has its own."""
    need_mkfs("ext4")
    option, image = file_system("ext4").more_inodes(100_000, 1 << 30), tmp_path / "image"
    with image.open("wb") as file:
        file.truncate(1 << 30)
    subprocess.run(["mkfs.ext4", "-q", "-F", *option.split(), str(image)], check=True, timeout=60)
    said = subprocess.run(
        ["dumpe2fs", "-h", str(image)], capture_output=True, text=True, timeout=60
    )
    (free,) = re.findall(r"Free inodes: +(\d+)", said.stdout)
    assert 100_000 <= int(free) <= 110_000
    assert file_system("ext4").more_inodes(1 << 20, 1 << 30) == "", "more than it has blocks"


def test_xfs_is_given_a_share_for_its_inodes() -> None:
    assert file_system("xfs").more_inodes(1_000_000, 1 << 30) == "-i maxpct=48"
    assert file_system("xfs").more_inodes(2_000_000, 1 << 30) == ""
    assert file_system("btrfs").more_inodes(10**9, 1 << 30) == ""


@pytest.mark.parametrize("mebibytes", [64, 600, 5000])
def test_mke2fs_leaves_as_many_inodes_free_as_is_said(mebibytes: int, tmp_path: Path) -> None:
    need_mkfs("ext4")
    image = tmp_path / "image"
    with image.open("wb") as file:
        file.truncate(mebibytes << 20)
    subprocess.run(["mkfs.ext4", "-q", "-F", str(image)], check=True, timeout=60)
    said = subprocess.run(
        ["dumpe2fs", "-h", str(image)], capture_output=True, text=True, check=True, timeout=60
    ).stdout
    image.unlink()
    (free,) = re.findall(r"Free inodes: +(\d+)", said)
    known = file_system("ext4").inodes_made(mebibytes << 20, [])
    assert known is not None and known <= int(free) <= known * 1.05
