"""mkfs takes smaller blocks on a small disk, of some file systems alone; the plan says so."""

from __future__ import annotations

from fsgauge.rig.vm.disks import small_blocks_words
from fsgauge.study.parse import load_study


def words(*overrides: str, systems: tuple[str, ...] = ("ext3", "xfs"), size_mib: int) -> list[str]:
    study = load_study("sharing", list(overrides), list(systems), f"loop:{size_mib}MiB", 1)
    return small_blocks_words(study, size_mib << 20)


def test_a_small_disk_of_ext_has_blocks_of_1_kib() -> None:
    """The plan of sharing did not say that ext3 had 1 KiB where GFS2 had 4 KiB."""
    (line,) = words(size_mib=320)
    assert line.startswith("ext3: blocks of 1 KiB, which mkfs takes on a disk of 320 MiB")
    assert "--set 'system.ext3.mkfs=-b 4096'" in line
    assert words("system.ext3.mkfs=-b 4096", size_mib=320) == []


def test_a_larger_disk_has_no_smaller_blocks_nor_do_equal_ones_differ() -> None:
    assert words(size_mib=512) == []
    assert words(systems=("ext3", "ext4"), size_mib=320) == []


def test_a_system_that_is_not_known_is_refused_elsewhere() -> None:
    assert len(words(systems=("ext3", "nfs4"), size_mib=320)) == 1
