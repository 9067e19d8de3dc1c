"""A distribution is by bytes, has every power of two between its ends, and says its numbers."""

from __future__ import annotations

from fsgauge.engine.wire import LengthBin
from fsgauge.report.scan.lengths import lengths_chart

BINS = [
    LengthBin(at_least_bytes=4096, extents=3, size_bytes=3 << 12),
    LengthBin(at_least_bytes=65536, extents=1, size_bytes=9 << 12),
]


def chart(bins: list[LengthBin], before: list[LengthBin] | None = None) -> str:
    return lengths_chart("Lengths", bins, before, width=540, colour="#123456")


def test_bars_are_shares_of_bytes() -> None:
    drawn = chart(BINS)
    assert "4 KiB to below 8 KiB: 3 extents, 12 KiB (25.0 %)" in drawn
    assert "64 KiB to below 128 KiB: 1 extent, 36 KiB (75.0 %)" in drawn
    assert "8 KiB to below 16 KiB: none" in drawn
    assert drawn.count("#123456") == 2


def test_an_earlier_scan_stands_beside_hollow() -> None:
    drawn = chart(BINS, [LengthBin(at_least_bytes=1 << 20, extents=1, size_bytes=1 << 20)])
    assert drawn.count('stroke-width="1.2"') == 1
    assert "1 MiB to below 2 MiB: none; before: 1 extent, 1 MiB (100.0 %)" in drawn


def test_nothing_gives_nothing() -> None:
    assert chart([]) == ""
    assert chart([], []) == ""
