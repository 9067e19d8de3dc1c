"""The strip is the device in proportion; groups and differences stand where they are."""

from __future__ import annotations

import re

from fsgauge.engine.wire import Group
from fsgauge.report.scan.map import KINDS, folded, shares_of
from fsgauge.report.scan.strip import difference_strip, every_nth, group_bars, strip
from tests.scan_example import example

SIZE = 64 << 20


def group(number: int, size: int = 1 << 20) -> Group:
    return Group(
        offset_bytes=number * size,
        size_bytes=size,
        free_bytes=size // 2,
        free_extents=1,
        largest_free_bytes=size // 4,
    )


def test_shares_of_a_cell_are_all_of_it() -> None:
    area = example(map_order=3).map
    assert area is not None
    shares = shares_of(area)
    assert set(sum(shares[kind] for kind in KINDS).tolist()) == {255}
    assert shares["other"].sum() > 0


def test_rounding_is_no_other_use() -> None:
    area = example(map_order=1).map
    assert area is not None
    area = area.model_copy(
        update={"data": [85] * 4, "metadata": [84] * 4, "free": [84] * 4, "unallocated": [0] * 4}
    )
    assert shares_of(area)["other"].tolist() == [0] * 4


def test_folding_keeps_the_mean() -> None:
    area = example(map_order=4).map
    assert area is not None
    free = shares_of(area)["free"]
    for columns in (1, 7, 64, 256, 1000):
        few = folded(free, columns)
        assert len(few) == min(columns, 256)
    assert folded(free, 1)[0] == free.mean()


def test_ticks_stand_at_the_borders_of_groups() -> None:
    scan = example(map_order=3)
    assert scan.map is not None
    ticks = re.findall(r"M([0-9.]+) 64v8", strip(scan.map, scan.groups, SIZE))
    assert ticks == ["0.0", "256.0", "512.0", "768.0"]


def test_many_groups_are_put_together() -> None:
    groups = [group(number) for number in range(1000)]
    assert every_nth(groups) == 8
    drawn = group_bars(groups, 1000 << 20)
    assert drawn.count("<g ") == 125
    assert "groups 0 to 7 from 0 B: 4 MiB of 8 MiB free, largest piece 256 KiB" in drawn


def test_no_group_no_bars() -> None:
    assert group_bars([], SIZE) == ""


def test_a_difference_points_up_where_space_came_into_use() -> None:
    before = example(map_order=2).map
    assert before is not None
    now = before.model_copy(update={"free": [0] * 16})
    drawn = difference_strip(before, now, SIZE)
    more, less = re.findall(r'<path fill="#[0-9a-f]+" fill-opacity="[0-9.]+" d="([^"]*)"', drawn)
    assert more.count("M") == sum(share == 255 for share in before.free)
    assert less == ""
    back = difference_strip(now, before, SIZE)
    assert re.findall(r'fill-opacity="1.0" d="([^"]*)"', back) == [""]
