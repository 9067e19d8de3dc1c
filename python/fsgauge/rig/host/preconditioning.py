"""A flash device brought into the state that SNIA measures: purged, written twice, then steady.

The first two once, before the first turn: from then on nothing discards the device, so that every
system is made on blocks that are in use. The third before each run, by the run's own load.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from fsgauge.engine.client import Engine
from fsgauge.engine.wire import BlockTarget, ClientsJob, LayoutJob, LoadJob, sides_of
from fsgauge.errors import RigError
from fsgauge.plan.turns import derived_seed
from fsgauge.record.preconditioning import (
    BLOCK_SIZE_BYTES,
    MOST_ROUNDS,
    PASSES,
    CellPreconditioning,
    StoragePreconditioning,
    last_window,
)
from fsgauge.record.records import Cell, Turn
from fsgauge.rig.happenings import StepStarted
from fsgauge.rig.host.formatted import allocate_below, blank_of
from fsgauge.rig.host.turn_steps import Work
from fsgauge.storage import Base
from fsgauge.study.model import Study
from fsgauge.study.storage import is_preconditioned
from fsgauge.units import format_bandwidth, format_duration, format_size

_QUEUE_DEPTH = 32


def preconditioned(study: Study, base: Base, engine: Engine, say: Callable[[str], None]) -> Base:
    """The storage, purged and written twice where the study asks for it; it keeps its blocks."""
    if base.device is None or not is_preconditioned(study.storage):
        return base
    started_unix_ns, clock = time.time_ns(), time.monotonic_ns()
    with base.claim.used():
        purge, notes = blank_of(base)
        size_bytes = base.size_bytes // BLOCK_SIZE_BYTES * BLOCK_SIZE_BYTES
        say(f"preconditioning {base.device}: {PASSES} times {format_size(size_bytes)} are written")
        allocate_below(base.refill)
        for number in range(PASSES):
            engine.run(
                LayoutJob(
                    target=BlockTarget(path=base.device, size_bytes=size_bytes),
                    block_size_bytes=BLOCK_SIZE_BYTES,
                    queue_depth=_QUEUE_DEPTH,
                    direct=True,
                    seed=derived_seed(study.plan.seed or 0, number, "preconditioning"),
                )
            )
    done = StoragePreconditioning(
        purge="; ".join([purge, *notes]),
        purged=not notes,
        written_bytes=PASSES * size_bytes,
        block_size_bytes=BLOCK_SIZE_BYTES,
        started_unix_ns=started_unix_ns,
        elapsed_ns=time.monotonic_ns() - clock,
    )
    rate = done.written_bytes * 1e9 / max(done.elapsed_ns, 1)
    say(f"preconditioned in {format_duration(done.elapsed_ns)}, {format_bandwidth(rate)}")
    facts = base.facts.model_copy(update={"preconditioning": done})
    return replace(base, facts=facts, keeps_blocks=True)


def precondition_cell(
    work: Work, turn: Turn, cell: Cell, job: LoadJob | ClientsJob
) -> CellPreconditioning | None:
    """The cell's own load, round by round, until five are steady; None where it is not asked for.

    A round lasts as long as the run. EngineFaultError where the storage fails.
    """
    if not is_preconditioned(work.study.storage):
        return None
    if not isinstance(job, LoadJob) or job.passes is not None or job.extend:
        return CellPreconditioning(
            rounds=[], reached=False, why_none="a run ends with its work, which cannot be repeated"
        )
    rates: list[float] = []
    while len(rates) < MOST_ROUNDS:
        number = len(rates) + 1
        work.tell(StepStarted(turn, f"{cell.name}: preconditioning, round {number}"))
        seed = derived_seed(job.seed, number, "preconditioning")
        rates.append(_rate(work, job.model_copy(update={"seed": seed, "warm_up_ns": 0})))
        window = last_window(rates)
        if window is not None and window.is_steady:
            break
    window = last_window(rates)
    return CellPreconditioning(
        rounds=rates,
        reached=window is not None and window.is_steady,
        range_share=window.range_share if window else None,
        slope_share=window.slope_share if window else None,
    )


def _rate(work: Work, job: LoadJob) -> float:
    result = work.engine.load(job)
    if result.elapsed_ns == 0:
        raise RigError(
            "a round of preconditioning took no time",
            cause="workload.duration is too short for one operation",
            next="a longer workload.duration",
        )
    return sum(side.operations for side in sides_of(result)) * 1e9 / result.elapsed_ns
