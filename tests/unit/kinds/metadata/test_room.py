"""A folder that does not fit is refused with its numbers, and with what would fit."""

from __future__ import annotations

import pytest

from fsgauge.errors import InputError
from fsgauge.kinds.metadata.method import MetadataMethod
from fsgauge.workload.assumed import Room
from tests.unit.kinds.metadata.studies import workload

GIB = 1 << 30


def refusal(room: Room, *overrides: str) -> str:
    with pytest.raises(InputError) as refused:
        MetadataMethod(workload(*overrides)).in_room(room)
    return refused.value.render()


def test_a_million_files_without_the_inodes() -> None:
    said = refusal(Room(100 * GIB, "xfs", 65536, "ext4"), "entries=1000000", "clients=[1,4]")
    assert "1000000 files and their folders need 1000012 inodes" in said
    assert '"ext4" has 65536' in said
    assert "--set workload.entries=65524, or a file system with more inodes" in said
    fitting = workload("entries=65524", "clients=[1,4]")
    MetadataMethod(fitting).in_room(Room(100 * GIB, "xfs", 65536, "ext4"))


def test_the_option_of_mkfs_is_proposed_with_the_number_that_is_needed() -> None:
    room = Room(100 * GIB, "", 65536, "ext4", of_mkfs=lambda number: f"--set X={number}")
    said = refusal(room, "entries=1000000", "clients=[1,4]")
    assert "--set workload.entries=65524, or --set X=1000012" in said


def test_a_million_files_without_the_bytes() -> None:
    said = refusal(Room(GIB, "xfs"), "entries=1000000", "file_sizes='3901 B'", "clients=4")
    assert "1000000 files with their names and inodes take about 4.77 GiB" in said
    assert '"xfs" has room for 973 MiB' in said
    most = int(said.partition("workload.entries=")[2].split(",")[0])
    MetadataMethod(workload(f"entries={most}", "file_sizes='3901 B'", "clients=4")).in_room(
        Room(GIB, "")
    )
    assert "larger storage" in refusal(Room(1000, ""), "entries=100", "clients=4")


def test_a_shared_file_that_does_not_fit() -> None:
    keys = ('operations=["record write"]', "clients=2")
    said = refusal(Room(GIB, ""), *keys, "records=100000")
    assert "the shared file takes 8.76 GiB" in said
    most = int(said.partition("workload.records=")[2])
    MetadataMethod(workload(*keys, f"records={most}")).in_room(Room(GIB, ""))
