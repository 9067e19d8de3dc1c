"""Two scans side by side: differences of numbers, and doubts where they are of different things."""

from __future__ import annotations

from fsgauge.scan.difference import difference_lines, doubts, maps_compare
from tests.scan_example import example


def test_a_planted_change_is_the_difference_and_the_rest_is_none() -> None:
    lines = {
        line.quantity.name: line.difference
        for line in difference_lines(example(), example(extents=10))
    }
    assert lines["extents"] == 6
    assert lines["extents_per_file"] == 3
    assert lines["mean_extent_bytes"] is not None and lines["mean_extent_bytes"] < 0
    assert all(lines[name] == 0 for name in ("files", "free_bytes", "layout_score"))


def test_what_one_of_them_does_not_know_has_no_difference() -> None:
    lines = {line.quantity.name: line for line in difference_lines(example(free=None), example())}
    line = lines["free_bytes"]
    assert (line.before, line.difference) == (None, None) and line.now


def test_equal_scans_leave_no_doubt_and_lie_over_each_other() -> None:
    first = example()
    second = example(started_unix_ns=first.started_unix_ns + 1)
    assert doubts(first, second) == []
    assert maps_compare(first, second)
    assert doubts(second, first) == ["the scan to compare with is the later one of the two"]


def test_another_place_size_or_file_system_is_said() -> None:
    first = example()
    source = first.source.model_copy(
        update={"file_system": "xfs", "size_bytes": 1 << 30, "path": "/other"}
    )
    second = first.model_copy(update={"source": source, "ended": "interrupted"})
    text = " ".join(doubts(first, second))
    for word in ("ext4 and xfs", "64 MiB and 1 GiB", "/other", "stopped before its end"):
        assert word in text
    assert not maps_compare(first, second)


def test_what_only_one_of_them_could_read_is_a_doubt() -> None:
    first = example()
    second = first.model_copy(update={"problems": []})
    assert doubts(first, second) == [
        "not the same could be read: the earlier scan had 2 not_permitted, the other no problem"
    ]


def test_maps_of_two_orders_do_not_compare() -> None:
    assert not maps_compare(example(map_order=2), example(map_order=3))
    assert not maps_compare(example(map_order=0), example())
