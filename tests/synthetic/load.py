"""The job and the result of one run.

Rates come from a simple device: a latency per operation plus a transfer time, until the queue
saturates it; each system multiplies the rate. Latencies are lognormal around the mean that
Little's law asks for, so honest runs pass every check.
"""

from __future__ import annotations

import math
import random
from typing import Any

from fsgauge.engine import wire
from fsgauge.kinds.overhead.factors import OverheadFactors
from fsgauge.record.parts import in_one
from fsgauge.record.records import Cell, RunRecord, Turn
from tests.synthetic.engine import ENGINE
from tests.synthetic.histogram import lognormal
from tests.synthetic.recipe import Recipe
from tests.synthetic.setting import MACHINE, target_of


def device_rate(cell: Cell) -> float:
    """Operations per second of a plausible solid state disk."""
    factors = OverheadFactors.of(cell)
    latency_s = 80e-6 if factors.read_percent >= 50 else 25e-6
    transfer_s = factors.block_size_bytes / 3e9
    alone = factors.queue_depth / (latency_s + transfer_s)
    ceiling = min(
        220e3 if factors.read_percent >= 50 else 160e3,
        3e9 / factors.block_size_bytes,
    )
    return 1 / (1 / alone**4 + 1 / ceiling**4) ** 0.25


def run_record(
    recipe: Recipe, chance: random.Random, turn: Turn, position: int, cell: Cell, shift: float
) -> RunRecord:
    job = _job(recipe, turn.system, cell)
    fault = recipe.faults(turn, cell)
    result = None if fault else _result(recipe, chance, turn, cell, shift)
    failed = wire.EngineFault(
        what="read of 4096 B at 1048576 failed: Input/output error",
        cause="the device reported an error",
        next="dmesg | tail",
        errno=5,
        code="io.error",
    )
    return recorded(turn, position, cell, job, result, failed if fault else None)


def load_result(**fields: Any) -> wire.LoadResult:
    """What an honest engine says; without a warm-up and a series where they are not given."""
    usual: dict[str, Any] = {
        "format": 1,
        "kind": "load",
        "engine": ENGINE,
        "notes": [],
        "started_unix_ns": 1_795_000_000 * 10**9,
        "warm_up_ns": 0,
        "intervals": [],
        "self_measure": wire.SelfMeasure(
            null_ns_per_operation=74.0, clock_ns_per_read=21.0, clock="tsc", stamps="operation"
        ),
    }
    return wire.LoadResult(**usual | fields)


def own_times(slowest: float, sharing: int, elapsed_ns: int, spread: float = 0.0) -> list[int]:
    """Times of jobs with equal work, so that the slowest has this share of the mean rate.

    With the slowest's rate 1 and the others' r on average: 1 / mean = sharing / (1 + (sharing - 1)
    r). The others lie evenly within `spread` around r.
    """
    if sharing == 1:
        return [elapsed_ns]
    others = (sharing / slowest - 1) / (sharing - 1)
    apart = [2 * spread * (at + 0.5) / (sharing - 1) - spread for at in range(sharing - 1)]
    return [elapsed_ns, *(round(elapsed_ns / (others * (1 + each))) for each in apart)]


def recorded(
    turn: Turn,
    position: int,
    cell: Cell,
    job: wire.LoadJob | wire.ClientsJob,
    result: wire.LoadResult | None,
    fault: wire.EngineFault | None = None,
) -> RunRecord:
    """The record of one cell in a turn."""
    return RunRecord(
        block=turn.block,
        turn=turn.turn,
        position=position,
        system=turn.system,
        again=turn.again,
        cell=cell,
        job=job,
        caches="synced; page cache, dentries and inodes dropped",
        parts=in_one(MACHINE, result),
        fault=fault,
        started_unix_ns=1_795_000_000 * 10**9 + turn.turn * 10**12,
    )


def _job(recipe: Recipe, system: str, cell: Cell) -> wire.LoadJob:
    factors = OverheadFactors.of(cell)
    rate = None
    if recipe.rate is not None:
        rate = wire.Rate(operations_per_second=recipe.rate, arrival="exponential")
    return wire.LoadJob(
        target=target_of(recipe, system),
        interface=factors.interface,
        direct=True,
        access=wire.RandomAccess(),
        read_percent=factors.read_percent,
        block_sizes=[wire.BlockSize(size_bytes=factors.block_size_bytes)],
        queue_depth=factors.queue_depth,
        jobs=1,
        rate=rate,
        warm_up_ns=recipe.warm_up_s * 10**9,
        duration_ns=recipe.duration_s * 10**9,
        seed=recipe.seed,
    )


