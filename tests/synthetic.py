"""Records of studies that never ran, with planted effects and plausible values.

`make_study(...)` gives a `SyntheticStudy`; `.write(directory)` stores it as `fsgauge run` would.
Rates come from a simple device: a latency per operation plus a transfer time, until the queue
saturates it; each system multiplies the rate. Latencies are lognormal around the mean that
Little's law asks for, so honest runs pass every check.
"""

from __future__ import annotations

import json
import math
import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from fsgauge.record import (
    Cell,
    EnvironmentRecord,
    Plan,
    RunRecord,
    StorageFacts,
    StudyRecord,
    SystemFacts,
    Turn,
    TurnRecord,
)
from fsgauge.wire import (
    BlockSize,
    BlockTarget,
    Engine,
    EngineFault,
    FilesTarget,
    Histogram,
    Interval,
    IntervalCount,
    JobShare,
    LayoutResult,
    LoadJob,
    LoadResult,
    MachineProcessorTime,
    OperationResult,
    ProcessorTime,
    RandomAccess,
    Rate,
    SelfMeasure,
)

BITS = 6
ENGINE = Engine(
    version="0.1.0", profile="release", target="x86_64-unknown-linux-musl", commit="synthetic"
)
Effect = Callable[[str, Cell], float]
"""(system, cell) -> true rate over the device's; 1.0 costs nothing."""


@dataclass(frozen=True)
class SyntheticStudy:
    study: StudyRecord
    turns: list[TurnRecord]
    runs: list[RunRecord]
    before: EnvironmentRecord
    after: EnvironmentRecord | None
    study_toml: str

    def write(self, directory: Path) -> Path:
        """Store the records in the layout of fsgauge.record."""
        (directory / "records").mkdir(parents=True, exist_ok=True)
        (directory / "study.toml").write_text(self.study_toml, encoding="utf-8")
        (directory / "study.json").write_text(self.study.model_dump_json(), encoding="utf-8")
        environments = {"before": self.before, "after": self.after}
        for when, record in environments.items():
            if record is not None:
                path = directory / f"environment-{when}.json"
                path.write_text(record.model_dump_json(), encoding="utf-8")
        for turn in self.turns:
            folder = directory / "records" / _folder(turn)
            folder.mkdir()
            (folder / "turn.json").write_text(turn.model_dump_json(), encoding="utf-8")
        for run in self.runs:
            folder = directory / "records" / _folder(run)
            path = folder / f"{run.position:02d}-{run.cell.id}.json"
            path.write_text(run.model_dump_json(), encoding="utf-8")
        return directory


@dataclass
class Recipe:
    """What to make; noise is the standard deviation of one run's log rate."""

    systems: Mapping[str, str] = field(
        default_factory=lambda: {"raw": "raw", "ext4": "ext4", "xfs": "xfs"}
    )
    patterns: tuple[str, ...] = ("randread", "randwrite", "randrw")
    block_sizes: tuple[int, ...] = (4096, 16384, 65536, 262144)
    queue_depths: tuple[int, ...] = (1, 32, 64)
    blocks: int = 8
    seed: int = 20261121
    noise: float = 0.02
    drift: float = 0.0
    later_effect: float = 1.0
    effect: Effect = lambda system, cell: default_effect(system, cell)
    rate: float | None = None
    paused_after_runs: int | None = None
    faults: Callable[[Turn, Cell], bool] = lambda turn, cell: False
    unsteady: Callable[[Turn, Cell], bool] = lambda turn, cell: False
    storage_kind: str = "loop"
    question: str = "How much of the raw device do the file systems take away?"
    duration_s: int = 10
    warm_up_s: int = 2
    profile: Literal["release", "debug"] = "release"
    primary: list[str] | None = None


def default_effect(system: str, cell: Cell) -> float:
    """File systems cost at small blocks, more in writes, and nothing from 64 KiB on."""
    cost = {"raw": 0.0, "ext4": 0.06, "xfs": 0.04, "btrfs": 0.28, "f2fs": 0.10}.get(system, 0.02)
    if cell.pattern.endswith("write"):
        cost *= 1.6
    if cell.queue_depth == 1:
        cost *= 1.3
    return 1 - cost * min(1.0, (16384 / cell.block_size_bytes) ** 1.6) * (
        1 if cell.block_size_bytes < 65536 else 0.0
    )


