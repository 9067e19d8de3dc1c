"""Records of writers studies that never ran, with planted laws of scaling.

`make_writers(...)` gives a `SyntheticStudy` like `tests.synthetic.make_study`: cells with several
numbers of writers, runs bound by passes, in which each writer ends at its own time.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from fsgauge.engine import wire
from fsgauge.kinds.writers.factors import WritersFactors
from fsgauge.record.records import Cell, RunRecord, Turn, TurnRecord
from tests.synthetic import SyntheticStudy, histogram_of, make_study
from tests.synthetic.load import load_result, own_times, recorded

RANGES: Mapping[str, wire.Ranges] = {
    "shared": wire.SharedRanges(),
    "segmented": wire.SegmentedRanges(),
    "interleaved": wire.InterleavedRanges(),
}
PASS_OPERATIONS = 40_000
LAWS: Mapping[str, tuple[float, float, float]] = {
    "raw": (22_000.0, 0.04, 0.0),
    "ext4": (20_000.0, 0.95, 0.0),
    "xfs": (21_000.0, 0.45, 0.001),
}
"""system -> rate of one writer, contention, coherency."""


def law(rate: float, contention: float, coherency: float, writers: int) -> float:
    """Operations per second of all writers."""
    n = writers
    return rate * n / (1 + contention * (n - 1) + coherency * n * (n - 1))


@dataclass
class WritersRecipe:
    """What to make; noise is the deviation of a run's log rate, block_noise that of a block's."""

    systems: Mapping[str, str] = field(default_factory=lambda: {name: name for name in LAWS})
    writers: Sequence[int] = (1, 2)
    ranges: Sequence[str] = ("shared",)
    direct: Sequence[bool] = (True,)
    blocks: int = 8
    seed: int = 20261122
    noise: float = 0.02
    block_noise: float = 0.02
    rate: Callable[[str, int], float] = lambda system, writers: law(*LAWS[system], writers)
    slowest: Callable[[Turn, Cell], float] = lambda turn, cell: 0.95
    integrity: Callable[[Turn, Cell], wire.IntegrityResult | None] = lambda turn, cell: None
    companions: Sequence[wire.Companion] = ()
    sync: str = "none"
    limits: bool = True
    limits_stride: int | None = None
    layout_rate: Mapping[str, float] = field(default_factory=dict)


def make_writers(**changes: Any) -> SyntheticStudy:
    """The records of one writers study; the records of an overhead study give the rest."""
    recipe = WritersRecipe(**changes)
    chance = random.Random(recipe.seed)
    frame = make_study(
        systems=recipe.systems,
        patterns=("write",),
        block_sizes=(8192,),
        queue_depths=(1,),
        blocks=recipe.blocks,
        seed=recipe.seed,
    )
    cells = [
        _cell(recipe, writers, ranges, direct)
        for ranges in recipe.ranges
        for direct in recipe.direct
        for writers in recipe.writers
    ]
    asked = {"writers": list(recipe.writers), "passes": 1, "sync": recipe.sync}
    made = frame.of_kind("writers", cells, asked)
    shifts = [chance.gauss(0, recipe.block_noise) for _ in range(recipe.blocks)]
    runs = [
        _run(recipe, chance, turn, position, cell, shifts[turn.block])
        for turn in made.study.plan.turns
        for position, cell in enumerate(cells)
    ]
    return replace(made, turns=[_laid_out(recipe, turn) for turn in frame.turns], runs=runs)


def broken(**counts: int) -> wire.IntegrityResult:
    """What reading back found: `broken(torn=2)`."""
    kinds = {f"{kind}_blocks": counts.get(kind, 0) for kind in _KINDS}
    faulty = [
        {"fault": kind, "file": 0, "offset_bytes": 8192 * at, "first_byte": 512, "detail": "..."}
        for kind, number in counts.items()
        for at in range(number)
    ]
    fields = {"checked_blocks": 1000, "elapsed_ns": 10**9, "faulty": faulty, **kinds}
    return wire.IntegrityResult.model_validate(fields)


_KINDS = ("corrupt", "torn", "foreign", "stale", "lost")


def _cell(recipe: WritersRecipe, writers: int, ranges: str, direct: bool) -> Cell:
    several = [ranges] if len(recipe.ranges) > 1 else []
    several += ["direct" if direct else "buffered"] if len(recipe.direct) > 1 else []
    factors = WritersFactors.model_validate(
        {
            "pattern": "write",
            "block_size_bytes": 8192,
            "writers": writers,
            "queue_depth": 1,
            "interface": "psync",
            "ranges": ranges.replace("_", " "),
            "access": "direct" if direct else "buffered",
            "allocation": "overwrite",
        }
    )
    return factors.cell(
        id="-".join([f"write-8KiB-writers{writers}", *several]),
        name=", ".join([f"write 8 KiB, {factors.at_once_words}", *several]),
    )


def _laid_out(recipe: WritersRecipe, turn: TurnRecord) -> TurnRecord:
    rate = recipe.layout_rate.get(turn.system)
    if rate is None:
        return turn
    elapsed_ns = round(turn.layout.size_bytes * 1e9 / rate)
    return turn.model_copy(
        update={"layout": turn.layout.model_copy(update={"elapsed_ns": elapsed_ns})}
    )


def _run(
    recipe: WritersRecipe,
    chance: random.Random,
    turn: Turn,
    position: int,
    cell: Cell,
    shift: float,
) -> RunRecord:
    rate = recipe.rate(turn.system, WritersFactors.of(cell).writers) * math.exp(
        shift + chance.gauss(0, recipe.noise)
    )
    return recorded(turn, position, cell, _job(recipe, cell), _result(recipe, turn, cell, rate))


def _job(recipe: WritersRecipe, cell: Cell) -> wire.LoadJob:
    return wire.LoadJob(
        target=wire.FileTarget(path="/run/fsgauge/mnt/file", size_bytes=PASS_OPERATIONS * 8192),
        interface="psync",
        direct=WritersFactors.of(cell).access == "direct",
        access=wire.SequentialAccess(),
        read_percent=0,
        block_sizes=[wire.BlockSize(size_bytes=8192)],
        queue_depth=1,
        jobs=WritersFactors.of(cell).writers,
        warm_up_ns=0,
        duration_ns=3600 * 10**9,
        seed=recipe.seed,
        ranges=RANGES.get(WritersFactors.of(cell).ranges, wire.SharedRanges()),
        passes=1,
        workers="processes",
        verify=True,
        companions=list(recipe.companions),
        measure_limits=recipe.limits,
        limits_stride_bytes=recipe.limits_stride,
    )


def _result(recipe: WritersRecipe, turn: Turn, cell: Cell, rate: float) -> wire.LoadResult:
    """The last writer ends with the run; the others are as much faster as `slowest` asks."""
    operations = WritersFactors.of(cell).writers * PASS_OPERATIONS
    elapsed_ns = round(operations * 1e9 / rate)
    own_ns = own_times(recipe.slowest(turn, cell), WritersFactors.of(cell).writers, elapsed_ns)
    mean_ns = sum(own_ns) / operations
    body = {round(0.8 * mean_ns): operations // 2, round(1.2 * mean_ns): operations // 2}
    write = wire.OperationResult(
        operations=operations,
        size_bytes=operations * 8192,
        errors=0,
        service_latency=histogram_of(body),
        backlog_dropped=0,
    )
    return load_result(
        interface="psync",
        ended="size_limit",
        elapsed_ns=elapsed_ns,
        write=write,
        jobs=[
            wire.JobShare(
                operations=PASS_OPERATIONS, size_bytes=PASS_OPERATIONS * 8192, elapsed_ns=each
            )
            for each in own_ns
        ],
        in_flight_mean=sum(own_ns) / elapsed_ns,
        cpu=wire.ProcessorTime(
            user_ns=operations * 600,
            system_ns=operations * 2400,
            threads=WritersFactors.of(cell).writers,
        ),
        machine_cpu=wire.MachineProcessorTime(busy_ns=operations * 4000, total_ns=2 * elapsed_ns),
        companions=[_companion(each, elapsed_ns) for each in recipe.companions],
        integrity=recipe.integrity(turn, cell),
        limits=wire.Limits(
            null_operations_per_second=4e6 * WritersFactors.of(cell).writers,
            memory_operations_per_second=6e5 * WritersFactors.of(cell).writers,
            memory_touched_operations_per_second=6e4 * WritersFactors.of(cell).writers,
            memory_stride_operations_per_second=3e5 * WritersFactors.of(cell).writers
            if recipe.limits_stride
            else None,
        )
        if recipe.limits
        else None,
    )


def _companion(companion: wire.Companion, elapsed_ns: int) -> wire.CompanionResult:
    operations = round(300 * companion.count * elapsed_ns / 1e9) // 2 * 2
    return wire.CompanionResult(
        role=companion.role,
        count=companion.count,
        operations=operations,
        size_bytes=operations * companion.block_size_bytes,
        latency=histogram_of({100_000: operations // 2, 200_000: operations // 2}),
    )
