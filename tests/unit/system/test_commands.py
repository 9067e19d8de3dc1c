"""The argument lists that mkfs and mount are given, and what their tools answer."""

from __future__ import annotations

from fsgauge.system import FileSystem, find_kind
from fsgauge.system.kind import placed

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
