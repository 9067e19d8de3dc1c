"""The emptiest region: the right groups, only adjoining ones, and refusals with the way out."""

from __future__ import annotations

import time
from array import array
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsgauge.engine.wire import Group, ScanResult
from fsgauge.engine.wire.base import Packed
from fsgauge.errors import InputError
from fsgauge.scan.region import empty_region, region_lines
from tests.scan_example import changed, example

GROUP = 128 << 20


def groups(
    free: Sequence[int], *, gaps: Sequence[int] = (), size_bytes: int = GROUP
) -> list[Group]:
    """Groups with so many percent free; before those of `gaps` lies a hole."""
    found, offset = [], 0
    for number, percent in enumerate(free):
        offset += size_bytes if number in gaps else 0
        free_bytes = size_bytes * percent // 100
        found.append(
            Group(
                offset_bytes=offset,
                size_bytes=size_bytes,
                free_bytes=free_bytes,
                free_extents=1,
                largest_free_bytes=free_bytes,
            )
        )
        offset += size_bytes
    return found


def scan(free: Sequence[int], gaps: Sequence[int] = (), **source: object) -> ScanResult:
    return changed(source=dict(source)).model_copy(update={"groups": groups(free, gaps=gaps)})


def test_the_emptiest_groups_side_by_side_are_named_and_the_first_of_equals() -> None:
    found = empty_region(scan([10, 90, 20, 80, 80, 10, 80, 80]), 2 * GROUP)
    assert (found.first_group, found.last_group) == (3, 4)
    assert (found.offset_bytes, found.size_bytes) == (3 * GROUP, 2 * GROUP)
    assert found.free_percent == pytest.approx(80, abs=0.01)
    assert found.largest_free_bytes == GROUP * 80 // 100
    one = empty_region(scan([10, 90, 20, 80]), GROUP)
    assert (one.first_group, one.last_group) == (1, 1)


def test_of_joined_groups_the_numbers_are_those_of_the_file_system() -> None:
    joined = scan([10, 90, 20, 80, 80]).model_copy(update={"group_count": 14})
    found = empty_region(joined, 2 * GROUP)
    assert (found.first_group, found.last_group) == (9, 13), "the last stands for two"
    assert "of 14 groups, 3 at a time" in "\n".join(region_lines(joined, found))
    assert empty_region(joined, GROUP).first_group == 3
    assert "at a time" not in "\n".join(region_lines(scan([10, 90]), found))


def test_a_size_between_groups_takes_one_more() -> None:
    found = empty_region(scan([0, 100, 100, 0]), GROUP + 1)
    assert (found.first_group, found.last_group, found.size_bytes) == (1, 2, 2 * GROUP)


def test_groups_with_a_gap_between_them_are_no_region() -> None:
    found = empty_region(scan([50, 100, 100, 50], gaps=[2]), 2 * GROUP)
    assert (found.first_group, found.last_group) == (0, 1)
    with pytest.raises(InputError) as refusal:
        empty_region(scan([50, 100, 100, 50], gaps=[2]), 3 * GROUP)
    assert refusal.value.render().splitlines() == [
        "error: no groups side by side have 384 MiB",
        "cause: the longest run of groups of /fake has 256 MiB",
        "next: --empty-region 268435456B, or less",
    ]


@given(st.lists(st.integers(0, 100), min_size=1, max_size=30), st.integers(1, 30), st.data())
def test_no_other_region_of_the_size_is_emptier(
    free: list[int], length: int, data: st.DataObject
) -> None:
    gaps = data.draw(st.sets(st.integers(1, 29), max_size=3))
    made = groups(free, gaps=sorted(gaps))
    windows = [
        made[first : first + length]
        for first in range(len(made) - length + 1)
        if not any(first < gap < first + length for gap in gaps)
    ]
    of = scan(free, sorted(gaps))
    if not windows:
        with pytest.raises(InputError):
            empty_region(of, length * GROUP)
        return
    best = max(sum(group.free_bytes for group in window) for window in windows)
    found = empty_region(of, length * GROUP)
    assert found.free_bytes == best
    assert found.last_group - found.first_group + 1 == length


def test_what_is_not_known_is_not_named() -> None:
    without = changed(source={"space_reason": "root alone may read it"})
    with pytest.raises(InputError) as refusal:
        empty_region(without.model_copy(update={"groups": []}), GROUP)
    assert "is not known" in refusal.value.render()
    assert "cause: root alone may read it" in refusal.value.render()
    with pytest.raises(InputError, match="stopped early"):
        empty_region(example(ended="interrupted"), GROUP)


def test_the_line_for_ldiskfs_names_the_group_and_says_that_nothing_was_set() -> None:
    mounted = scan([0, 100], file_system="ext4", device="/dev/sdb1", mount_point="/mnt")
    lines = region_lines(mounted, empty_region(mounted, GROUP))
    assert lines[0] == (
        "empty region groups 1 to 1, 128 MiB at 128 MiB: 100 % free, largest piece 128 MiB"
    )
    assert lines[1].endswith("on ldiskfs: echo 1 > /proc/fs/ldiskfs/sdb1/mb_last_group")
    assert "nothing was set; ext4 of Linux has no mb_last_group" in lines[2]
    image = scan([0, 100], file_system="ext4", device="/a.img", mount_point=None)
    assert "ldiskfs/DEVICE/" in region_lines(image, empty_region(image, GROUP))[1]
    xfs = scan([0, 100], file_system="xfs")
    assert len(region_lines(xfs, empty_region(xfs, GROUP))) == 1


def of_many(groups: int) -> ScanResult:
    """As the engine's answer is kept: eight bytes a number."""
    numbers = {
        "offset_bytes": (GROUP * at for at in range(groups)),
        "size_bytes": (GROUP for _ in range(groups)),
        "free_bytes": (at * 7919 % GROUP for at in range(groups)),
        "free_extents": (1 for _ in range(groups)),
        "largest_free_bytes": (9 for _ in range(groups)),
    }
    columns = tuple(array("Q", numbers[name]) for name in Group.model_fields)
    many = {"groups": Packed(Group, columns), "group_count": groups}
    return example().model_copy(update=many)


@pytest.mark.alone
def test_what_a_region_costs_grows_with_the_groups_and_not_with_the_region() -> None:
    """It grew with their product: 13.6 s of 16,384 groups, and hours of 5.3 million (LU-12970).
    Alone: times of the processor are compared."""

    def seconds(groups: int, regions: int) -> float:
        many, times = of_many(groups), []
        for _ in range(5):
            begin = time.process_time()
            empty_region(many, groups // regions * GROUP)
            times.append(time.process_time() - begin)
        return min(times)

    seconds(16, 4)  # imports
    few, more = seconds(8192, 16), seconds(16 * 8192, 16)
    assert more < 64 * max(few, 1e-4), "twice that of a straight line is 32 times, a square 256"
    assert seconds(16 * 8192, 2) < 4 * more
