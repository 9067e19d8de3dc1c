"""Scan, age, scan: the same for an image and for a folder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from fsgauge.age.target import require_still
from fsgauge.engine import wire
from fsgauge.engine.client import Engine
from fsgauge.errors import InputError, Interrupted
from fsgauge.plain_files.kept import Kept
from fsgauge.progress.scan_and_age import StageProgress

_MAP_ORDER = 8
_WORST_FILES = 10


@dataclass(frozen=True)
class Order:
    """What is replayed, and how; None: all the space there is, syncs as the mode has them."""

    profile: wire.AgeProfile
    mode: wire.AgeMode
    fill_percent: float
    end: wire.AgeEnd
    time_limit_ns: int
    seed: int
    space_bytes: int | None = None
    sync_every_bytes: int | None = None


@dataclass(frozen=True)
class Worn:
    before: wire.ScanResult
    result: wire.AgeResult
    after: wire.ScanResult


def wear(engine: Engine, directory: str, order: Order, progress: StageProgress) -> Worn:
    """Age `directory`; Interrupted while there is nothing to keep. Ctrl-C stops no last scan."""
    before = None
    if not progress.asked:
        progress.stage("scanning before")
        before = _scan(engine, directory, progress)
    if before is None or progress.asked:
        raise Interrupted("stopped before ageing began", cause="nothing is kept")
    require_still(directory, order.space_bytes, order.fill_percent)
    progress.stage("ageing")
    job = wire.AgeJob(directory=directory, **vars(order))
    result = engine.age(job, progress.event, progress.stoppable)
    progress.stage("scanning after")
    return Worn(before, result, _scan(engine, directory, progress))


def _scan(engine: Engine, directory: str, progress: StageProgress) -> wire.ScanResult:
    job = wire.ScanJob(path=directory, top=_WORST_FILES, map_order=_MAP_ORDER)
    return engine.scan(job, progress.event, None if progress.asked else progress.stoppable)


SMALL_BYTES = 512 << 20
Wear = Callable[[Order], Worn]


class Fidelity(Kept):
    """Distances from mode `write`, 0 to 1: of this mode, of `write` itself with the same log (the
    floor), and of `write` with the other seed; None: nothing to compare, or not measured.
    """

    mode: wire.AgeMode
    size_bytes: int
    seeds: tuple[int, int]
    extent_length_distance: float | None
    extent_length_floor: float | None
    extent_length_other_seed: float | None
    free_length_distance: float | None
    free_length_floor: float | None
    free_length_other_seed: float | None


def measure_fidelity(order: Order, size_bytes: int, wear: Wear) -> Fidelity | str:
    """Age in this mode, twice in `write` and once with the next seed; or why that failed."""
    written = replace(order, mode="write")
    other_seed = replace(written, seed=order.seed + 1)
    layouts: list[wire.ScanResult] = []
    for each in (order, written, written, other_seed):
        try:
            worn = wear(each)
        except InputError as error:
            return f"on the small image: {error.what}"
        if worn.result.ended != "complete":
            return f"on the small image mode {each.mode} did not complete"
        layouts.append(worn.after)
    this, reference, again, other = layouts
    return Fidelity(
        mode=order.mode,
        size_bytes=size_bytes,
        seeds=(order.seed, order.seed + 1),
        extent_length_distance=distance(this.extent_lengths, reference.extent_lengths),
        extent_length_floor=distance(again.extent_lengths, reference.extent_lengths),
        extent_length_other_seed=distance(other.extent_lengths, reference.extent_lengths),
        free_length_distance=distance(_free(this), _free(reference)),
        free_length_floor=distance(_free(again), _free(reference)),
        free_length_other_seed=distance(_free(other), _free(reference)),
    )


def distance(first: Sequence[wire.LengthBin], second: Sequence[wire.LengthBin]) -> float | None:
    """Largest difference between the cumulative shares of bytes; None where one has no bytes."""
    one, two = _bytes_by_length(first), _bytes_by_length(second)
    all_one, all_two = sum(one.values()), sum(two.values())
    if not all_one or not all_two:
        return None
    below_one = below_two = 0
    largest = 0.0
    for length in sorted({*one, *two}):
        below_one += one.get(length, 0)
        below_two += two.get(length, 0)
        largest = max(largest, abs(below_one / all_one - below_two / all_two))
    return largest


def _bytes_by_length(bins: Sequence[wire.LengthBin]) -> dict[int, int]:
    return {each.at_least_bytes: each.size_bytes for each in bins}


def _free(scan: wire.ScanResult) -> Sequence[wire.LengthBin]:
    return scan.free.lengths if scan.free is not None else []
