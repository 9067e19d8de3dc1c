"""Extents of what each test wrote: planted numbers come out, over blocks."""

from __future__ import annotations

from typing import Any

import pytest

from fsgauge.kinds.connections.analysis.extents import cell_extents
from fsgauge.kinds.connections.analysis.model import CellExtents
from fsgauge.stats.samples import Samples
from tests.synthetic_connections import BASELINE, OTHER, make_connections

SMALL: dict[str, Any] = {"clients": 20, "blocks": 4}


def extents(**changes: Any) -> dict[tuple[str, str], CellExtents]:
    made = make_connections(**SMALL, **changes)
    found = cell_extents(Samples(made.study.plan), made.scans, 3.0)
    return {(each.cell, each.system): each for each in found}


def test_extents_a_file_come_out_with_their_ratio() -> None:
    found = extents()
    assert set(found) == {(cell, s) for cell in ("write", "backup-fill") for s in (BASELINE, OTHER)}
    base, other = found["write", BASELINE], found["write", OTHER]
    assert base.per_file.value == pytest.approx(20) and other.per_file.value == pytest.approx(1)
    assert base.files == 200 and base.extents.value == pytest.approx(4000)
    assert base.ratio is None and other.ratio is not None
    assert other.ratio.ratio == pytest.approx(1 / 20) and other.ratio.verdict == "better"
    assert (base.fragmented_share, other.fragmented_share) == (0.9, 0)


def test_files_are_counted_by_their_extents() -> None:
    found = extents()
    assert found["write", BASELINE].by_extents == [
        (1, pytest.approx(0.1)),
        (16, pytest.approx(0.9)),
    ]
    assert found["write", OTHER].by_extents == [(1, 1)]


def test_an_interval_holds_a_number_that_varies() -> None:
    ratio = extents(extents_noise=0.05)["write", OTHER].ratio
    assert ratio is not None and ratio.low is not None and ratio.high is not None
    assert ratio.low < ratio.ratio < ratio.high and ratio.n == 4


def test_shares_of_bytes_fall_with_the_length() -> None:
    lengths = extents()["write", BASELINE].lengths
    assert lengths[0][1] == 1
    shares = [share for _, share in lengths]
    assert shares == sorted(shares, reverse=True) and 0 < shares[-1] < 1


def test_a_file_system_without_extents_is_left_out_and_another_is_the_reference() -> None:
    found = extents(without_extents=(BASELINE,))
    assert {system for _, system in found} == {OTHER}
    results = make_connections(**SMALL, without_extents=(BASELINE,)).results()
    assert results.own is not None
    assert results.own.extents_reference == OTHER
    assert results.own.without_extents == [BASELINE]
    assert "clients.without_extents" in {finding.code for finding in results.findings}


def test_a_scan_that_failed_is_in_no_number_and_is_told() -> None:
    failed = {"scan_faults": lambda turn, cell: turn.block == 0 and cell.id == "write"}
    assert extents(**failed)["write", OTHER].per_file.n == 3
    results = make_connections(**SMALL, **failed).results()
    (finding,) = [each for each in results.findings if each.code == "scan.failed"]
    assert finding.count == 3 and "FIEMAP" in finding.sentence
    assert finding.advice == "ls"
