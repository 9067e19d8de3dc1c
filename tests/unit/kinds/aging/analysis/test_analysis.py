"""What is found: rates that say little, layouts as not asked for, and storage that has changed."""

from __future__ import annotations

import pytest

from fsgauge.stats.results import Results
from tests.synthetic_aging import BASELINE, MEBIBYTE, make_aging

LEVELS = (5, 100)


def results_of(**changes: object) -> Results:
    return make_aging(**{"levels": LEVELS, "blocks": 4, "maps": False, **changes}).results()


def codes(**changes: object) -> dict[str, str]:
    found = results_of(**changes).findings
    own = ("aging.", "scan.", "storage.no", "storage.s")
    return {each.code: each.sentence for each in found if each.code.startswith(own)}


def test_an_honest_study_on_a_loop_file_says_what_rates_show() -> None:
    found = codes()
    assert set(found) == {"storage.no_seeks", "storage.sparse"}
    assert "only that requests are split" in found["storage.no_seeks"]


def test_a_disk_needs_no_such_word() -> None:
    assert codes(storage_kind="device", rotational="1") == {}


def test_a_file_system_that_allocates_otherwise_is_told_of() -> None:
    results = results_of(extents_of=lambda chunk: max(chunk, 4 * MEBIBYTE))
    said = [each.sentence for each in results.findings if each.code == "aging.other_extents"]
    assert len(said) == 2, "1 and 2 MiB; 4 and 8 are as asked for"
    assert said[0].startswith("ext4 1 MiB was asked for extents of 1 MiB, and 0 %")
    assert "the mean extent has 4 MiB" in said[0]


@pytest.mark.parametrize("storage", ["loop", "ram"])
def test_a_sparse_file_favours_aged_systems(storage: str) -> None:
    """The records of the synthetic study say nothing of preallocation: a sparse file."""
    assert ("storage.sparse" in codes(storage_kind=storage)) is (storage == "loop")


def test_slow_with_all_free_is_not_the_layout() -> None:
    found = codes(kept=lambda chunk, free, side: 0.7)
    assert "something else has changed" in found["aging.still_slow"]


def test_failed_scans_and_missing_layouts() -> None:
    failed = codes(scan_faults=lambda turn, cell: turn.system == BASELINE)
    assert "failed" in failed["scan.failed"]
    without = codes(without_layout=(BASELINE,))
    assert without["aging.no_layout"].startswith(f"{BASELINE}: the layout is unknown")


def test_a_prediction_from_a_part_of_the_extents_says_so() -> None:
    found = codes(listed=20)
    assert "rest on" in found["aging.listed_in_part"]
