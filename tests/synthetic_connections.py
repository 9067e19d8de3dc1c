"""Records of studies of many clients that never ran, with planted effects.

In those of `make_connections(...)` each test takes the planted time, its files lie in the planted
extents, and every moment of every client is in one latency or in its rest, so that honest runs pass
every check. What is to be found (errors, bad records, a slow client) is planted by turn and cell.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from fsgauge.engine import wire
from fsgauge.kinds.connections.factors import ConnectionsFactors
from fsgauge.kinds.connections.keys import ConnectionsWorkload
from fsgauge.record.records import Cell, RunRecord, ScanRecord, Turn, TurnRecord
from fsgauge.study.workload import cells_of, default_primary
from tests.scan_example import example, scan_record
from tests.synthetic import SyntheticStudy, make_study
from tests.synthetic.histogram import lognormal
from tests.synthetic.load import load_result, own_times, recorded

BASELINE, OTHER = "ext4 nodelalloc", "ext4 delalloc"
RECORD = 4096
BACKUP_FILE = 1 << 20
SIZES = (4096, 8192, 16384, 32768, 65536, 131072, 262144, 524288, 1 << 20, 2 << 20)
SECONDS: Mapping[str, float] = {
    "write": 24.0,
    "read": 40.0,
    "stat": 0.4,
    "mix": 20.0,
    "delete": 1.1,
    "backup fill": 9.0,
    "backup": 16.0,
}
"""What each test takes on the baseline."""
GAINS: Mapping[str, float] = {"write": 1.31, "read": 1.02, "backup fill": 1.3, "backup": 1.4}
"""What the other system gains in speed."""
WEIGHTS: Mapping[str, tuple[float, float]] = {
    "create": (6.0, 0.5),
    "open": (3.0, 0.5),
    "read": (1.2, 0.7),
    "write": (1.0, 0.3),
    "close": (0.4, 0.2),
    "stat": (0.3, 0.4),
    "unlink": (3.0, 0.6),
    "rename": (4.0, 0.6),
    "list": (5.0, 0.8),
}
"""How long an operation takes beside others, and what of its response is the call."""
CALLS: Mapping[str, tuple[str, str | None]] = {
    "create": ("openat", "io_uring would hand it to a thread of the kernel"),
    "open": ("io_uring openat", None),
    "read": ("io_uring read", None),
    "write": ("pwrite", "io_uring would hand it to a thread of the kernel"),
    "close": ("close", "io_uring would hand it to a thread of the kernel"),
    "list": ("getdents64", "io_uring has no such operation"),
}
_PHASES: Mapping[str, wire.Phase] = {
    "write": wire.WritePhase(create="then_open"),
    "backup fill": wire.WritePhase(create="then_open"),
    "read": wire.ReadPhase(),
    "stat": wire.StatPhase(),
    "delete": wire.DeletePhase(),
    "mix": wire.MixPhase(activities=[wire.WeightedActivity(activity="read", weight=1)]),
}


def gain(system: str, cell: Cell) -> float:
    """Speed over the baseline's."""
    return 1.0 if system == BASELINE else GAINS.get(ConnectionsFactors.of(cell).test, 1.0)


def extents(system: str, cell: Cell) -> float:
    return 20.0 if system == BASELINE else 1.0