def _result(
    recipe: Recipe, chance: random.Random, turn: Turn, cell: Cell, shift: float
) -> wire.LoadResult:
    factors = OverheadFactors.of(cell)
    effect = recipe.effect(turn.system, cell)
    capacity = device_rate(cell) * effect * math.exp(chance.gauss(0, recipe.noise) + shift)
    rate = capacity if recipe.rate is None else min(capacity, recipe.rate)
    elapsed_ns = recipe.duration_s * 10**9
    operations = int(rate * recipe.duration_s)
    latency_ns = factors.queue_depth / capacity * 1e9
    read_operations = round(operations * factors.read_percent / 100)
    read = _operations(recipe, chance, read_operations, cell, latency_ns)
    write = _operations(recipe, chance, operations - read_operations, cell, latency_ns)
    in_flight = sum(part.service_latency.sum_ns for part in (read, write) if part) / elapsed_ns
    cpu_ns = {"raw": 2400, "ext4": 3100, "xfs": 2900, "btrfs": 6200}.get(turn.system, 3000)
    cpu = operations * cpu_ns * math.exp(chance.gauss(0, 0.01))
    size_bytes = operations * factors.block_size_bytes
    unsteady = recipe.unsteady(turn, cell)
    wobble = recipe.wobble(turn.system, cell)
    return load_result(
        engine=ENGINE.model_copy(update={"profile": recipe.profile}),
        interface=factors.interface,
        ended="duration",
        warm_up_ns=recipe.warm_up_s * 10**9,
        elapsed_ns=elapsed_ns,
        read=read,
        write=write,
        jobs=[wire.JobShare(operations=operations, size_bytes=size_bytes)],
        in_flight_mean=in_flight,
        cpu=wire.ProcessorTime(user_ns=int(cpu * 0.2), system_ns=int(cpu * 0.8), threads=1),
        machine_cpu=wire.MachineProcessorTime(busy_ns=int(cpu * 1.3), total_ns=2 * elapsed_ns),
        intervals=_intervals(recipe, chance, cell, rate, latency_ns, unsteady, wobble),
    )


def _operations(
    recipe: Recipe, chance: random.Random, operations: int, cell: Cell, mean_ns: float
) -> wire.OperationResult | None:
    factors = OverheadFactors.of(cell)
    if operations == 0:
        return None
    histogram = lognormal(operations, mean_ns, 0.35 * math.exp(chance.gauss(0, recipe.noise)))
    return wire.OperationResult(
        operations=operations,
        size_bytes=operations * factors.block_size_bytes,
        errors=0,
        service_latency=histogram,
        response_latency=None if recipe.rate is None else histogram,
        backlog_dropped=0,
    )


def _intervals(
    recipe: Recipe,
    chance: random.Random,
    cell: Cell,
    rate: float,
    latency_ns: float,
    unsteady: bool,
    wobble: float,
) -> list[wire.Interval]:
    factors = OverheadFactors.of(cell)
    intervals = []
    for second in range(recipe.warm_up_s + recipe.duration_s):
        warm_up = second < recipe.warm_up_s
        factor = (1.25 if warm_up else 1.0) * math.exp(chance.gauss(0, wobble))
        if unsteady:
            factor *= 1.6 - 0.1 * second
        operations = int(rate * factor)
        reads = round(operations * factors.read_percent / 100)
        intervals.append(
            wire.Interval(
                start_ns=second * 10**9,
                elapsed_ns=10**9,
                warm_up=warm_up,
                read=_count(reads, factors.block_size_bytes, latency_ns),
                write=_count(operations - reads, factors.block_size_bytes, latency_ns),
            )
        )
    return intervals


def _count(operations: int, block_bytes: int, latency_ns: float) -> wire.IntervalCount:
    return wire.IntervalCount(
        operations=operations,
        size_bytes=operations * block_bytes,
        latency_sum_ns=int(operations * latency_ns),
    )
