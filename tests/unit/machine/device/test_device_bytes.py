"""Copies of superblocks lie where the file systems' own tools say."""

from __future__ import annotations

from itertools import pairwise

from fsgauge.machine.device.device_bytes import superblock_places

MEBIBYTE, GIBIBYTE = 1 << 20, 1 << 30


def offsets(size_bytes: int) -> set[int]:
    return {offset for offset, _ in superblock_places(size_bytes)}


def test_ext4_as_mkfs_prints_them() -> None:
    """mkfs.ext4 on 100 GiB: backups at 32768, 98304, 163840, 229376, 294912, 819200, 884736, ..."""
    blocks = (32768, 98304, 163840, 229376, 294912, 819200, 884736, 1605632, 2654208, 4096000)
    assert {block * 4096 for block in blocks} <= offsets(100 * GIBIBYTE)
    small = (8193, 24577, 40961)
    covered = offsets(64 * MEBIBYTE)
    assert {block * 1024 - block * 1024 % 65536 for block in small} <= covered


def test_btrfs_and_xfs() -> None:
    assert {64 * MEBIBYTE, 256 * GIBIBYTE} <= offsets(1 << 40)
    assert {25 * GIBIBYTE, 50 * GIBIBYTE, 75 * GIBIBYTE} <= offsets(100 * GIBIBYTE)


def test_places_are_in_order_apart_and_inside() -> None:
    for size_bytes in (16 * MEBIBYTE, 64 * MEBIBYTE + 512, 100 * GIBIBYTE, 1 << 44):
        places = superblock_places(size_bytes)
        assert places[0][0] == 0
        assert sum(places[-1]) == size_bytes
        assert len(places) < 600
        for (offset, length), (following, _) in pairwise(places):
            assert offset + length <= following
            assert following % 65536 == 0