@dataclass
class ConnectionsRecipe:
    """What to make; noise is the deviation of a run's log time, block_noise that of a block's.

    `slowest` is the slowest client's share of the mean rate; `unaccounted` the share of clients'
    time that is in no latency; `errors` gives (operation, kind, how many) and `lost` (files given
    up, clients that gave up); `bad` bad records.
    """

    systems: Mapping[str, str] = field(default_factory=lambda: {BASELINE: "ext4", OTHER: "ext4"})
    tests: Sequence[str] = ("write", "read", "backup")
    backup_orders: Sequence[str] = ("directory",)
    clients: int | list[int] = 590
    files: int = 10
    backup_files: int = 2
    blocks: int = 8
    seed: int = 20261123
    noise: float = 0.02
    block_noise: float = 0.02
    gain: Callable[[str, Cell], float] = gain
    extents: Callable[[str, Cell], float] = extents
    extents_noise: float = 0.0
    without_extents: Sequence[str] = ()
    slowest: Callable[[Turn, Cell], float] = lambda turn, cell: 0.9
    unaccounted: Callable[[Turn, Cell], float] = lambda turn, cell: 0.0
    errors: Callable[
        [Turn, Cell], Sequence[tuple[wire.ClientOperation, wire.ClientErrorKind, int]]
    ] = lambda turn, cell: ()
    lost: Callable[[Turn, Cell], tuple[int, int]] = lambda turn, cell: (0, 0)
    bad: Callable[[Turn, Cell], int] = lambda turn, cell: 0
    cut: Callable[[Turn, Cell], bool] = lambda turn, cell: False
    faults: Callable[[Turn, Cell], bool] = lambda turn, cell: False
    scan_faults: Callable[[Turn, Cell], bool] = lambda turn, cell: False
    dispatch: Callable[[Turn], wire.Dispatch] = lambda turn: "event_loop"
    think_ns: int = 0
    outstanding: int = 1
    storage_kind: str = "loop"
    primary_layout: bool = True
    made_runs: int | None = None


def make_connections(**changes: Any) -> SyntheticStudy:
    """The records of one study; the records of an overhead study give the rest."""
    recipe = ConnectionsRecipe(**changes)
    chance = random.Random(recipe.seed)
    frame = make_study(
        systems=recipe.systems,
        patterns=("write",),
        block_sizes=(RECORD,),
        queue_depths=(1,),
        blocks=recipe.blocks,
        seed=recipe.seed,
        storage_kind=recipe.storage_kind,
        question="What does delayed allocation change for hundreds of clients?",
    )
    workload = ConnectionsWorkload.model_validate(
        {
            "kind": "connections",
            "clients": recipe.clients,
            "tests": list(recipe.tests),
            "outstanding": recipe.outstanding,
            **({"backup_orders": list(recipe.backup_orders)} if "backup" in recipe.tests else {}),
        }
    )
    cells = cells_of(workload)
    asked = {"clients": recipe.clients, "tests": list(recipe.tests)}
    planned = {"primary": default_primary(workload), "primary_layout": recipe.primary_layout}
    study = frame.of_kind("connections", cells, asked, **planned)
    shifts = [chance.gauss(0, recipe.block_noise) for _ in range(recipe.blocks)]
    runs = [
        client_run(recipe, chance, turn, position, cell, shifts[turn.block])
        for turn in study.study.plan.turns
        for position, cell in enumerate(cells)
    ]
    scans = [
        _scan(recipe, chance, turn, cell)
        for turn in study.study.plan.turns
        for cell in cells
        if ConnectionsFactors.of(cell).test in ("write", "mix", "backup fill")
    ]
    made = recipe.made_runs or len(runs)
    begun = {(run.block, run.turn) for run in runs[:made]}
    done = {(run.block, run.turn, run.cell.id) for run in runs[:made]}
    return replace(
        study,
        turns=[_turn(turn) for turn in frame.turns if (turn.block, turn.turn) in begun],
        runs=runs[:made],
        scans=[scan for scan in scans if (scan.block, scan.turn, scan.cell) in done],
    )


def swapped(made: SyntheticStudy) -> SyntheticStudy:
    """The same records with one turn of each system in a block, the other one as the baseline."""
    plan = made.study.plan
    again = {(turn.block, turn.turn) for turn in plan.turns if turn.again}
    baseline = next(system for system in plan.systems if system != plan.baseline)
    systems = [baseline, *(system for system in plan.systems if system != baseline)]
    update = {
        "baseline": baseline,
        "systems": systems,
        "turns": [turn for turn in plan.turns if not turn.again],
    }
    return replace(
        made,
        study=made.study.model_copy(update={"plan": plan.model_copy(update=update)}),
        turns=[turn for turn in made.turns if (turn.block, turn.turn) not in again],
        runs=[run for run in made.runs if not run.again],
        scans=[scan for scan in made.scans if not scan.again],
    )


