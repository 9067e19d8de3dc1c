"""What the control groups of a process allow, from trees as kernels show them."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsgauge.machine.facts.control_groups import (
    closed_files,
    cpuset,
    io_limits,
    memory_left_bytes,
    memory_limit_bytes,
    own_groups,
    processor_quota,
    throttled_levels,
)
from fsgauge.record.limits import Throttled
from tests.unit.machine.facts.control_group_trees import (
    HYBRID,
    HYBRID_FILES,
    HYBRID_GROUPS,
    NESTED_V2,
    V2,
    process_in,
)

MIB = 1 << 20


def test_of_nested_groups_the_tightest_counts(tmp_path: Path) -> None:
    groups = own_groups(process_in(tmp_path, "0::/outer/inner\n", V2, NESTED_V2))
    assert processor_quota(groups["cpu"]) == 0.5
    assert memory_limit_bytes(groups["memory"]) == 160 * MIB, "memory.high of the outer one"
    assert cpuset(groups["cpuset"]) == "0-1,4"
    sda, other = io_limits(groups["io"])
    assert (sda.read_bytes, sda.write_bytes) == (MIB, 4 * MIB)
    assert (sda.read_operations, sda.write_operations) == (None, 20)
    assert other.device == "4095:1048575" and other.write_bytes == 7


def test_what_is_left_counts_the_page_cache_as_free(tmp_path: Path) -> None:
    groups = own_groups(process_in(tmp_path, "0::/outer/inner\n", V2, NESTED_V2))
    assert memory_left_bytes(groups["memory"]) == (160 - 150 + 90) * MIB


def test_only_a_level_with_a_quota_counts_throttling(tmp_path: Path) -> None:
    groups = own_groups(process_in(tmp_path, "0::/outer/inner\n", V2, NESTED_V2))
    assert throttled_levels(groups["cpu"]) == {
        tmp_path / "0/outer": Throttled(periods=40, throttled_periods=7, throttled_ns=1_500_000)
    }


def test_of_both_versions_each_controller_is_where_it_is(tmp_path: Path) -> None:
    """A hybrid system: the unified hierarchy has no controller, and files there mean nothing."""
    groups = own_groups(process_in(tmp_path, HYBRID_GROUPS, HYBRID, HYBRID_FILES))
    assert {name: group.version for name, group in groups.items()} == {
        "cpu": 1, "cpuset": 1, "memory": 1, "io": 1,
    }  # fmt: skip
    assert processor_quota(groups["cpu"]) == 0.3
    assert memory_limit_bytes(groups["memory"]) == 128 * MIB
    assert memory_left_bytes(groups["memory"]) == 64 * MIB + 4096
    assert cpuset(groups["cpuset"]) == "1"
    (only,) = io_limits(groups["io"])
    assert (only.write_bytes, only.read_operations) == (MIB, 100)
    (counted,) = throttled_levels(groups["cpu"]).values()
    assert counted == Throttled(periods=12, throttled_periods=5, throttled_ns=700_000)


def test_the_order_of_lines_does_not_matter(tmp_path: Path) -> None:
    lines = "".join(reversed(HYBRID_GROUPS.splitlines(keepends=True)))
    groups = own_groups(process_in(tmp_path, lines, HYBRID, HYBRID_FILES))
    assert all(group.version == 1 for group in groups.values())


def test_groups_above_that_are_not_in_the_way_of_version_1_are_not_counted(tmp_path: Path) -> None:
    """Without use_hierarchy a group above limits nothing, and the kernel's own sum says so."""
    files = HYBRID_FILES | {"1/a/b/memory.stat": f"hierarchical_memory_limit {512 * MIB}"}
    groups = own_groups(process_in(tmp_path, HYBRID_GROUPS, HYBRID, files))
    assert memory_limit_bytes(groups["memory"]) == 512 * MIB


@pytest.mark.parametrize(
    ("root", "group"),
    [
        ("/docker/abc", "/docker/abc"),  # version 1 in a container without a namespace
        ("/", "/"),  # in a namespace of its own
        ("/../..", "/"),  # the namespace begins below what is mounted
    ],
)
def test_in_a_container_the_mount_is_the_group_or_above_it(
    tmp_path: Path, root: str, group: str
) -> None:
    process = process_in(
        tmp_path, f"0::{group}\n", [(root, "cgroup2", "rw")], {"0/memory.max": "4096"}
    )
    assert memory_limit_bytes(own_groups(process)["memory"]) == 4096


@pytest.mark.parametrize("group", ["/../elsewhere", "/docker/other", "/docker/abcdef"])
def test_a_group_that_is_not_below_the_mount_has_no_limits_of_it(
    tmp_path: Path, group: str
) -> None:
    mounts = [("/docker/abc", "cgroup2", "rw")]
    assert own_groups(process_in(tmp_path, f"0::{group}\n", mounts, {"0/memory.max": "1"})) == {}


def test_a_group_that_is_gone_has_the_limits_of_those_above(tmp_path: Path) -> None:
    process = process_in(tmp_path, "0::/outer/gone\n", V2, NESTED_V2)
    assert processor_quota(own_groups(process)["cpu"]) == 0.5


def test_nonsense_is_no_limit(tmp_path: Path) -> None:
    files = {
        "0/a/cpu.max": "many 0",
        "0/a/memory.max": "",
        "0/a/io.max": "8:0 rbps=x what\n\n8:1",
        "0/a/cpu.stat": "nr_periods\nnr_throttled -1",
    }
    groups = own_groups(process_in(tmp_path, "0::/a\nnot a line\n", V2, files))
    assert processor_quota(groups["cpu"]) is None and throttled_levels(groups["cpu"]) == {}
    assert memory_limit_bytes(groups["memory"]) is None and io_limits(groups["io"]) == []


def test_without_control_groups_there_are_none(tmp_path: Path) -> None:
    assert own_groups(process_in(tmp_path, "", [], {})) == {}
    with pytest.raises(OSError):
        own_groups(tmp_path / "nothing")


def test_a_file_that_may_not_be_read_is_named(tmp_path: Path) -> None:
    groups = own_groups(process_in(tmp_path, "0::/outer/inner\n", V2, NESTED_V2))
    assert closed_files(groups["memory"]) == []
    (tmp_path / "0/outer/memory.high").unlink()
    (tmp_path / "0/outer/memory.high").mkdir()  # cannot be read by anyone, root included
    assert closed_files(groups["memory"]) == [str(tmp_path / "0/outer/memory.high")]