def make_study(recipe: Recipe | None = None, **changes: Any) -> SyntheticStudy:
    """The records of one study."""
    recipe = recipe or Recipe()
    for key, value in changes.items():
        if not hasattr(recipe, key):
            raise TypeError(f"no such ingredient: {key}")
        setattr(recipe, key, value)
    chance = random.Random(recipe.seed)
    plan = _plan(recipe, chance)
    cells = {cell.id: cell for cell in plan.cells}
    turns, runs = [], []
    planned = sum(len(turn.cells) for turn in plan.turns)
    limit = recipe.paused_after_runs or planned
    for index, turn in enumerate(plan.turns):
        if len(runs) >= limit:
            break
        turns.append(_turn_record(recipe, turn))
        shift = recipe.drift * (index / max(len(plan.turns) - 1, 1) - 0.5)
        baseline_turns = [
            t for t in plan.turns if (t.block, t.system) == (turn.block, plan.baseline)
        ]
        if turn == baseline_turns[-1]:
            shift += math.log(recipe.later_effect)
        for position, cell_id in enumerate(turn.cells):
            if len(runs) < limit:
                run = _run(recipe, chance, turn, position, cells[cell_id], shift)
                runs.append(run)
    before = _environment(recipe, 0)
    after = _environment(recipe, 1) if len(runs) == planned else None
    study = StudyRecord(
        fsgauge_version="0.1.0",
        study=_study_document(recipe),
        plan=plan,
        command=["fsgauge", "run", "overhead", "--seed", str(recipe.seed)],
        started_unix_ns=1_795_000_000 * 10**9,
        rig="host",
    )
    return SyntheticStudy(study, turns, runs, before, after, _toml(recipe))


def histogram_of(latencies_ns: Mapping[int, int]) -> Histogram:
    """The histogram that the engine would make of {latency: operations}."""
    counts: dict[int, int] = {}
    for latency, operations in latencies_ns.items():
        index = bucket_index(latency)
        counts[index] = counts.get(index, 0) + operations
    return Histogram(
        sub_bucket_bits=BITS,
        counts=sorted(counts.items()),
        operations=sum(latencies_ns.values()),
        sum_ns=sum(latency * count for latency, count in latencies_ns.items()),
        min_ns=min(latencies_ns, default=0),
        max_ns=max(latencies_ns, default=0),
    )


def bucket_index(value_ns: int) -> int:
    """As in crates/fsgauge-wire/src/histogram.rs."""
    shift = (value_ns | (1 << BITS)).bit_length() - 1 - BITS
    return (shift << BITS) + (value_ns >> shift)


def _folder(record: TurnRecord | RunRecord) -> str:
    slug = re.sub(r"[^A-Za-z0-9]+", "-", record.system)
    return f"{record.block:03d}-{record.turn:02d}-{slug}"


