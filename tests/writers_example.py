"""A study of several writers that never ran: planted contention, coherency and rates.

`writers_example()` gives stored records and the results that statistics would make of them, so
that the page can be tried apart from both.
"""

from __future__ import annotations

import math
import random
import statistics
from dataclasses import dataclass, replace
from pathlib import Path

from fsgauge.engine.wire import FaultyBlock, IntegrityResult
from fsgauge.kinds.overhead.factors import OverheadFactors
from fsgauge.kinds.writers.analysis import model
from fsgauge.kinds.writers.factors import WritersFactors
from fsgauge.record.records import Cell
from fsgauge.report.write import Report
from fsgauge.stats import Results
from fsgauge.stats.estimate import Estimate
from fsgauge.stats.scaling.model import UslFit
from fsgauge.store import read_results
from tests.synthetic import SyntheticStudy, make_study
from tests.synthetic.setting import with_result

SYSTEMS = {name: name for name in ("raw", "ext3", "ext4", "xfs", "btrfs")}
LAWS = {
    "raw": (11_800.0, 0.03, 0.0004),
    "ext3": (10_200.0, 0.34, 0.004),
    "ext4": (10_900.0, 0.09, 0.001),
    "xfs": (11_100.0, 0.05, 0.0008),
    "btrfs": (6_100.0, 0.42, 0.02),
}
"""system -> (rate of one writer, contention, coherency)."""
BLOCKS = 8
T_975 = 2.365
"""Student's t for eight blocks."""


@dataclass(frozen=True)
class Planted:
    """What the example has: numbers of writers, groups, and how near the device the limits are."""

    writers: tuple[int, ...] = (1, 2, 4, 8, 16, 32)
    groups: tuple[str, ...] = ("",)
    limit_factor: float = 30.0
    blocks: int = BLOCKS
    torn: int = 0
    companions: bool = True


def law(system: str, writers: float) -> float:
    """The planted rate."""
    rate, contention, coherency = LAWS[system]
    return rate * writers / (1 + contention * (writers - 1) + coherency * writers * (writers - 1))


def write_example(folder: Path, planted: Planted | None = None) -> Path:
    """Records, page and all in a folder; gives the page's path."""
    planted = planted or Planted()
    records = example_records(planted)
    records.write(folder)
    return Report(read_results(folder), example_results(records, planted)).write()


def example_records(planted: Planted) -> SyntheticStudy:
    """A study's records whose cells differ in their writers."""
    made = make_study(
        systems=SYSTEMS,
        patterns=("write",),
        block_sizes=(8192,),
        queue_depths=planted.writers,
        blocks=planted.blocks,
        question="Does direct I/O by several writers to one file scale?",
        effect=lambda system, cell: LAWS[system][0] / LAWS["raw"][0],
    )
    cells = {cell.id: _cell(cell) for cell in made.study.plan.cells}
    turns = [
        turn.model_copy(update={"cells": [cells[name].id for name in turn.cells]})
        for turn in made.study.plan.turns
    ]
    runs = []
    for index, run in enumerate(made.runs):
        assert run.result is not None
        torn = planted.torn if (run.system, index % 7) == ("btrfs", 0) else 0
        result = run.result.model_copy(update={"integrity": _integrity(torn)})
        runs.append(with_result(run.model_copy(update={"cell": cells[run.cell.id]}), result))
    workload = made.study.study["workload"]
    study = made.of_kind("writers", list(cells.values()), workload, turns=turns)
    return replace(study, runs=runs)


def example_results(records: SyntheticStudy, planted: Planted) -> Results:
    """What statistics would make of them, with planted scaling."""
    results = records.results()
    return results.model_copy(update={"own": planted_scaling(planted)})


def planted_scaling(planted: Planted) -> model.Scaling:
    """Rates from the laws, 3 % of noise a block."""
    chance = random.Random(7)
    rates = {
        (group, system, writers, block): law(system, writers)
        * (0.8 if group.endswith("buffered") else 1.0)
        * math.exp(chance.gauss(0, 0.03))
        for group in planted.groups
        for system in SYSTEMS
        for writers in planted.writers
        for block in range(planted.blocks)
    }
    return model.Scaling(
        block_size_bytes=8192,
        writer_counts=list(planted.writers),
        whole_blocks=planted.blocks,
        device="raw",
        lines=[
            _line(planted, rates, group, system) for group in planted.groups for system in SYSTEMS
        ],
        limits=[
            model.LimitPoint(
                cell=f"write-8KiB-writers{writers}",
                writers=writers,
                group=group,
                null=12e6 * min(writers, 2),
                memory=12_000 * planted.limit_factor * min(writers, 2),
                memory_touched=2_000 * planted.limit_factor * min(writers, 2),
            )
            for group in planted.groups
            for writers in planted.writers
        ],
        companions=[
            model.CompanionRow(
                system=system,
                group=planted.groups[0],
                writers=writers,
                role=role,
                iops=_estimate([900.0, 950.0, 870.0]),
                p50_ns=_estimate([90e3, 95e3, 91e3]),
                p99_ns=None,
            )
            for system in SYSTEMS
            for writers in planted.writers[:2]
            for role in ("reader", "log")
        ]
        if planted.companions
        else [],
    )