def _turn(turn: TurnRecord) -> TurnRecord:
    """Clients make their files themselves."""
    target = {
        "kind": "client_folders",
        "directory": "/run/fsgauge/mnt",
        "files_per_client": 10,
        "backup_files_per_client": 2,
    }
    options = "rw,noatime" + (",nodelalloc" if turn.system == BASELINE else "")
    facts = turn.facts.model_copy(update={"mount_options": options})
    return turn.model_copy(update={"target": target, "layout": None, "facts": facts})


def client_run(
    recipe: ConnectionsRecipe,
    chance: random.Random,
    turn: Turn,
    position: int,
    cell: Cell,
    shift: float,
) -> RunRecord:
    slower = math.exp(shift + chance.gauss(0, recipe.noise))
    seconds = SECONDS[ConnectionsFactors.of(cell).test] * slower / recipe.gain(turn.system, cell)
    failed = recipe.faults(turn, cell)
    fault = wire.EngineFault(
        what="the directory /run/fsgauge/mnt/files is gone",
        cause="something removed it",
        next="ls /run/fsgauge/mnt",
        code="job.directory",
    )
    result = None if failed else _result(recipe, turn, cell, seconds)
    job = _job(recipe, turn, cell)
    return recorded(turn, position, cell, job, result, fault if failed else None)


def _is_of_backup(cell: Cell) -> bool:
    return ConnectionsFactors.of(cell).test in ("backup", "backup fill")


def _files(recipe: ConnectionsRecipe, cell: Cell) -> int:
    """Files that all clients have, or that the backup finds."""
    return _sharing(recipe, cell) * (recipe.backup_files if _is_of_backup(cell) else recipe.files)


def _sharing(recipe: ConnectionsRecipe, cell: Cell) -> int:
    """The clients whose files a cell is about."""
    swept = ConnectionsFactors.of(cell).swept_clients
    return swept or (recipe.clients if isinstance(recipe.clients, int) else recipe.clients[0])


def _bytes_per_file(cell: Cell) -> float:
    return BACKUP_FILE if _is_of_backup(cell) else sum(SIZES) / len(SIZES)


def _job(recipe: ConnectionsRecipe, turn: Turn, cell: Cell) -> wire.ClientsJob:
    factors = ConnectionsFactors.of(cell)
    backup = wire.BackupPhase(
        order=factors.order or "directory", block_size_bytes=factors.record_size_bytes
    )
    return wire.ClientsJob(
        target=wire.PathTarget(directory="/run/fsgauge/mnt/files"),
        phase=backup if factors.test == "backup" else _PHASES[factors.test],
        clients=factors.clients,
        outstanding=factors.outstanding,
        dispatch=recipe.dispatch(turn),
        think=wire.Think(mean_ns=recipe.think_ns, spread="constant") if recipe.think_ns else None,
        files=wire.FileSet(
            clients=_sharing(recipe, cell),
            files_per_client=recipe.backup_files if _is_of_backup(cell) else recipe.files,
            sizes=wire.CycleSizes(
                sizes_bytes=[BACKUP_FILE] if _is_of_backup(cell) else list(SIZES)
            ),
            record_size_bytes=RECORD,
            tree=wire.OwnTree(),
        ),
        time_limit_ns=3600 * 10**9,
        seed=recipe.seed,
        verify=factors.test in ("read", "backup"),
    )


def _counts(recipe: ConnectionsRecipe, cell: Cell, files: int) -> dict[wire.ClientOperation, int]:
    """Operations of a test."""
    records = round(files * _bytes_per_file(cell) / ConnectionsFactors.of(cell).record_size_bytes)
    match ConnectionsFactors.of(cell).test:
        case "write" | "backup fill":
            return {"create": files, "open": files, "write": records, "close": files}
        case "read" | "backup":
            return {"open": files, "read": records, "close": files}
        case "stat":
            return {"stat": files}
        case "delete":
            return {"unlink": files}
        case _:
            half = records // 2
            some = {"create": files, "open": files, "read": half, "write": half, "close": files}
            return {**some, "stat": files, "rename": files, "list": files}