def _plan(recipe: Recipe, chance: random.Random) -> Plan:
    cells = [
        _cell(pattern, size, depth)
        for pattern in recipe.patterns
        for size in recipe.block_sizes
        for depth in recipe.queue_depths
    ]
    baseline = next(iter(recipe.systems))
    turns = []
    for block in range(recipe.blocks):
        order = [*recipe.systems, baseline]
        chance.shuffle(order)
        cell_order = [cell.id for cell in cells]
        chance.shuffle(cell_order)
        twin_comes_first = chance.random() < 0.5
        left = [twin_comes_first, not twin_comes_first]
        for turn, system in enumerate(order):
            again = left.pop(0) if system == baseline else False
            turns.append(Turn(block=block, turn=turn, system=system, again=again, cells=cell_order))
    primary = recipe.primary
    if primary is None:
        deepest = recipe.queue_depths[len(recipe.queue_depths) // 2]
        primary = [
            _cell(pattern, recipe.block_sizes[0], depth).id
            for pattern in recipe.patterns
            for depth in sorted({deepest, recipe.queue_depths[0]}, reverse=True)
        ]
    return Plan(
        study="overhead",
        seed=recipe.seed,
        baseline=baseline,
        systems=list(recipe.systems),
        primary=primary,
        cells=cells,
        turns=turns,
        expected_seconds=len(turns) * len(cells) * (recipe.duration_s + recipe.warm_up_s + 1.0),
        expected_written_bytes=96 << 30,
    )


def _cell(pattern: str, size: int, depth: int) -> Cell:
    read_percent = 70 if pattern.endswith("rw") else 0 if pattern.endswith("write") else 100
    return Cell(
        id=f"{pattern}-{size // 1024}KiB-depth{depth}",
        name=f"{pattern} {size // 1024} KiB, depth {depth}",
        pattern=pattern,
        read_percent=read_percent,
        block_size_bytes=size,
        queue_depth=depth,
        jobs=1,
        interface="psync" if depth == 1 else "io_uring",
    )


def _target(recipe: Recipe, system: str) -> BlockTarget | FilesTarget:
    if recipe.systems[system] == "raw":
        return BlockTarget(path="/dev/loop0", size_bytes=7 << 30)
    return FilesTarget(directory="/run/fsgauge/mnt", count=16, file_size_bytes=448 << 20)


_MOUNT_OPTIONS = {
    "ext4": "rw,noatime",
    "xfs": "rw,noatime,attr2,inode64,logbufs=8,logbsize=32k,noquota",
    "btrfs": "rw,noatime,ssd,discard=async,space_cache=v2,subvolid=5,subvol=/",
}


def _turn_record(recipe: Recipe, turn: Turn) -> TurnRecord:
    kind = recipe.systems[turn.system]
    raw = kind == "raw"
    facts = SystemFacts(
        kind=kind,
        mkfs_command=[] if raw else [f"mkfs.{kind}", "-q", "/dev/loop0"],
        mkfs_output="",
        mount_source="/dev/loop0",
        mount_options="" if raw else _MOUNT_OPTIONS.get(kind, "rw,noatime"),
        tunables={},
        size_bytes=8 << 30,
        free_bytes=None if raw else int((7.8 if kind == "ext4" else 7.95) * 2**30),
        block_size_bytes=None if raw else 4096,
    )
    layout = LayoutResult(
        format=1,
        kind="layout",
        engine=ENGINE,
        files=1 if raw else 16,
        size_bytes=7 << 30,
        elapsed_ns=9 * 10**9,
        fsync_ns=10**8,
        notes=[],
        ended="size_limit",
    )
    return TurnRecord(
        block=turn.block,
        turn=turn.turn,
        system=turn.system,
        again=turn.again,
        facts=facts,
        target=_target(recipe, turn.system).model_dump(),
        layout=layout,
        start_state=["blkdiscard /dev/loop0"],
        started_unix_ns=1_795_000_000 * 10**9,
        prepare_ns=11 * 10**9,
        notes=[],
    )


def device_rate(cell: Cell) -> float:
    """Operations per second of a plausible solid state disk."""
    latency_s = 80e-6 if cell.read_percent >= 50 else 25e-6
    transfer_s = cell.block_size_bytes / 3e9
    alone = cell.queue_depth / (latency_s + transfer_s)
    ceiling = min(220e3 if cell.read_percent >= 50 else 160e3, 3e9 / cell.block_size_bytes)
    return 1 / (1 / alone**4 + 1 / ceiling**4) ** 0.25


def _run(
    recipe: Recipe, chance: random.Random, turn: Turn, position: int, cell: Cell, shift: float
) -> RunRecord:
    job = _job(recipe, turn.system, cell)
    fault = recipe.faults(turn, cell)
    result = None if fault else _result(recipe, chance, turn, cell, shift)
    return RunRecord(
        block=turn.block,
        turn=turn.turn,
        position=position,
        system=turn.system,
        again=turn.again,
        cell=cell,
        job=job,
        caches="synced; page cache, dentries and inodes dropped",
        result=result,
        fault=EngineFault(
            what="read of 4096 B at 1048576 failed: Input/output error",
            cause="the device reported an error",
            next="dmesg | tail",
            errno=5,
            code="io.error",
        )
        if fault
        else None,
        started_unix_ns=1_795_000_000 * 10**9 + turn.turn * 10**12,
    )


def _job(recipe: Recipe, system: str, cell: Cell) -> LoadJob:
    rate = None
    if recipe.rate is not None:
        rate = Rate(operations_per_second=recipe.rate, arrival="exponential")
    return LoadJob(
        target=_target(recipe, system),
        interface=cell.interface,
        direct=True,
        access=RandomAccess(),
        read_percent=cell.read_percent,
        block_sizes=[BlockSize(size_bytes=cell.block_size_bytes)],
        queue_depth=cell.queue_depth,
        jobs=1,
        rate=rate,
        warm_up_ns=recipe.warm_up_s * 10**9,
        duration_ns=recipe.duration_s * 10**9,
        seed=recipe.seed,
    )


def _result(
    recipe: Recipe, chance: random.Random, turn: Turn, cell: Cell, shift: float
) -> LoadResult:
    effect = recipe.effect(turn.system, cell)
    capacity = device_rate(cell) * effect * math.exp(chance.gauss(0, recipe.noise) + shift)
    rate = capacity if recipe.rate is None else min(capacity, recipe.rate)
    elapsed_ns = recipe.duration_s * 10**9
    operations = int(rate * recipe.duration_s)
    latency_ns = cell.queue_depth / capacity * 1e9
    read_operations = round(operations * cell.read_percent / 100)
    read = _operations(recipe, chance, read_operations, cell, latency_ns)
    write = _operations(recipe, chance, operations - read_operations, cell, latency_ns)
    in_flight = sum(part.service_latency.sum_ns for part in (read, write) if part) / elapsed_ns
    cpu_ns = {"raw": 2400, "ext4": 3100, "xfs": 2900, "btrfs": 6200}.get(turn.system, 3000)
    cpu = operations * cpu_ns * math.exp(chance.gauss(0, 0.01))
    size_bytes = operations * cell.block_size_bytes
    unsteady = recipe.unsteady(turn, cell)
    return LoadResult(
        format=1,
        kind="load",
        engine=ENGINE.model_copy(update={"profile": recipe.profile}),
        interface=cell.interface,
        features=None,
        notes=[],
        ended="duration",
        started_unix_ns=1_795_000_000 * 10**9,
        warm_up_ns=recipe.warm_up_s * 10**9,
        elapsed_ns=elapsed_ns,
        read=read,
        write=write,
        jobs=[JobShare(operations=operations, size_bytes=size_bytes)],
        in_flight_mean=in_flight,
        cpu=ProcessorTime(user_ns=int(cpu * 0.2), system_ns=int(cpu * 0.8), threads=1),
        machine_cpu=MachineProcessorTime(busy_ns=int(cpu * 1.3), total_ns=2 * elapsed_ns),
        intervals=_intervals(recipe, chance, cell, rate, latency_ns, unsteady),
        self_measure=SelfMeasure(
            null_ns_per_operation=74.0, clock_ns_per_read=21.0, clock="tsc", stamps="operation"
        ),
    )


def _operations(
    recipe: Recipe, chance: random.Random, operations: int, cell: Cell, mean_ns: float
) -> OperationResult | None:
    if operations == 0:
        return None
    histogram = _lognormal(operations, mean_ns, 0.35 * math.exp(chance.gauss(0, recipe.noise)))
    return OperationResult(
        operations=operations,
        size_bytes=operations * cell.block_size_bytes,
        errors=0,
        service_latency=histogram,
        response_latency=None if recipe.rate is None else histogram,
        backlog_dropped=0,
    )


def _lognormal(operations: int, mean_ns: float, spread: float) -> Histogram:
    """A lognormal with a tail: one in 500 takes twelve times as long."""
    slow = operations // 500
    body = mean_ns * operations / (operations + 11 * slow)
    counts: dict[int, int] = {}
    for part, centre in ((operations - slow, body), (slow, 12 * body)):
        for latency, count in _spread(part, centre, spread).items():
            counts[latency] = counts.get(latency, 0) + count
    return histogram_of(counts)


def _spread(operations: int, mean_ns: float, sigma: float) -> dict[int, int]:
    """Whole operations on a grid of a lognormal's quantiles, the mean kept."""
    median = mean_ns / math.exp(sigma * sigma / 2)
    grid = [-3.2 + 0.1 * step for step in range(65)]
    weights = [math.exp(-z * z / 2) for z in grid]
    total = sum(weights)
    counts: dict[int, int] = {}
    done, cumulative = 0, 0.0
    for z, weight in zip(grid, weights, strict=True):
        cumulative += weight
        upto = round(operations * cumulative / total)
        if upto > done:
            counts[max(1, round(median * math.exp(sigma * z)))] = upto - done
        done = upto
    return counts


def _intervals(
    recipe: Recipe,
    chance: random.Random,
    cell: Cell,
    rate: float,
    latency_ns: float,
    unsteady: bool,
) -> list[Interval]:
    intervals = []
    for second in range(recipe.warm_up_s + recipe.duration_s):
        warm_up = second < recipe.warm_up_s
        factor = (1.25 if warm_up else 1.0) * math.exp(chance.gauss(0, 0.01))
        if unsteady:
            factor *= 1.6 - 0.1 * second
        operations = int(rate * factor)
        reads = round(operations * cell.read_percent / 100)
        intervals.append(
            Interval(
                start_ns=second * 10**9,
                elapsed_ns=10**9,
                warm_up=warm_up,
                read=_count(reads, cell, latency_ns),
                write=_count(operations - reads, cell, latency_ns),
            )
        )
    return intervals


def _count(operations: int, cell: Cell, latency_ns: float) -> IntervalCount:
    return IntervalCount(
        operations=operations,
        size_bytes=operations * cell.block_size_bytes,
        latency_sum_ns=int(operations * latency_ns),
    )


def _environment(recipe: Recipe, hours: int) -> EnvironmentRecord:
    storage = StorageFacts(
        kind=recipe.storage_kind,
        sentence="loop file 8 GiB on ext4 /var/tmp, direct I/O, under it a solid state disk",
        size_bytes=8 << 30,
        device_chain=[{"name": "loop0", "kind": "loop"}, {"name": "vda", "kind": "disk"}],
        cautions=["The loop file lies on a disk that other work uses too."]
        if recipe.storage_kind == "loop"
        else [],
    )
    return EnvironmentRecord(
        captured_unix_ns=(1_795_000_000 + 3600 * hours) * 10**9,
        hostname="testbench",
        kernel="6.18.0",
        architecture="x86_64",
        distribution="Debian GNU/Linux 13",
        processor="Synthetic 2.0 GHz",
        processor_count=2,
        governor=None,
        memory_bytes=8 << 30,
        virtual_machine="kvm",
        load_average=0.3,
        clock_source="tsc",
        storage=storage,
        tool_versions={"mkfs.ext4": "1.47.2", "mkfs.xfs": "6.13.0"},
        missing={"governor": "no cpufreq in this virtual machine"},
    )


def _study_document(recipe: Recipe) -> dict[str, Any]:
    return {
        "format": 1,
        "name": "overhead",
        "question": recipe.question,
        "storage": {"kind": recipe.storage_kind, "size": 8 << 30},
        "system": [{"name": name, "kind": kind} for name, kind in recipe.systems.items()],
        "workload": {
            "kind": "overhead",
            "direct": True,
            "warm_up": recipe.warm_up_s * 10**9,
            "duration": recipe.duration_s * 10**9,
        },
        "plan": {"blocks": recipe.blocks, "seed": recipe.seed, "equivalence_percent": 3},
    }


def _toml(recipe: Recipe) -> str:
    systems = "".join(
        f'\n[[system]]\nname = {json.dumps(name)}\nkind = "{kind}"\n'
        for name, kind in recipe.systems.items()
    )
    return (
        f'format = 1\nname = "overhead"\nquestion = {json.dumps(recipe.question)}\n\n[storage]\n'
        f'kind = "{recipe.storage_kind}"\nsize = "8 GiB"\n{systems}\n[workload]\n'
        f'kind = "overhead"\n\n[plan]\nblocks = {recipe.blocks}\nseed = {recipe.seed}\n'
    )
