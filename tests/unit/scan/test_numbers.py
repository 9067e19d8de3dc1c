"""Numbers of a scan follow from its counts; what cannot be known is None."""

from __future__ import annotations

import pytest

from fsgauge.pages import explain_metric
from fsgauge.scan.numbers import QUANTITIES, numbers_of
from fsgauge.wire import Note
from tests.scan_example import example

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


def test_the_share_in_use_needs_all_free_space() -> None:
    scan = example()
    btrfs = scan.source.model_copy(update={"file_system": "btrfs"})
    chunks = scan.model_copy(update={"source": btrfs})
    assert numbers_of(chunks)["used_percent"] is None
    assert numbers_of(chunks)["free_bytes"] == 28 * MEBIBYTE
    assert scan.free is not None
    alone = scan.free.model_copy(update={"extents": None, "largest_bytes": None})
    summed = numbers_of(chunks.model_copy(update={"free": alone}))
    assert summed["used_percent"] == pytest.approx(100 * 36 / 64)
    damage = {"code": "damaged", "text": "It makes no sense", "count": 1, "examples": []}
    assert numbers_of(example(problems=[damage]))["used_percent"] is None


def test_the_end_of_addresses_over_several_devices_is_no_size() -> None:
    note = Note(code="btrfs_addresses", text="places are addresses")
    several = example().model_copy(update={"notes": [note]})
    assert numbers_of(several)["size_bytes"] is None
    assert numbers_of(example())["size_bytes"] == 64 * MEBIBYTE


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
