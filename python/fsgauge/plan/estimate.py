"""What a study will take: seconds, and bytes written. Estimates, before anything is measured.

The storage is not known yet, so its speed is assumed, and generously where bytes are counted: the
real number of bytes written is hardly ever larger. What the study itself says is used as it is. So
is preconditioning: its seconds, bytes, and how much of a flash device's life it takes.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from functools import partial

from fsgauge.plan.around import HERE, Around
from fsgauge.plan.curve import curve_of, planned_cells
from fsgauge.plan.space import layout_bytes, planned_room, speed_on
from fsgauge.record.preconditioning import MOST_ROUNDS, PASSES, ROUNDS
from fsgauge.record.records import Cell
from fsgauge.study.access import AccessKeys
from fsgauge.study.model import Study, System
from fsgauge.study.reached import accesses_of, is_beside_path
from fsgauge.study.storage import is_preconditioned
from fsgauge.study.workload import cells_of
from fsgauge.units import figure, format_duration, format_size
from fsgauge.workload import Method, method_of
from fsgauge.workload.assumed import EXPECTED, FASTEST, Speed

TURN_SECONDS = 0.5
"""mkfs, mount, unmount and what surrounds them."""
RUN_SECONDS = 0.15
"""Around each run: dropping caches, starting the engine, its measurement of itself."""

SLICE_SECONDS = 0.07
"""Around each slice: starting the engine, its measurement of itself."""
SCAN_SECONDS = 0.3
"""A sync and a scan of a system that holds a study's files."""


def turn_seconds(
    study: Study,
    size_bytes: int,
    access: AccessKeys,
    speed: Speed = EXPECTED,
    around: Around = HERE,
    cells: Sequence[Cell] | None = None,
) -> float:
    """One system, made afresh for each stage, filled, and measured in every cell."""
    speed = around.limited(speed_on(study, speed))
    method, space = _method_at(study, size_bytes, access), layout_bytes(study, size_bytes)
    cells = planned_cells(study) if cells is None else cells
    made = sum(len(group) for group in method.stages(cells))
    runs = [method.run_seconds(cell, space, speed) for cell in cells]
    before = rounds(study, speed) * [method.round_of(cell, space, speed)[0] for cell in cells]
    filling = filled_bytes(study, method, space) / speed.bytes_per_second
    scans = 2 * SCAN_SECONDS if study.workload.scan else 0.0
    starts = (len(runs) + sum(map(bool, before))) * (RUN_SECONDS + around.run_seconds)
    made_afresh = made * (TURN_SECONDS + around.turn_seconds)
    return made_afresh + filling + sum(runs) + sum(before) + starts + scans


def block_seconds(
    study: Study,
    size_bytes: int,
    speed: Speed = EXPECTED,
    *,
    side_by_side: bool = False,
    around: Around = HERE,
    cells: Sequence[Cell] | None = None,
) -> float:
    """All turns of a block; `cells` in place of those of the plan."""
    sliced = turns_of_block(study) * _slicing_seconds(study) if side_by_side else 0.0
    return sliced + sum(
        count * turn_seconds(study, size_bytes, access, speed, around, cells)
        for access, count in _turns_by_access(study).items()
    )


def plan_seconds(
    study: Study,
    size_bytes: int,
    blocks: float,
    side_by_side: bool,
    around: Around = HERE,
    speed: Speed = EXPECTED,
) -> float:
    """So many blocks, of a curve the first one unpaced, and what is done once before them."""
    of_block = partial(
        block_seconds, study, size_bytes, speed, side_by_side=side_by_side, around=around
    )
    storage_seconds = storage_written_bytes(study, size_bytes) / speed.bytes_per_second
    once = around.before_seconds + storage_seconds
    if curve_of(study) is None:
        return once + blocks * of_block()
    return once + (blocks - 1) * of_block() + of_block(cells=cells_of(study.workload))


def under_load_share(
    study: Study, size_bytes: int, *, side_by_side: bool = False, around: Around = HERE
) -> float:
    """How much of a block's time the load runs, warm-up included, at the speed that is assumed."""
    space, cells = layout_bytes(study, size_bytes), planned_cells(study)
    loads, speed = 0.0, around.limited(speed_on(study))
    for access, count in _turns_by_access(study).items():
        method = _method_at(study, size_bytes, access)
        loads += count * sum(method.run_seconds(cell, space, speed) for cell in cells)
    return loads / block_seconds(study, size_bytes, side_by_side=side_by_side, around=around)


