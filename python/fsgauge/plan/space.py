"""How much of the storage the files may fill: decided here, for the plan and for the rig."""

from __future__ import annotations

import math
from dataclasses import replace

from fsgauge.study.model import LoopStorage, Study, System
from fsgauge.study.reached import is_served
from fsgauge.study.system import COPY_ON_WRITE
from fsgauge.units import format_size
from fsgauge.workload import method_of
from fsgauge.workload.assumed import EXPECTED, Room, Speed
from fsgauge.workload.method import Method


def times_held(study: Study, system: System) -> int:
    """How often a system may have to hold the working set at once. A copy-on-write file system
    keeps an old extent until all of it is overwritten, so random writes can take the whole working
    set a second time. Without that room they end in ENOSPC."""
    return 2 if system.kind in COPY_ON_WRITE and method_of(study.workload).overwrites else 1


def held_twice(study: Study) -> list[str]:
    """The systems for which all have half the space; empty where each holds the files once."""
    return [system.name for system in study.systems if times_held(study, system) > 1]


def layout_bytes(study: Study, size_bytes: int) -> int:
    """Bytes that the files of every system fill, or that are used of the raw device."""
    times = max(times_held(study, system) for system in study.systems)
    return filled_bytes(method_of(study.workload), size_bytes // times)


def filled_bytes(method: Method, free_bytes: int) -> int:
    """What the files take of so many free bytes: their share, as far as the reserve leaves it."""
    share = free_bytes * method.fill_percent // 100
    return max(min(share, free_bytes - method.reserve_bytes), 0)


def reserve_words(method: Method) -> str:
    """ ", plus 256 MiB for logs"; "" of a load that writes nothing else."""
    logs = method.reserve_bytes
    return f", plus {format_size(logs)} for logs" if logs else ""


def planned_room(study: Study, size_bytes: int) -> Room:
    """What is known of the room before any system is made: no more than the storage."""
    return Room(
        size_bytes,
        least="",
        chunks=chunks_of(study),
        hints=hints_of(study),
        in_folders=study.storage.kind == "path",
        speed=speed_on(study),
        is_served=is_served(study),
        copying=next((each.name for each in study.systems if each.kind in COPY_ON_WRITE), ""),
    )


def speed_on(study: Study, speed: Speed = EXPECTED) -> Speed:
    """What is assumed of the study's storage: no more than the study limits it to."""
    storage = study.storage
    if not isinstance(storage, LoopStorage):
        return speed
    bandwidth, iops, latency = storage.bandwidth, storage.iops, storage.latency
    return replace(
        speed,
        bytes_per_second=min(speed.bytes_per_second, int(bandwidth or speed.bytes_per_second)),
        operations_per_second=min(speed.operations_per_second, iops or math.inf),
        latency_seconds=max(speed.latency_seconds, (latency or 0) / 1e9),
    )


def chunks_of(study: Study) -> tuple[int | None, ...]:
    """The allocation chunks of a block's turns; the baseline has two."""
    return tuple(system.allocation_chunk for system in (*study.systems, study.systems[0]))


def hints_of(study: Study) -> tuple[int, ...]:
    hints = (system.extent_size_hint for system in study.systems)
    return tuple(hint for hint in hints if hint is not None)
