"""What a study will take: seconds, and bytes written. Estimates, before anything is measured.

The storage is not known yet, so its speed is assumed, and generously where bytes are counted: the
real number of bytes written is hardly ever larger. What the study itself says is used as it is.
"""

from __future__ import annotations

from fsgauge.record import Cell
from fsgauge.study.cells import cells_of
from fsgauge.study.model import Study

ASSUMED_BANDWIDTH_BYTES_PER_SECOND = 800 << 20
FASTEST_FILLING_BYTES_PER_SECOND = 2 << 30
SLOWEST_FILLING_BYTES_PER_SECOND = 100 << 20
ASSUMED_LATENCY_SECONDS = 50e-6
TURN_SECONDS = 0.5
"""mkfs, mount, unmount and what surrounds them."""
RUN_SECONDS = 0.15
"""Around each run: dropping caches, starting the engine, its measurement of itself."""


def layout_bytes(study: Study, size_bytes: int) -> int:
    """Bytes that the files of a system fill, or that are used of the raw device."""
    return size_bytes * study.workload.fill // 100


def turn_seconds(
    study: Study,
    size_bytes: int,
    filling_bytes_per_second: int = ASSUMED_BANDWIDTH_BYTES_PER_SECOND,
) -> float:
    """One system made afresh, filled, and measured in every cell."""
    workload = study.workload
    filling = layout_bytes(study, size_bytes) / filling_bytes_per_second
    a_run = (workload.warm_up + workload.duration) / 1e9 + RUN_SECONDS
    return TURN_SECONDS + filling + len(cells_of(workload)) * a_run


def block_seconds(
    study: Study,
    size_bytes: int,
    filling_bytes_per_second: int = ASSUMED_BANDWIDTH_BYTES_PER_SECOND,
) -> float:
    """Every system's turn, and the baseline's second one."""
    return (len(study.systems) + 1) * turn_seconds(study, size_bytes, filling_bytes_per_second)


def turn_written_bytes(study: Study, size_bytes: int) -> int:
    """The filling and the writes of every cell of one turn."""
    load = sum(_cell_written_bytes(study, cell) for cell in cells_of(study.workload))
    return layout_bytes(study, size_bytes) + int(load)


def _cell_written_bytes(study: Study, cell: Cell) -> float:
    seconds = (study.workload.warm_up + study.workload.duration) / 1e9
    in_flight = cell.queue_depth * cell.jobs
    rate = min(
        ASSUMED_BANDWIDTH_BYTES_PER_SECOND / cell.block_size_bytes,
        in_flight / ASSUMED_LATENCY_SECONDS,
        study.workload.rate or float("inf"),
    )
    return rate * seconds * cell.block_size_bytes * (100 - cell.read_percent) / 100
