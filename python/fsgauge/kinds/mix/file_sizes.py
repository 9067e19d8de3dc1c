"""The sizes of a group's files: the engine's law, and what all of them take."""

from __future__ import annotations

import math

from fsgauge.kinds.mix.group import Group
from fsgauge.study.sweep import mean_bytes, weighted

_BLOCK_BYTES = 4 << 10
_GROWN_BLOCKS = 16
"""A file that is appended to grows by so many blocks, or doubles, before it is cut back."""


def size_law(group: Group) -> dict[str, object]:
    """The law for the engine, as JSON."""
    if group.size_distribution == "log-normal":
        return {
            "kind": "lognormal",
            "median_bytes": group.median_size,
            "sigma": group.size_sigma,
            "smallest_bytes": group.smallest_size,
            "largest_bytes": group.largest_size,
        }
    if not group.size_weights:
        return {"kind": "cycle", "sizes_bytes": group.file_sizes}
    return {"kind": "weighted", "sizes": on_wire(weighted(group.file_sizes, group.size_weights))}


def on_wire(drawn: list[tuple[int, int]]) -> list[dict[str, int]]:
    """Sizes by weight for the engine, as JSON."""
    return [{"size_bytes": size, "weight": weight} for size, weight in drawn]


def stored_bytes(group: Group) -> int:
    """What all of its files take, in blocks of 4 KiB, as far as they have to find room to grow."""
    each = _mean_bytes(group)
    if "append" in group.operations and not group.continue_when_full:
        each += max(each, _GROWN_BLOCKS * group.largest_block_bytes)
    blocks = math.ceil(each / _BLOCK_BYTES)
    return blocks * _BLOCK_BYTES * group.file_count


def _mean_bytes(group: Group) -> float:
    if group.size_distribution == "log-normal":
        mean = group.median_size * math.exp(min(group.size_sigma**2 / 2, 50))
        return min(max(mean, group.smallest_size), group.largest_size)
    return mean_bytes(weighted(group.file_sizes, group.size_weights))