Rates = dict[tuple[str, str, int, int], float]


def _line(planted: Planted, rates: Rates, group: str, system: str) -> model.ScalingLine:
    points = []
    first = planted.writers[0]
    for writers in planted.writers:
        blocks = [rates[group, system, writers, block] for block in range(planted.blocks)]
        alone = [rates[group, system, first, block] for block in range(planted.blocks)]
        raw = [rates[group, "raw", writers, block] for block in range(planted.blocks)]
        ratios = [of / to for of, to in zip(blocks, alone, strict=True)]
        latency_ns = writers / law(system, writers) * 1e9
        points.append(
            model.ScalingPoint(
                writers=writers,
                cell=f"write-8KiB-writers{writers}",
                iops=_estimate(blocks),
                change=None if writers == first else _estimate(ratios),
                efficiency=None
                if writers == first
                else _estimate([ratio * first / writers for ratio in ratios]),
                fairness=_estimate([0.97, 0.96, 0.98]) if writers > 1 else None,
                p50_ns=_estimate([0.9 * latency_ns, 0.92 * latency_ns]),
                p99_ns=_estimate([2.6 * latency_ns, 3.1 * latency_ns, 2.4 * latency_ns]),
                p999_ns=None,
                of_device=None
                if system == "raw"
                else _estimate([of / to for of, to in zip(blocks, raw, strict=True)]),
                blocks=list(enumerate(blocks)),
            )
        )
    return model.ScalingLine(
        system=system,
        group=group,
        points=points,
        fit=_fit(planted, system),
        best_writers=8 if system == "btrfs" and max(planted.writers) > 8 else None,
        layout_rate=_estimate([400e6, 420e6, 410e6]),
    )


def _fit(planted: Planted, system: str) -> UslFit:
    if len(planted.writers) < 6:
        reason = f"{len(planted.writers)} numbers of writers; six are needed"
        return UslFit(state="too few counts", reason=reason)
    if system == "ext3":
        return UslFit(
            state="does not fit",
            reason="the rate stops at 8 writers: the device is full, which is not contention",
            residual_deviation=0.14,
            largest_residual=0.31,
        )
    rate, contention, coherency = LAWS[system]
    most = planted.writers[-1]
    peak = math.sqrt((1 - contention) / coherency)
    grid = [1 + step * (1.5 * most - 1) / 60 for step in range(61)]
    return UslFit(
        state="fits",
        reason="",
        rate=_around(rate, 0.02),
        contention=_around(contention, 0.2),
        coherency=_around(coherency, 0.25),
        residual_deviation=0.028,
        largest_residual=0.06,
        peak_at=_around(peak, 0.12) if peak <= 1.5 * most else None,
        curve=[
            (at, law(system, at), law(system, at) * 0.96, law(system, at) * 1.04) for at in grid
        ],
    )


def _around(value: float, share: float) -> Estimate:
    return Estimate(value=value, low=value * (1 - share), high=value * (1 + share), n=BLOCKS)


def _estimate(values: list[float]) -> Estimate:
    logs = [math.log(value) for value in values]
    mean = statistics.fmean(logs)
    if len(logs) == 1:
        return Estimate(value=values[0], low=None, high=None, n=1)
    half = T_975 * statistics.stdev(logs) / math.sqrt(len(logs))
    return Estimate(
        value=math.exp(mean), low=math.exp(mean - half), high=math.exp(mean + half), n=len(logs)
    )


def _cell(cell: Cell) -> Cell:
    """The synthetic depth becomes a number of writers."""
    synthetic = OverheadFactors.of(cell)
    factors = WritersFactors(
        pattern="write",
        block_size_bytes=synthetic.block_size_bytes,
        writers=synthetic.queue_depth,
        queue_depth=1,
        interface="psync",
        ranges="shared",
        access="direct",
        allocation="overwrite",
    )
    return factors.cell(
        f"write-8KiB-writers{factors.writers}", f"write 8 KiB, {factors.at_once_words}"
    )


def _integrity(torn: int) -> IntegrityResult:
    faulty = [
        FaultyBlock(
            fault="torn", file=0, offset_bytes=8192, first_byte=4096, detail="writers 0 and 1"
        )
    ]
    return IntegrityResult(
        checked_blocks=65_536,
        corrupt_blocks=0,
        torn_blocks=torn,
        foreign_blocks=0,
        stale_blocks=0,
        lost_blocks=0,
        faulty=faulty if torn else [],
        elapsed_ns=10**9,
    )