def _result(recipe: ConnectionsRecipe, turn: Turn, cell: Cell, seconds: float) -> wire.LoadResult:
    factors = ConnectionsFactors.of(cell)
    elapsed_ns = round(seconds * 1e9)
    own_ns = own_times(recipe.slowest(turn, cell), factors.clients, elapsed_ns, spread=0.04)
    lost_files, lost_clients = recipe.lost(turn, cell)
    files = _files(recipe, cell) - lost_files
    think_ns = files * recipe.think_ns if factors.test != "backup" else 0
    lanes = factors.outstanding
    busy_ns = lanes * (sum(own_ns) - think_ns)
    operations = _operations(recipe, turn, cell, files, busy_ns)
    size_bytes = sum(part.size_bytes for part in operations)
    records = {part.operation: part for part in operations}
    counted = sum(part.operations for part in operations)
    moved = sum(part.operations for part in operations if part.size_bytes)
    cut = recipe.cut(turn, cell)
    share = {"operations": moved // factors.clients, "size_bytes": size_bytes // factors.clients}
    return load_result(
        interface="io_uring",
        ended="duration" if cut or factors.test == "mix" else "size_limit",
        elapsed_ns=elapsed_ns,
        read=_records(records.get("read")),
        write=_records(records.get("write")),
        jobs=[wire.JobShare(**share, elapsed_ns=each) for each in own_ns],
        in_flight_mean=busy_ns / elapsed_ns,
        cpu=wire.ProcessorTime(user_ns=counted * 600, system_ns=counted * 2400, threads=2),
        machine_cpu=wire.MachineProcessorTime(busy_ns=counted * 4000, total_ns=2 * elapsed_ns),
        intervals=_intervals(records, elapsed_ns, falls_off=factors.test != "mix"),
        clients=wire.ClientsResult(
            dispatch=recipe.dispatch(turn),
            threads=1 if factors.test == "backup" else 2,
            calls=[
                wire.OperationCall(operation=each, call=CALLS[each][0], reason=CALLS[each][1])
                for each in records
                if each in CALLS
            ],
            connect_ns=18_000_000,
            operations=operations,
            errors=[
                wire.ClientError(
                    operation=operation,
                    kind=kind,
                    count=count,
                    first_path="/run/fsgauge/mnt/files/c00012/c00012-f000003",
                    message="No space left on device (os error 28)",
                )
                for operation, kind, count in recipe.errors(turn, cell)
            ],
            files=files,
            files_given_up=lost_files,
            clients_gave_up=lost_clients,
            first_done_ns=min(own_ns),
            last_done_ns=max(own_ns),
            active_ns=sum(own_ns),
            think_ns=think_ns,
            checked_records=records["read"].operations if "read" in records else 0,
            bad_records=recipe.bad(turn, cell),
            bad=[
                wire.BadRecord(path="c00012/c00012-f000003", offset_bytes=4096, first_byte=4100)
                for _ in range(min(recipe.bad(turn, cell), 20))
            ],
            backup=wire.BackupResult(
                order=factors.order or "directory",
                files=files,
                directories=_sharing(recipe, cell),
                listing_ns=40_000_000,
            )
            if factors.test == "backup"
            else None,
            peak_memory_bytes=21 << 20,
        ),
    )


def _operations(
    recipe: ConnectionsRecipe, turn: Turn, cell: Cell, files: int, busy_ns: int
) -> list[wire.ClientOperationResult]:
    """All of the clients' time, dealt to operations by weight; what is unaccounted is in none."""
    factors = ConnectionsFactors.of(cell)
    counts = _counts(recipe, cell, files)
    weighed = sum(count * WEIGHTS[operation][0] for operation, count in counts.items())
    unit_ns = (1 - recipe.unaccounted(turn, cell)) * busy_ns / weighed
    failed = {operation: count for operation, _, count in recipe.errors(turn, cell)}
    connects = factors.test in ("write", "backup fill")
    found = [_connect(_sharing(recipe, cell))] if connects else []
    for operation, count in counts.items():
        weight, share = WEIGHTS[operation]
        moves = operation in ("read", "write")
        found.append(
            wire.ClientOperationResult(
                operation=operation,
                operations=count,
                size_bytes=count * factors.record_size_bytes if moves else 0,
                errors=failed.get(operation, 0),
                response_latency=_histogram(count, weight * unit_ns),
                service_latency=_histogram(count, share * weight * unit_ns),
            )
        )
    return found


def _connect(clients: int) -> wire.ClientOperationResult:
    """Dear on purpose: it lies before the measured part, and no number of that part may hold it."""
    latency = _histogram(clients, 5e9)
    return wire.ClientOperationResult(
        operation="connect",
        operations=clients,
        size_bytes=0,
        errors=0,
        response_latency=latency,
        service_latency=latency,
    )


def _histogram(operations: int, mean_ns: float) -> wire.Histogram:
    """With the exact mean: a histogram's sum is not read from its buckets."""
    made = lognormal(operations, mean_ns, 0.35)
    return made.model_copy(update={"sum_ns": round(operations * mean_ns)})


def _records(part: wire.ClientOperationResult | None) -> wire.OperationResult | None:
    if part is None:
        return None
    return wire.OperationResult(
        operations=part.operations,
        size_bytes=part.size_bytes,
        errors=0,
        service_latency=part.service_latency,
        response_latency=part.response_latency,
        backlog_dropped=0,
    )


def _intervals(
    records: Mapping[wire.ClientOperation, wire.ClientOperationResult],
    elapsed_ns: int,
    *,
    falls_off: bool,
) -> list[wire.Interval]:
    """Twenty equal parts; the last one is half empty where clients end by themselves."""
    parts = 20
    last = 0.5 if falls_off else 1.0
    found = []
    for part in range(parts):
        share = (last if part == parts - 1 else 1.0) / (parts - 1 + last)
        counts = {
            name: wire.IntervalCount(
                operations=round(share * records[name].operations) if name in records else 0,
                size_bytes=round(share * records[name].size_bytes) if name in records else 0,
                latency_sum_ns=0,
            )
            for name in ("read", "write")
        }
        length = elapsed_ns // parts
        found.append(
            wire.Interval(start_ns=part * length, elapsed_ns=length, warm_up=False, **counts)
        )
    return found


def _scan(recipe: ConnectionsRecipe, chance: random.Random, turn: Turn, cell: Cell) -> ScanRecord:
    files = _files(recipe, cell)
    per_file = recipe.extents(turn.system, cell) * math.exp(chance.gauss(0, recipe.extents_noise))
    count = max(files, round(files * per_file))
    bare = turn.system in recipe.without_extents
    size_bytes = round(files * _bytes_per_file(cell))
    mean_bytes = size_bytes / count
    at_least = 1 << int(math.log2(mean_bytes))
    lengths = [
        wire.LengthBin(
            at_least_bytes=at_least // 2, extents=count // 2, size_bytes=size_bytes // 4
        ),
        wire.LengthBin(
            at_least_bytes=at_least,
            extents=count - count // 2,
            size_bytes=size_bytes - size_bytes // 4,
        ),
    ]
    fragmented = 0 if bare or count == files else round(0.9 * files)
    pieces = 1 << int(math.log2(max(2.0, per_file)))
    by_extents = [
        wire.FilesBin(at_least_extents=1, files=files - fragmented, extents=files - fragmented),
        wire.FilesBin(
            at_least_extents=pieces, files=fragmented, extents=max(0, count - files + fragmented)
        ),
    ]
    scan = example(
        map_order=0,
        files=files,
        files_without_extents=files if bare else 0,
        fragmented_files=fragmented,
        files_by_extents=[each.model_dump() for each in by_extents if each.files and not bare],
        extents=0 if bare else count,
        extent_bytes=0 if bare else size_bytes,
        extent_lengths=[] if bare else [each.model_dump() for each in lengths],
        problems=[],
    )
    return scan_record(turn, cell.id, scan, failed=recipe.scan_faults(turn, cell))
