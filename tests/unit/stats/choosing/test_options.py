"""The winner as lines to copy."""

from __future__ import annotations

from fsgauge.stats.choosing.options import MADE, commands_of
from fsgauge.study.policies import POLICIES
from fsgauge.system import system_kinds


def test_each_line_is_for_its_own_file() -> None:
    system = {
        "kind": "ext4",
        "mkfs": "-I 128",
        "mount": "noatime,commit=30",
        "tunables": {
            "/proc/sys/vm/dirty_background_bytes": "67108864",
            "queue/scheduler": "none",
            "/sys/fs/ext4/{device}/mb_stats": "1",
        },
    }
    assert commands_of(system) == [
        "mkfs.ext4 -I 128 /dev/DEVICE",
        "UUID=... /FOLDER ext4 noatime,commit=30 0 2      # /etc/fstab",
        "vm.dirty_background_bytes = 67108864      # /etc/sysctl.d/60-fsgauge.conf",
        "w /sys/block/DEVICE/queue/scheduler - - - - none      # /etc/tmpfiles.d/fsgauge.conf",
        "w /sys/fs/ext4/DEVICE/mb_stats - - - - 1      # /etc/tmpfiles.d/fsgauge.conf",
    ]


def test_defaults_and_what_is_not_made() -> None:
    assert commands_of({"kind": "xfs"}) == [
        "mkfs.xfs /dev/DEVICE",
        "UUID=... /FOLDER xfs defaults 0 0      # /etc/fstab",
    ]
    assert commands_of({"kind": "mounted"}) == []


def test_a_model_has_no_commands() -> None:
    """What wins on the simulator alone is nothing that mkfs makes."""
    assert set(MADE) == {*system_kinds()} - {*POLICIES, "raw", "mounted", "share"}
    assert commands_of({"kind": "ext4-6.18"}) == []
