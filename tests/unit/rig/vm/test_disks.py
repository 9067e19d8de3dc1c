"""A study's storage as disks of a guest."""

from __future__ import annotations

import pytest

from fsgauge.errors import InputError
from fsgauge.rig.vm.disks import disks_of, in_guest, limits_of, small_blocks_words, storage_of
from fsgauge.study.model import DeviceStorage, Study
from fsgauge.study.parse import load_study
from fsgauge.study.rig_keys import FaultKeys
from fsgauge.study.workload import cells_of


def study(*overrides: str, storage: str = "loop:1GiB") -> Study:
    return load_study("overhead", list(overrides), ["ext4", "xfs"], storage, 1)


def test_disks_are_limited_unless_the_study_says_how() -> None:
    assert str(limits_of(study())) == "500 IOPS and 64 MiB/s"
    chosen = limits_of(study("storage.iops=2000 IOPS", "storage.bandwidth=10 MB/s"))
    assert (chosen.iops, chosen.bytes_per_second) == (2000, 10_000_000)


def test_a_latency_is_said_beside_the_limits_and_has_a_least() -> None:
    assert str(limits_of(study("storage.latency=10 ms"))).endswith(
        "each request taking 10 ms or more"
    )
    with pytest.raises(InputError, match="latency"):
        study("storage.latency=1 ms")


def test_a_guest_knows_nothing_of_the_nodes_beside_it_and_of_faults() -> None:
    fault = FaultKeys(kind="slow_disk", node=2, cell=cells_of(study().workload)[0].id)
    given = study("rig.nodes=2").model_copy(update={"faults": [fault]})
    alone = in_guest(given, ["disk0"])
    assert alone.faults == [] and alone.rig is None
    assert Study.model_validate_json(alone.model_dump_json(by_alias=True)) == alone


def test_side_by_side_each_system_has_a_disk_and_the_baseline_two() -> None:
    given = study()
    disks = disks_of(given, side_by_side=True)
    assert disks == ["disk0", "disk1", "disk2", "disk3"], "raw, ext4, xfs, and raw again"
    storage = in_guest(given, disks).storage
    assert isinstance(storage, DeviceStorage)
    assert storage.devices == [f"/dev/disk/by-id/virtio-disk{number}" for number in range(4)]


def test_one_by_one_there_is_one_disk() -> None:
    assert disks_of(study(), side_by_side=False) == ["disk0"]


def test_memory_and_folders_are_no_virtual_disks() -> None:
    with pytest.raises(InputError) as error:
        storage_of(study(storage="ram:1GiB"))
    assert error.value.next == "--storage loop:1GiB"


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
