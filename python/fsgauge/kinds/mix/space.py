"""What the files of a mix take of a system, and whether that is there."""

from __future__ import annotations

import math
from collections.abc import Sequence

from fsgauge.errors import InputError
from fsgauge.kinds.mix.group import Group
from fsgauge.kinds.mix.keys import MixWorkload
from fsgauge.study.file_sizes import FileSizes
from fsgauge.units import format_size
from fsgauge.workload.assumed import Room

_USABLE_PERCENT = 95
"""Share of the free space that files may take: file systems need the rest as they fill."""
_BLOCK_BYTES = 4 << 10
_GROWN_BLOCKS = 16
"""A file that is appended to grows by so many blocks, or doubles, before it is cut back."""


def owners(workload: MixWorkload) -> Sequence[Group]:
    return [group for group in workload.group if group.files_of is None]


def stored_bytes(group: Group) -> int:
    """What all of its files take, in blocks of 4 KiB, as far as they have to find room to grow."""
    each = FileSizes.of(group).mean_bytes
    if "append" in group.operations and not group.continue_when_full:
        each += max(each, _GROWN_BLOCKS * group.largest_block_bytes)
    if "fallocate" in group.operations and not group.continue_when_full:
        each += group.largest_block_bytes
    blocks = math.ceil(each / _BLOCK_BYTES)
    return blocks * _BLOCK_BYTES * group.file_count


def stored_by_all(workload: MixWorkload) -> int:
    return sum(map(stored_bytes, owners(workload)))


def require_bytes(workload: MixWorkload, room: Room) -> None:
    """Raise InputError where the files do not fit, or what is kept of them as it is overwritten."""
    needed, fill = stored_by_all(workload), workload.fill or 0
    usable = room.free_bytes * _USABLE_PERCENT // 100
    filled = room.free_bytes * fill // 100
    where = f' on "{room.least}"' if room.least else " of the storage"
    larger = 'larger storage, or smaller file_sizes of "{}", which {}'
    if needed > (filled or usable):
        asked = f"{format_size(filled)} are to be filled" if fill else _can_be_used(usable)
        raise InputError(
            f"the files of all groups take {format_size(needed)}",
            cause=f"{asked}{where}",
            next=larger.format(max(owners(workload), key=stored_bytes).name, "has the most"),
        )
    kept = {group.name: _overwritten_bytes(workload, group) for group in owners(workload)}
    old, taken = math.ceil(sum(kept.values())), max(needed, filled)
    if room.copying and old and taken + old > usable:
        raise InputError(
            f"the files take {format_size(taken)}, and their old extents up to {format_size(old)}"
            f' on "{room.copying}", which keeps each until all of it is overwritten',
            cause=f"{_can_be_used(usable)}{where}",
            next=("a smaller workload.fill, " if fill else "")
            + larger.format(max(kept, key=lambda name: kept[name]), "is overwritten"),
        )


def _can_be_used(usable_bytes: int) -> str:
    return f"{format_size(usable_bytes)} can be used"


def _overwritten_bytes(workload: MixWorkload, owner: Group) -> float:
    """What is written over the files of a group in a run: at most all of them. Groups that go on
    where the storage is full may fill it."""
    written = 0.0
    for group in workload.group:
        is_there = (group.files_of or group.name) == owner.name
        if is_there and "write" in group.operations and not group.continue_when_full:
            rate = math.inf if (paced := group.offered_per_second) is None else paced
            share = group.operations["write"] / sum(group.operations.values())
            seconds = (workload.warm_up + workload.duration) / 1e9
            written += rate * share * seconds * group.mean_write_bytes
    return min(written, stored_bytes(owner))
