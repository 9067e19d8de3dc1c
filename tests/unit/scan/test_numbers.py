"""Numbers of a scan follow from its counts; what cannot be known is None."""

from __future__ import annotations

import pytest

from fsgauge.engine.wire import Note, ScanProblem
from fsgauge.pages import explain_metric
from fsgauge.scan.numbers import (
    QUANTITIES,
    difference_lines,
    doubts,
    maps_compare,
    numbers_of,
    reach_bytes,
)
from tests.scan_example import changed, example

MEBIBYTE = 1 << 20


def test_ratios_are_over_files_that_have_an_extent() -> None:
    found = numbers_of(example())
    assert (found["files"], found["files_with_extents"]) == (3, 2)
    assert found["extents_per_file"] == 4 / 2
    assert found["fragmented_percent"] == 50
    assert found["layout_score"] == 0.998
    assert found["mean_extent_bytes"] == 5 * MEBIBYTE / 4


def test_space_is_in_bytes_and_shares_of_what_is_free() -> None:
    found = numbers_of(example())
    assert found["used_percent"] == pytest.approx(100 * 36 / 64)
    assert found["largest_free_bytes"] == 16 * MEBIBYTE
    assert found["free_at_least_8_mib_percent"] == pytest.approx(100 * 24 / 28)
    assert found["free_at_least_128_mib_percent"] == 0


def test_nothing_is_guessed_where_there_are_no_files() -> None:
    found = numbers_of(example(files=2, files_without_extents=2, extents=0, block_pairs=0))
    for name in ("extents_per_file", "fragmented_percent", "layout_score", "mean_extent_bytes"):
        assert found[name] is None


def test_free_space_that_was_not_read_has_no_number() -> None:
    found = numbers_of(example(free=None))
    assert found["size_bytes"] == 64 * MEBIBYTE
    names = [each.name for each in QUANTITIES if "free" in each.name or "used" in each.name]
    assert len(names) == 8 and all(found[name] is None for name in names)


def test_room_in_no_chunk_and_for_copies_is_not_in_use() -> None:
    room = {"unallocated_bytes": 12 * MEBIBYTE, "device_bytes": 32 * MEBIBYTE}
    found = numbers_of(changed(source={"file_system": "btrfs"}, free=room))
    assert found["used_percent"] == pytest.approx(100 * 20 / 64)
    assert found["free_bytes"] == 28 * MEBIBYTE
    assert found["unallocated_bytes"] == 12 * MEBIBYTE
    assert numbers_of(example())["unallocated_bytes"] is None


def test_the_share_in_use_needs_all_free_space() -> None:
    assert numbers_of(changed(free={"unread_bytes": 4096}))["used_percent"] is None
    damage = {"code": "damaged", "text": "It makes no sense", "count": 1, "examples": []}
    harmless = numbers_of(example(problems=[damage]))
    assert harmless["used_percent"] == pytest.approx(100 * 36 / 64)


def test_old_records_hide_what_they_do_not_know() -> None:
    old = {"device_bytes": None, "unallocated_bytes": None, "unread_bytes": None}
    assert numbers_of(changed(free=old))["used_percent"] == pytest.approx(100 * 36 / 64)
    btrfs = {"file_system": "btrfs"}
    assert numbers_of(changed(source=btrfs, free=old))["used_percent"] is None
    alone = old | {"extents": None, "largest_bytes": None}
    summed = numbers_of(changed(source=btrfs, free=alone))
    assert summed["used_percent"] == pytest.approx(100 * 36 / 64)
    damage = ScanProblem(code="damaged", text="It makes no sense", count=1, examples=[])
    damaged = changed(free=old).model_copy(update={"problems": [damage]})
    assert numbers_of(damaged)["used_percent"] is None


def test_the_end_of_addresses_over_several_devices_is_no_size() -> None:
    note = Note(code="btrfs_addresses", text="places are addresses")
    old = example().model_copy(update={"notes": [note]})
    assert numbers_of(old)["size_bytes"] is None and numbers_of(old)["used_percent"] is None
    several = changed(source={"address_bytes": 900 * MEBIBYTE}).model_copy(update={"notes": [note]})
    assert numbers_of(several)["size_bytes"] == 64 * MEBIBYTE
    assert (reach_bytes(several), reach_bytes(example())) == (900 * MEBIBYTE, 64 * MEBIBYTE)


def test_a_sum_alone_says_nothing_of_pieces() -> None:
    free = {"size_bytes": 10, "extents": None, "largest_bytes": None, "lengths": [], "at_least": []}
    free["at_least"] = [{"at_least_bytes": 64 << 10, "size_bytes": 0}]
    found = numbers_of(example(free=free))
    assert found["free_bytes"] == 10
    assert found["free_extents"] is None and found["free_at_least_64_kib_percent"] is None


@pytest.mark.parametrize("quantity", QUANTITIES, ids=lambda each: each.name)
def test_every_number_has_a_page_with_definition_and_unit(quantity) -> None:
    page = explain_metric(quantity.page)
    for part in ("**Definition.**", "**Unit.**", "**How to read it.**", "**Limits.**"):
        assert part in page


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
    assert doubts(second, first) == ["the earlier scan is in fact the later one"]


def test_another_place_size_or_file_system_is_said() -> None:
    first = example()
    source = first.source.model_copy(
        update={"file_system": "xfs", "size_bytes": 1 << 30, "path": "/other"}
    )
    second = first.model_copy(update={"source": source, "ended": "interrupted"})
    text = " ".join(doubts(first, second))
    for word in ("ext4 and xfs", "64 MiB and 1 GiB", "/other", "stopped early"):
        assert word in text
    assert not maps_compare(first, second)


def test_what_only_one_of_them_could_read_is_a_doubt() -> None:
    first = example()
    second = first.model_copy(update={"problems": []})
    assert doubts(first, second) == [
        "the scans read different parts: the earlier scan had 2 not_permitted, the other no problem"
    ]


def test_maps_of_two_orders_do_not_compare() -> None:
    assert not maps_compare(example(map_order=2), example(map_order=3))
    assert not maps_compare(example(map_order=0), example())
