"""Whether the files of metadata fit: bytes and inodes, said before anything is made."""

from __future__ import annotations

import math

from fsgauge.errors import InputError
from fsgauge.kinds.metadata.keys import MetadataWorkload
from fsgauge.units import format_size
from fsgauge.workload.assumed import Room

USABLE_PERCENT = 95
"""Share of the free space that files may take: file systems need the rest as they fill."""
METADATA_BYTES = 1 << 10
"""An inode, a name and a share of the trees that hold them, where inodes are not laid out yet."""
_BLOCK_BYTES = 4 << 10
_SPARE_INODES = 8
"""Scratch folders, the folder of all, the shared file."""


def stored_bytes(workload: MetadataWorkload, entries: int) -> int:
    """What so many of the largest files take."""
    size_bytes = max(workload.file_sizes)
    return entries * (-(-size_bytes // _BLOCK_BYTES) * _BLOCK_BYTES + METADATA_BYTES)


def record_bytes(workload: MetadataWorkload) -> int:
    """The shared file of the most clients; 0 where there is none."""
    if "record write" not in workload.operations:
        return 0
    return max(workload.clients) * workload.records * workload.record_size


def require_room(workload: MetadataWorkload, room: Room) -> None:
    """Raise InputError with what would fit."""
    entries = max(workload.entries) if "create" in workload.operations else 0
    usable = room.free_bytes * USABLE_PERCENT // 100
    storage = f'"{room.least}"' if room.least else "the storage"
    if record_bytes(workload) > usable:
        fitting = usable // (max(workload.clients) * workload.record_size)
        raise InputError(
            f"the shared file takes {format_size(record_bytes(workload))}",
            cause=f"{storage} has room for {format_size(usable)}",
            next=f"--set workload.records={fitting}" if fitting else "larger storage",
        )
    needed = stored_bytes(workload, entries)
    if needed > usable:
        raise InputError(
            f"{entries} files with their names and inodes take about {format_size(needed)}",
            cause=f"{storage} has room for {format_size(usable)}",
            next=_fewer(workload, usable // stored_bytes(workload, 1), "larger storage"),
        )
    inodes = entries + max(workload.clients) + _SPARE_INODES
    if room.inodes is not None and inodes > room.inodes:
        raise InputError(
            f"{entries} files and their folders need {inodes} inodes",
            cause=f'"{room.fewest}" has {room.inodes}: mkfs decides how many',
            next=_fewer(
                workload,
                room.inodes - max(workload.clients) - _SPARE_INODES,
                room.more_inodes(inodes),
            ),
        )


def _fewer(workload: MetadataWorkload, fitting: int, otherwise: str) -> str:
    """The most entries that fit and can be dealt out, or another way."""
    all_clients = math.lcm(*workload.clients)
    entries = fitting // all_clients * all_clients
    return f"--set workload.entries={entries}, or {otherwise}" if entries > 0 else otherwise
