"""What the files of a group take, and sizes as the engine has them."""

from __future__ import annotations

import math

from fsgauge.kinds.mix.group import Group
from fsgauge.study.file_sizes import FileSizes

_BLOCK_BYTES = 4 << 10
_GROWN_BLOCKS = 16
"""A file that is appended to grows by so many blocks, or doubles, before it is cut back."""


def on_wire(drawn: list[tuple[int, int]]) -> list[dict[str, int]]:
    """Sizes by weight for the engine, as JSON."""
    return [{"size_bytes": size, "weight": weight} for size, weight in drawn]


def stored_bytes(group: Group) -> int:
    """What all of its files take, in blocks of 4 KiB, as far as they have to find room to grow."""
    each = FileSizes.of(group).mean_bytes
    if "append" in group.operations and not group.continue_when_full:
        each += max(each, _GROWN_BLOCKS * group.largest_block_bytes)
    blocks = math.ceil(each / _BLOCK_BYTES)
    return blocks * _BLOCK_BYTES * group.file_count