def _turns_by_access(study: Study) -> Counter[AccessKeys]:
    accesses = accesses_of(study)
    return Counter([*accesses, accesses[0], *[AccessKeys()] * len(_beside_path(study))])


def _method_at(study: Study, size_bytes: int, access: AccessKeys) -> Method:
    method = method_of(study.workload).reached_by((access,))
    return method.in_room(planned_room(study, size_bytes))


def _slicing_seconds(study: Study) -> float:
    """The engine's further starts in one turn whose runs are cut into slices."""
    method = method_of(study.workload)
    slicings = [method.slicing(cell) for cell in planned_cells(study)]
    return SLICE_SECONDS * sum(each.count for each in slicings if not each.is_whole)


def turns_of_block(study: Study) -> int:
    """Every system's, the baseline's second one, and those over paths beside a server."""
    return len(study.systems) + len(_beside_path(study)) + 1


def _beside_path(study: Study) -> list[System]:
    return [system for system in study.systems if is_beside_path(study, system)]


def turn_written_bytes(study: Study, size_bytes: int, around: Around = HERE) -> int:
    """The filling and the writes of every cell of one turn."""
    speed = around.limited(speed_on(study))
    method = method_of(study.workload).in_room(planned_room(study, size_bytes))
    space = layout_bytes(study, size_bytes)
    times = MOST_ROUNDS * is_preconditioned(study.storage)
    written = 0.0
    for cell in planned_cells(study):
        most = _most_bytes(method, cell, space, speed)
        written += min(method.written_bytes(cell, space), most)
        written += times * min(method.round_of(cell, space)[1], most)
    return filled_bytes(study, method, space) + int(written)


def _most_bytes(method: Method, cell: Cell, space_bytes: int, speed: Speed) -> float:
    """What limited storage takes in a run, also by its operations where all have one size."""
    rate = float(speed.bytes_per_second)
    block_bytes = cell.factors.get("block_size_bytes")
    if isinstance(block_bytes, int):
        rate = min(rate, speed.operations_per_second * block_bytes)
    if rate >= EXPECTED.bytes_per_second:
        return math.inf
    return rate * method.run_seconds(cell, space_bytes, speed)


def filled_bytes(study: Study, method: Method, space_bytes: int) -> int:
    """What a turn writes before its first cell: all of the space, unless its files have a size of
    their own, which more room does not change."""
    if not method_of(study.workload).lays_out:
        return space_bytes
    room_bytes = space_bytes // method.files
    size_bytes = method.file_size_bytes(room_bytes)
    is_fixed = method.file_size_bytes(2 * room_bytes) == size_bytes
    return method.files * size_bytes if is_fixed else space_bytes


EXPECTED_ROUNDS = 10
_DAY_SECONDS = 24 * 3600.0


def storage_written_bytes(study: Study, size_bytes: int) -> int:
    return PASSES * size_bytes if is_preconditioned(study.storage) else 0


def rounds(study: Study, speed: Speed = EXPECTED) -> int:
    """Rounds of a cell's own load before each run."""
    if not is_preconditioned(study.storage):
        return 0
    if speed == FASTEST:
        return ROUNDS
    return EXPECTED_ROUNDS if speed == EXPECTED else MOST_ROUNDS


def endurance(
    study: Study, size_bytes: int, written_bytes: int, seconds: float, longest_seconds: float
) -> str:
    """What the plan takes of the device's endurance; "" where it is not preconditioned."""
    if not is_preconditioned(study.storage) or size_bytes == 0:
        return ""
    writes = written_bytes / size_bytes
    days = seconds / _DAY_SECONDS
    rate = f", at a rate of {figure(writes / days)} drive writes a day" if days > 0 else ""
    return (
        f"up to {figure(written_bytes / 1e12)} TB written, {figure(writes)} times the"
        f" {format_size(size_bytes)} of the device, in {format_duration(int(seconds * 1e9))}"
        f" ({format_duration(int(longest_seconds * 1e9))} where every cell needs"
        f" {MOST_ROUNDS} rounds){rate}"
    )
