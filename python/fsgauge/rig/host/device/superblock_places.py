"""Where file systems, volumes and tables keep their superblocks, copies among them.

The first may be gone (wiped, overwritten by a boot sector) and a file system still be there.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from fsgauge.rig.host.device.device_bytes import ALIGNMENT_BYTES

EDGE_BYTES = 1 << 20
"""Labels, tables and headers at both ends: GPT, MD, LVM, LUKS, ZFS, NTFS."""
PLACE_BYTES = ALIGNMENT_BYTES
_EXT_GROUPS = ((1024, 8192, 1), (2048, 16384, 0), (4096, 32768, 0))
"""Block size, blocks of a group, the first block."""
_EXT_BASES = (3, 5, 7)
_BTRFS = (64 << 10, 64 << 20, 256 << 30)
_XFS_GROUPS = (4, 8, 16, 32)
_PARTITIONS = (
    1 << 20,
    2 << 20,
    4 << 20,
    8 << 20,
    16 << 20,
    100 << 20,
    128 << 20,
    512 << 20,
    1 << 30,
)
_PLACES_LIMIT = 512


def superblock_places(size_bytes: int) -> list[tuple[int, int]]:
    """(offset, bytes) of parts to look at, in order: both ends, and what lies between."""
    if size_bytes <= 2 * EDGE_BYTES:
        return [(0, size_bytes)]
    end = (size_bytes - EDGE_BYTES) // ALIGNMENT_BYTES * ALIGNMENT_BYTES
    between = {
        offset // ALIGNMENT_BYTES * ALIGNMENT_BYTES
        for offset in chain(_ext(size_bytes), _BTRFS, _xfs(size_bytes), _PARTITIONS)
    }
    inner = sorted(offset for offset in between if EDGE_BYTES <= offset < end)[:_PLACES_LIMIT]
    return [(0, EDGE_BYTES), *((place, PLACE_BYTES) for place in inner), (end, size_bytes - end)]


def _ext(size_bytes: int) -> Iterator[int]:
    """Backup superblocks: groups 1 and powers of 3, 5 and 7 (sparse_super)."""
    for block_size, blocks, first in _EXT_GROUPS:
        group_bytes = block_size * blocks
        for group in sorted({1, *_powers(size_bytes // group_bytes)}):
            yield group * group_bytes + first * block_size


def _powers(limit: int) -> Iterator[int]:
    for base in _EXT_BASES:
        power = base
        while power <= limit:
            yield power
            power *= base


def _xfs(size_bytes: int) -> Iterator[int]:
    """Superblocks of allocation groups: an equal share of the device each, in whole blocks."""
    for groups in _XFS_GROUPS:
        group_bytes = -(-size_bytes // 4096 // groups) * 4096
        yield from (group * group_bytes for group in range(1, groups))
