"""Load curves that never ran: queues whose limit is known, offered the rates that a study asks for.

A system serves `most` operations a second; at rate r its p99 is `base_ms` / (1 - r / most), so that
it passes a limit L at most * (1 - base_ms / L). Beyond `most` a backlog grows for the whole run.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fsgauge.engine import wire
from fsgauge.kinds.overhead.keys import OverheadWorkload
from fsgauge.plan.turns import job_for, make_plan
from fsgauge.record.records import Cell, Plan, RunRecord, StudyRecord, Turn, TurnRecord
from fsgauge.stats.curve.rates import plan_of_block
from fsgauge.study.model import LoopStorage, PlanSettings, Study, System
from fsgauge.study.workload_keys import WorkloadKeys
from fsgauge.workload.folders import Place
from tests.synthetic import Recipe, SyntheticStudy, histogram_of
from tests.synthetic.load import load_result, recorded
from tests.synthetic.setting import environment, target_of, turn_record

GIB = 1 << 30
LIMIT_MS = 5.0
DEPTH = 32


@dataclass(frozen=True)
class Queue:
    """A system's queue. `offers`: what the engine can offer at most, starved; `stalls` says whether
    a run has a p99 fifty times as long."""

    most: float
    base_ms: float = 1.0
    offers: float = math.inf
    service_ms: float = 0.2
    busy: float = 0.3
    stalls: Callable[[RunPlace], bool] = lambda place: False

    def limit(self, limit_ms: float = LIMIT_MS) -> float:
        """The rate at which it passes a limit."""
        return self.most * (1 - self.base_ms / limit_ms)


@dataclass(frozen=True)
class RunPlace:
    block: int
    system: str
    cell: Cell
    again: bool = False


Serve = Callable[[Any, Queue, float, float], wire.LoadResult]
"""What a job gives on a queue: `shift` of its most, `factor` of its p99."""
QUEUES = {"ext4": Queue(50_000.0), "xfs": Queue(54_000.0)}


def curve_study(
    systems: Sequence[str],
    *,
    blocks: int = 8,
    seed: int = 7,
    duration_s: float = 2.0,
    workload: WorkloadKeys | None = None,
    **keys: Any,
) -> Study:
    plan: dict[str, Any] = {"mode": "curve", "latency_limit": int(LIMIT_MS * 1e6), **keys}
    return Study(
        format=1,
        name="capacity",
        question="How many IOPS below 5 ms?",
        storage=LoopStorage(size=GIB),
        systems=[System(name=name, kind=name) for name in systems],
        workload=workload
        or OverheadWorkload(
            patterns=["randread"],
            block_sizes=[4096],
            queue_depths=[DEPTH],
            duration=int(duration_s * 1e9),
            warm_up=0,
        ),
        plan=PlanSettings(seed=seed, blocks=blocks, **plan),
    )


def make_curve(
    queues: Mapping[str, Queue] = QUEUES,
    *,
    noise: float = 0.03,
    p99_noise: float = 0.1,
    seed: int = 7,
    blocks_measured: int | None = None,
    serve: Serve | None = None,
    place: Place | None = None,
    **study: Any,
) -> SyntheticStudy:
    """The records of a study; `noise` is that of a turn's `most`, `p99_noise` that of a run.
    `serve` plays another load than reads, in `place`."""
    asked = curve_study(list(queues), seed=seed, **study)
    plan = make_plan(asked, size_bytes=GIB)
    recipe = Recipe(systems={name: name for name in queues})
    chance = random.Random(seed)
    turns: list[TurnRecord] = []
    runs: list[RunRecord] = []
    for block in sorted({turn.block for turn in plan.turns})[:blocks_measured]:
        known = plan_of_block(plan, block, runs)
        for turn in (turn for turn in known.turns if turn.block == block):
            turns.append(turn_record(recipe, turn))
            shift = math.exp(chance.gauss(0, noise))
            for position, cell_id in enumerate(turn.cells):
                cell = next(cell for cell in known.cells if cell.id == cell_id)
                runs.append(
                    _run(
                        *(asked, known, turn, position, cell, queues, shift, chance, p99_noise),
                        serve or served,
                        place,
                    )
                )
    record = StudyRecord(
        fsgauge_version="0.1.0",
        study=asked.model_dump(mode="json", by_alias=True),
        plan=plan,
        command=["fsgauge", "run", "capacity"],
        started_unix_ns=1_795_000_000 * 10**9,
        rig="host",
    )
    return SyntheticStudy(
        record, turns, runs, environment(recipe, 0), environment(recipe, 1), "format = 1\n"
    )


def _run(
    study: Study,
    plan: Plan,
    turn: Turn,
    position: int,
    cell: Cell,
    queues: Mapping[str, Queue],
    shift: float,
    chance: random.Random,
    p99_noise: float,
    serve: Serve,
    place: Place | None,
) -> RunRecord:
    target = place or target_of(Recipe(systems={name: name for name in queues}), turn.system)
    job = job_for(study, plan, turn, cell, target)
    queue = queues[turn.system]
    stalls = queue.stalls(RunPlace(turn.block, turn.system, cell, turn.again))
    factor = math.exp(chance.gauss(0, p99_noise)) * (50 if stalls else 1)
    run = recorded(turn, position, cell, job, serve(job, queue, shift, factor))
    began_ns = 1_795_000_000 * 10**9 + turn.block * 10**12
    return run.model_copy(update={"started_unix_ns": began_ns})


def reads_job(seconds: float, rate: wire.Rate | None = None) -> wire.LoadJob:
    """Reads of one job, one at a time."""
    return wire.LoadJob(
        target=wire.NullTarget(size_bytes=4096),
        interface="psync",
        direct=False,
        access=wire.RandomAccess(),
        read_percent=100,
        block_sizes=[wire.BlockSize(size_bytes=4096)],
        queue_depth=1,
        jobs=1,
        duration_ns=int(seconds * 1e9),
        seed=1,
        rate=rate,
    )


def served(job: wire.LoadJob, queue: Queue, shift: float, factor: float) -> wire.LoadResult:
    assert job.duration_ns is not None
    seconds = job.duration_ns / 1e9
    most = queue.most * shift
    offered = job.rate.operations_per_second if job.rate else math.inf
    done_rate = min(offered, most, queue.offers)
    p99_ms = queue.base_ms * factor / max(1 - done_rate / most, 1e-3)
    if most < offered:
        p99_ms = max(p99_ms, 1e3 * seconds * (1 - most / offered))
    done = int(done_rate * seconds)
    dropped = int((min(offered, 1e9) - done_rate) * seconds) if job.rate else 0
    slow = math.ceil(0.02 * done)
    response = histogram_of({int(p99_ms * 2e5): done - slow, int(p99_ms * 1e6): slow})
    full = most <= min(offered, queue.offers)
    service_ns = int(DEPTH * 1e9 / most if full else min(queue.service_ms, p99_ms) * 1e6)
    read = wire.OperationResult(
        operations=done,
        size_bytes=done * 4096,
        errors=0,
        service_latency=histogram_of({service_ns: done}),
        response_latency=response if job.rate else None,
        backlog_dropped=dropped,
    )
    elapsed_ns = job.duration_ns
    starved_ns = elapsed_ns // 2 if queue.offers < min(offered, most) else 0
    return load_result(
        interface="io_uring",
        ended="duration",
        elapsed_ns=elapsed_ns,
        read=read,
        jobs=[wire.JobShare(operations=done, size_bytes=done * 4096)],
        in_flight_mean=done * service_ns / elapsed_ns,
        cpu=wire.ProcessorTime(user_ns=done * 500, system_ns=done * 2000, threads=1),
        machine_cpu=wire.MachineProcessorTime(
            busy_ns=int(2 * elapsed_ns * queue.busy), total_ns=2 * elapsed_ns
        ),
        pauses=wire.Pauses(
            total_ns=0,
            longest_ns=0,
            late_start_ns=0,
            starved_ns=starved_ns,
            clock_error_ns=0,
            wall_clock_step_ns=0,
        ),
    )
