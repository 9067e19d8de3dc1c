"""The winner as lines to copy."""

from __future__ import annotations

import pytest

from fsgauge.stats.choosing.commands import FOR_ONE_MACHINE, MADE, commands_of
from fsgauge.study.policies import POLICIES
from fsgauge.system import find_kind, system_kinds


def test_each_line_is_for_its_own_file() -> None:
    system = {
        "kind": "ext4",
        "mkfs": "-I 128",
        "mount": "noatime,nodelalloc",
        "tunables": {
            "/proc/sys/vm/dirty_background_bytes": "67108864",
            "queue/scheduler": "none",
            "/sys/fs/ext4/{device}/mb_stats": "1",
        },
    }
    assert commands_of(system) == [
        "mkfs.ext4 -I 128 /dev/DEVICE",
        "# /etc/fstab",
        "UUID=... /FOLDER ext4 noatime,nodelalloc 0 2",
        "# /etc/sysctl.d/60-fsgauge.conf",
        "vm.dirty_background_bytes = 67108864",
        "# /etc/tmpfiles.d/fsgauge.conf",
        "w /sys/block/DEVICE/queue/scheduler - - - - none",
        "w /sys/fs/ext4/DEVICE/mb_stats - - - - 1",
    ]


def test_defaults_and_what_is_not_made() -> None:
    assert commands_of({"kind": "xfs"}) == [
        "mkfs.xfs /dev/DEVICE",
        "# /etc/fstab",
        "UUID=... /FOLDER xfs defaults 0 0",
    ]
    assert commands_of({"kind": "mounted"}) == []


def test_what_it_gives_up_is_below_it() -> None:
    lines = commands_of({"kind": "ext4", "mount": "noatime,nobarrier"})
    assert [line for line in lines if "nobarrier:" in line] == [
        "# nobarrier: without flushes, a power failure may lose or damage data in the disk's cache"
    ]


def test_a_model_has_no_commands() -> None:
    """What wins on the simulator alone is nothing that mkfs makes."""
    assert set(MADE) == {*system_kinds()} - {*POLICIES, "raw", "mounted", "share"}
    assert commands_of({"kind": "ext4-6.18"}) == []


def test_a_hint_is_set_once_it_is_mounted() -> None:
    """It was left out: what was copied was another system than the winner."""
    lines = commands_of({"kind": "xfs", "extent_size_hint": 8 << 20})
    assert lines[-2:] == ["# once it is mounted", "xfs_io -c 'extsize 8388608' /FOLDER"]


def test_what_no_file_sets_is_a_comment() -> None:
    """It was left out, and what was copied was another system than the winner."""
    lines = commands_of(
        {"kind": "ext4", "allocation_chunk": 8 << 20, "server": {"strict allocate": "yes"}}
    )
    assert lines[3:] == [
        "# files get their space by fallocate, 8 MiB at a time",
        "# the server: strict allocate = yes",
    ]


@pytest.mark.parametrize("kind", sorted(FOR_ONE_MACHINE))
def test_what_is_for_a_cluster_is_made_as_it_was_measured(kind: str) -> None:
    words = FOR_ONE_MACHINE[kind]
    assert words in " ".join(find_kind(kind).mkfs_defaults)  # type: ignore[attr-defined]
    assert commands_of({"kind": kind, "mkfs": "-b 4096"})[0] == (
        f"mkfs.{kind} {words} -b 4096 /dev/DEVICE"
    )
