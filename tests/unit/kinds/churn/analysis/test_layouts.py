"""Layouts of trees and new files, aged and fresh, and how the trees were made."""

import pytest

from tests.synthetic_churn import make_churn


@pytest.fixture(scope="module")
def churn():
    return make_churn(blocks=3).results().own


def test_aged_and_fresh_stand_side_by_side(churn):
    assert [(e.fill_percent, e.system, e.wear) for e in churn.layouts][:4] == [
        (50, "ext4", "aged"),
        (50, "ext4", "fresh"),
        (50, "xfs", "aged"),
        (50, "xfs", "fresh"),
    ]
    aged, fresh = (churn.layout("btrfs", 95, wear) for wear in ("aged", "fresh"))
    assert fresh.extents_per_file.value == pytest.approx(1.0)
    assert aged.extents_per_file.value == pytest.approx(5.51, abs=0.02)
    assert (aged.extents_per_file.n, aged.files) == (3, 1000.0)
    assert aged.layout_score < fresh.layout_score == 1.0
    assert aged.fragmented_share > fresh.fragmented_share == 0.0
    assert aged.new_extents_per_file.value > fresh.new_extents_per_file.value
    assert aged.free_extents is not None and aged.used_share is not None


def test_a_failed_scan_is_counted_and_left_out():
    churn = make_churn(blocks=2, scan_faults=lambda turn: turn.system == "xfs").results().own
    assert churn.failed_scans == 2 * 6 * 2
    assert {layout.system for layout in churn.layouts} == {"ext4", "btrfs"}


def test_trees_say_what_was_written_and_how_full_they_are(churn):
    aged, fresh = churn.trees[0], churn.trees[1]
    assert (aged.wear, fresh.wear, aged.system, aged.fill_percent) == ("aged", "fresh", "ext4", 50)
    assert (aged.storage_age, fresh.storage_age) == (3.0, 1.0)
    assert aged.live_share == pytest.approx(0.5)
    assert aged.live_bytes == fresh.live_bytes
    assert aged.turns == 3 * 2
    assert churn.different_trees == []


def test_trees_that_differ_are_named():
    made = make_churn(blocks=2, live=lambda turn, cell: 0.9 if cell.id == "aged-80-read" else 1.0)
    named = made.results().own.different_trees
    assert len(named) == 2 * 4
    assert "block 1, btrfs, 80 % full" in named
