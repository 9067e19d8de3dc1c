"""How large the region is that ages, and its files: a share of what is there, or by a rate.

By a rate, as published: what a nominal rate writes in a time has to fit into what is free when the
region is so full. The region follows from that, and each file is an equal part of it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from fsgauge.errors import InputError
from fsgauge.kinds.aging.keys import MOST_FILLED_PERCENT, AgingWorkload
from fsgauge.units import exact_bandwidth, exact_duration, format_size
from fsgauge.workload.assumed import Room


@dataclass(frozen=True)
class Sizing:
    """What keys ask of the region, in bytes: `data` is free at the full level, `region` holds it.
    `file` is the least that each file must have; files are whole pieces, so they may have more."""

    data_bytes: int
    region_bytes: int
    file_bytes: int


def sizing_of(workload: AgingWorkload) -> Sizing | None:
    """What a nominal rate asks for; None where `fill` sizes the region."""
    if workload.nominal_rate is None:
        return None
    data_bytes = math.ceil(workload.nominal_rate * workload.nominal_time / 1e9)
    region_bytes = -(-data_bytes * 100 // (100 - workload.full_level))
    return Sizing(data_bytes, region_bytes, -(-region_bytes // workload.files))


def file_size(workload: AgingWorkload, room: Room, unit_bytes: int) -> int:
    """The size of each file, whole pieces of `unit_bytes`: by a rate rounded up, else down. Raises
    InputError where a region by a rate is more than the room holds."""
    sizing = sizing_of(workload)
    if sizing is None:
        largest = share_of(workload, room)
        return largest - largest % unit_bytes
    each = sizing.file_bytes + -sizing.file_bytes % unit_bytes
    needed = each * workload.files
    most = room.free_bytes * MOST_FILLED_PERCENT // 100
    if needed > most:
        raise _too_large(workload, sizing, room, (needed, most - unit_bytes * workload.files))
    return each


def share_of(workload: AgingWorkload, room: Room) -> int:
    """A file's part of what there is, where `fill` sizes the region."""
    return room.free_bytes * workload.fill // 100 // workload.files


def sizing_words(workload: AgingWorkload, file_size_bytes: int) -> str:
    """What was asked for and what came of it, for a plan; "" where `fill` sizes the region."""
    sizing = sizing_of(workload)
    if sizing is None:
        return ""
    free = file_size_bytes * workload.files * (100 - workload.full_level) // 100
    return (
        f"sizing: {_asked(workload, sizing)}, so a region of"
        f" {format_size(sizing.region_bytes)} and {workload.files} files of"
        f" {format_size(sizing.file_bytes)} at least; {format_size(free)} will be free there"
    )


def _asked(workload: AgingWorkload, sizing: Sizing) -> str:
    """ "625 MB/s for 5 min are 175 GiB, free at 90 % full"."""
    rate = exact_bandwidth(workload.nominal_rate or 0.0)
    time = exact_duration(workload.nominal_time)
    data = format_size(sizing.data_bytes)
    return f"{rate} for {time} are {data}, free at {workload.full_level} % full"


def _too_large(
    workload: AgingWorkload, sizing: Sizing, room: Room, needed_and_fitting: tuple[int, int]
) -> InputError:
    """With the longest time that fits: its files, rounded up to whole pieces, fit as well."""
    needed_bytes, fitting_bytes = needed_and_fitting
    where = f'"{room.least}" leaves' if room.least else "the storage has"
    data_bytes = max(fitting_bytes, 0) * (100 - workload.full_level) // 100
    seconds = int(data_bytes / (workload.nominal_rate or 1.0))
    most_bytes = room.free_bytes * MOST_FILLED_PERCENT // 100
    shorter = f", or --set workload.nominal_time={seconds}s" if seconds else ""
    storage = -(-needed_bytes * 100 // MOST_FILLED_PERCENT)
    return InputError(
        f"a region of {format_size(needed_bytes)} does not fit: {_asked(workload, sizing)}",
        cause=f"{where} {format_size(room.free_bytes)}, of which a region may take"
        f" {MOST_FILLED_PERCENT} %, {format_size(most_bytes)}",
        next=f"room for {format_size(storage)}{shorter}",
    )
