"""Layouts of planted chunks: what lies in which pieces, and what a disk is predicted to make."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace

import pytest

from fsgauge.engine.wire import ExactLength, ScanCounts, ScanResult
from fsgauge.kinds.aging.analysis import chunks_of
from fsgauge.kinds.aging.analysis.layouts import exact_lengths, lengths_of, share_of_exactly
from fsgauge.kinds.aging.analysis.model import Aging
from tests.synthetic_aging import BASELINE, MEBIBYTE, SYSTEMS, make_aging

LEVELS = (5, 50, 100)
PUBLISHED_AT_5 = {"ext4 1 MiB": 0.29, "ext4 2 MiB": 0.50, "ext4 4 MiB": 0.74, "ext4 8 MiB": 0.90}


def aging_of(*, disk: Sequence[str] = (), **changes: object) -> Aging:
    made = make_aging(**{"levels": LEVELS, "blocks": 2, "maps": False, **changes})
    found = made.results(disk=disk).own
    assert found is not None
    return found


@pytest.fixture(scope="module")
def aging() -> Aging:
    return aging_of()


@pytest.mark.parametrize("system", SYSTEMS)
def test_predictions_at_little_free_are_those_that_were_published(
    aging: Aging, system: str
) -> None:
    layout = aging.layout(system, 5)
    assert layout is not None and layout.predicted_relative is not None
    assert layout.predicted_relative.value == pytest.approx(PUBLISHED_AT_5[system], abs=0.05)
    assert layout.listed_share == 1.0


def test_predictions_end_at_the_clean_rate(aging: Aging) -> None:
    for system in SYSTEMS:
        layout = aging.layout(system, 100)
        assert layout is not None and layout.predicted_relative is not None
        assert layout.predicted_relative.value == pytest.approx(1.0)


def test_another_disk_changes_predictions_and_no_rate() -> None:
    short = aging_of(disk=["window=16"])
    usual = aging_of()
    assert short.lines == usual.lines
    mine, theirs = (each.layout("ext4 8 MiB", None) for each in (short, usual))
    assert mine and theirs and mine.predicted and theirs.predicted
    assert mine.predicted.value < 0.9 * theirs.predicted.value
    assert [each.name for each in short.disk if not each.is_default] == ["window"]


def test_the_studys_own_disk_is_used() -> None:
    aging = aging_of(levels=(5,))
    changed = make_aging(levels=(5,), blocks=2, maps=False).study.study["workload"]
    assert changed["disk"] == {}
    own = make_aging(levels=(5,), blocks=2, maps=False, disk={"path_rate": 1e8}).results().own
    assert own is not None and own.layouts[0].predicted and aging.layouts[0].predicted
    assert own.layouts[0].predicted.value < 1e8 < aging.layouts[0].predicted.value


def test_aged_files_lie_in_chunks_of_their_size(aging: Aging) -> None:
    for aged in aging.aged:
        assert aged.chunk_share is not None and aged.chunk_share.value == 1.0
        assert aged.lengths.files == 20 and aged.lengths.exact is not None
        assert aged.lengths.exact[0] == (SYSTEMS[aged.system], 1.0)


def test_holes_that_touch_make_longer_free_pieces(aging: Aging) -> None:
    some, half = (aging.layout(BASELINE, level) for level in (5, 50))
    assert some and half and some.free and half.free and half.free.extents
    assert some.free.largest_bytes == MEBIBYTE
    assert half.free.largest_bytes is not None and half.free.largest_bytes > 3 * MEBIBYTE
    shares = [share for _, share in half.free.at_least]
    assert shares[0] == pytest.approx(1.0) and shares == sorted(shares, reverse=True)


def test_extents_that_are_not_all_listed_are_not_called_exact() -> None:
    aging = aging_of(listed=10, levels=(5,))
    layout = aging.layout(BASELINE, 5)
    assert layout is not None and layout.chunk_share is None and layout.lengths.exact is None
    assert 0 < layout.listed_share < 0.5


def test_a_system_without_an_asked_size_has_a_distribution_alone() -> None:
    aging = aging_of(systems={"xfs": None}, levels=(5,))
    layout = aging.layout("xfs", 5)
    assert layout is not None and layout.chunk_share is None
    assert layout.lengths.exact == [(2 * MEBIBYTE, 1.0)]


def test_failed_scans_leave_rates_alone() -> None:
    aging = aging_of(scan_faults=lambda turn, cell: True, levels=(5,))
    assert aging.layouts == [] and aging.failed_scans > 0 and aging.lines


def scan_of(exact: dict[int, int], extents: int, listed: list[int]) -> ScanResult:
    """A scan that counted these lengths, and lists some of its extents."""
    size_bytes = sum(length * number for length, number in exact.items())
    rows = [[0, 0, length] for length in listed]
    return ScanResult.model_construct(
        exact_lengths=[ExactLength(length_bytes=k, extents=n) for k, n in exact.items()],
        counts=ScanCounts.model_construct(
            extents=extents, extent_bytes=size_bytes, files=1, files_without_extents=0
        ),
        top=[SimpleNamespace(list=SimpleNamespace(column=lambda _: [row[2] for row in rows]))],
        extent_lengths=[],
    )


def test_lengths_are_exact_whatever_the_number_of_extents_that_is_listed() -> None:
    """Files of 94 GiB have up to 102,000 extents, of which a scan lists 10,000."""
    scan = scan_of({MEBIBYTE: 96_000, 2 * MEBIBYTE: 2_000}, 98_000, [MEBIBYTE] * 10_000)
    assert share_of_exactly(scan, MEBIBYTE) == pytest.approx(0.96)
    assert share_of_exactly(scan, 3 * MEBIBYTE) == 0
    exact = lengths_of([scan]).exact
    assert exact is not None and exact[0] == (MEBIBYTE, pytest.approx(0.96))


def test_lengths_that_are_not_all_known_give_no_share() -> None:
    for scan in (scan_of({MEBIBYTE: 90}, 100, []), scan_of({}, 100, [MEBIBYTE] * 10)):
        assert share_of_exactly(scan, MEBIBYTE) is None
        assert exact_lengths(scan) is None


def test_the_allocation_size_of_ldiskfs_is_the_largest_window_of_its_table() -> None:
    made = make_aging(levels=LEVELS, blocks=1, maps=False)
    tables = [
        {"name": system, "kind": "ldiskfs", "settings": {"prealloc_table": table}}
        for system, table in zip(SYSTEMS, ("256", "256 2048", "512"), strict=False)
    ]
    study = made.study.model_copy(update={"study": {**made.study.study, "system": tables}})
    found = chunks_of(study)
    assert [found[system] for system in list(SYSTEMS)[:3]] == [1 << 20, 8 << 20, 2 << 20]
