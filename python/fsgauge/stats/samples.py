"""Runs as samples: one value a metric, cell, system and turn of a block; and their pairing.

Takes run records; gives log ratios by block: what one block has is compared within it alone. The
baseline's value in a block is the geometric mean of its two turns, for two reasons. With runs of
equal variance v, the log ratio of a system to it has variance 1.5 v, against 2 v with one turn. And
its covariance with A/A, the difference of the two turns, is (v - v) / 2 = 0: the measure of noise
is independent of the estimates it stands beside, which would else be correlated with it by 0.5.

A percentile is known to its bucket alone, and runs of one system often share one, so that blocks
do not average the error away. Each sample therefore has a reach: how far, as a log, the true value
may lie from the one that is taken, the middle of the bucket. Reaches of both sides of a ratio add
up (interval arithmetic), and its interval is wider by them on both sides.

A block in which any of these runs is missing is left out of that pairing, and reported. Runs that
stall are not missing:

- A run in which no operation ended had fewer than one in its window: it counts as one, the most
  that its rate and the least that its mean latency can have been. So does one of clients that did
  nothing of what others of the cell did, and a load whose calls of fsync never ended. Of a system
  that did nothing in half of its runs or more, no number is left: in how many is said instead.
- A quantile that any run of a system had too few operations for is not compared in that cell: a
  stall takes operations away, so the runs that lack them are the slow ones, and without them the
  system that stalls would look as fast as the others. Each system still has its own number: of its
  blocks where all of its runs have enough, else of all its runs together, which are then named
  short.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

from fsgauge.engine.wire import ClientsJob, timed_operations
from fsgauge.plan.levels import LEVEL
from fsgauge.record.command import CommandJob, ForeignJob
from fsgauge.record.factors import factors_of
from fsgauge.record.quantiles import QUANTILES
from fsgauge.record.records import Plan, RunRecord
from fsgauge.stats.common_window import common_window
from fsgauge.stats.estimate import ByBlock, Estimate, estimate, mean_of
from fsgauge.stats.histogram import merge, quantile_of
from fsgauge.stats.metrics import CLIENT_OPERATIONS, SYNC, Reading, latencies, readings
from fsgauge.units import grouped

Key = tuple[str, str, str]
"""Metric, cell, system."""
Place = tuple[int, bool]
"""Block, and whether it is the baseline's second turn."""


class Placed(Protocol):
    """What was made in one turn of a block: a run, a scan, a step, or the turn itself."""

    @property
    def system(self) -> str: ...

    @property
    def block(self) -> int: ...

    @property
    def again(self) -> bool: ...


@dataclass(frozen=True)
class Together:
    """A quantile over the operations of all runs of a system, of which `short_runs` are too short
    for their own."""

    value: float
    runs: int
    short_runs: int


@dataclass(frozen=True)
class Withheld:
    """A quantile of a cell that systems with too few operations are not compared by: `few`.

    `enough` names those that had enough of them in every run; where the baseline had not, `alone`
    has their samples. `together` is what all runs of each of `few` say as one, where they have
    enough together.
    """

    metric: str
    cell: str
    few: list[str]
    enough: list[str]
    alone: Samples
    together: dict[str, Together]


@dataclass
class Samples:
    """`logs[metric, cell, system][block, again]` is the log of a run's value.

    `reaches` has the same keys, of those alone whose value is known to a bucket. `level` is that at
    which intervals are drawn so that they hold the truth in 95 of 100 studies.
    """

    plan: Plan
    logs: dict[Key, dict[Place, float]] = field(default_factory=dict)
    reaches: dict[Key, dict[Place, float]] = field(default_factory=dict)
    level: float = LEVEL
    withheld: list[Withheld] = field(default_factory=list)
    idle: dict[Key, set[Place]] = field(default_factory=dict)
    """Places whose value is only the most, or least, that a run which did nothing can have had."""
    nothing: dict[Key, tuple[int, int]] = field(default_factory=dict)
    """What a system did nothing of in half of its runs or more: in how many of how many. It has no
    value and no ratio: most of one would be that bound."""

    def idle_blocks(self, metric: str, cell: str, system: str) -> set[int]:
        """Blocks in which all of a system's runs did nothing of it."""
        key = metric, cell, system
        places = self.logs.get(key, {})
        idle = self.idle.get(key, set())
        return {block for block, _ in idle if all(p in idle for p in places if p[0] == block)}

    def beside(self, plan: Plan | None = None) -> Samples:
        """None yet, of the same study: what is drawn from them has intervals of its level. With a
        `plan`, of other turns of the study."""
        return Samples(plan or self.plan, level=self.level)

    def add(self, key: Key, place: Place, reading: Reading) -> None:
        """The value of one run; it must be above zero."""
        self.logs.setdefault(key, {})[place] = math.log(reading.value)
        if reading.reach:
            self.reaches.setdefault(key, {})[place] = reading.reach

    def put(self, name: str, cell: str, made: Placed, value: float) -> None:
        """A number on the scale on which it is averaged: a log, or a share or length as it is."""
        self.logs.setdefault((name, cell, made.system), {})[made.block, made.again] = value

    def put_runs(
        self,
        runs: Iterable[RunRecord],
        numbers: Callable[[RunRecord], Iterable[tuple[str, float]]],
        scale: Callable[[float], float] = math.log,
    ) -> Samples:
        """These, with the numbers by name of each run that was measured to its end."""
        for run in filter(is_complete, runs):
            for name, value in numbers(run):
                self.put(name, run.cell.id, run, scale(value))
        return self

    def blocks(self) -> list[int]:
        return self._blocks

    def has_again(self, block: int) -> bool:
        """Whether the baseline was to run twice in this block."""
        return block in self._twice

    def has_twin(self, system: str) -> bool:
        """Whether a block's value of this system is the mean of two turns."""
        return system == self.plan.baseline and bool(self._twice)

    @cached_property
    def _blocks(self) -> list[int]:
        return sorted({turn.block for turn in self.plan.turns})

    @cached_property
    def _twice(self) -> frozenset[int]:
        """Blocks in which the baseline was to run twice: asked for each value of each system."""
        return frozenset(turn.block for turn in self.plan.turns if turn.again)

    def of(self, metric: str, cell: str, system: str) -> dict[tuple[int, bool], float]:
        """What there is of one metric, cell and system, by block and turn."""
        return self.logs.get((metric, cell, system), {})

    def block_logs(self, metric: str, cell: str, system: str) -> dict[int, float]:
        """One log value a complete block; of the baseline, the mean of its two turns."""
        found = self.of(metric, cell, system)
        complete: dict[int, float] = {}
        for block in self.blocks():
            turns = [False]
            if system == self.plan.baseline and self.has_again(block):
                turns = [False, True]
            if all((block, again) in found for again in turns):
                complete[block] = sum(found[block, again] for again in turns) / len(turns)
        return complete

    def number(self, metric: str, cell: str, system: str) -> Estimate | None:
        """The geometric mean of a system's blocks, with its interval; None without any."""
        logs, reach = self.block_logs(metric, cell, system), self.reach(metric, cell, system)
        return self.over_blocks(logs, reach=reach)

    def over_blocks(
        self, logs: ByBlock, *, shift: float = 0.0, reach: float = 0.0, least: float = 0.0
    ) -> Estimate | None:
        return estimate(logs, shift=shift, reach=reach, level=self.level, least=least)

    def plain_mean(
        self, name: str, cell: str, system: str, scale: Callable[[float], float] = float
    ) -> Estimate | None:
        """The arithmetic mean of what was put as it is, with its interval, through `scale`."""
        return mean_of(self.block_logs(name, cell, system), scale, level=self.level)

    def noise_log_ratios(self, metric: str, cell: str) -> dict[int, float]:
        """By block, the log of the baseline's later turn over its earlier one: A/A."""
        order = self._baseline_turns(cell)
        twins = self.twin_log_ratios(metric, cell).items()
        return {block: log if order[block][-1] else -log for block, log in twins}

    def twin_log_ratios(self, metric: str, cell: str) -> dict[int, float]:
        """By block, the log of the baseline's twin over its other turn: A/A by the plan's lot."""
        found = self.of(metric, cell, self.plan.baseline)
        idle = self.idle_blocks(metric, cell, self.plan.baseline)
        return {
            block: found[block, True] - found[block, False]
            for block in self._baseline_turns(cell)
            if (block, True) in found and (block, False) in found and block not in idle
        }

    def reach(self, metric: str, cell: str, system: str) -> float:
        """The furthest that a run of one metric, cell and system may be from its true value."""
        return max(self.reaches.get((metric, cell, system), {}).values(), default=0.0)

    def noise_reach(self, metric: str, cell: str) -> float:
        """How far the baseline's ratio to itself may be off: both of its turns may be."""
        return 2 * self.reach(metric, cell, self.plan.baseline)

    def _baseline_turns(self, cell: str) -> dict[int, list[bool]]:
        """By block in which the baseline has a cell twice, the `again` marks in order of time."""
        order = grouped(
            (turn.block, turn.again)
            for turn in sorted(self.plan.turns, key=lambda turn: (turn.block, turn.turn))
            if turn.system == self.plan.baseline and cell in turn.cells and not turn.over_path
        )
        return {block: marks for block, marks in order.items() if len(marks) == 2}


def collect(plan: Plan, runs: Iterable[RunRecord], *, level: float = LEVEL) -> Samples:
    """The samples of all runs of the plan's blocks that were measured to their end."""
    samples = Samples(plan, level=level)
    blocks = set(samples.blocks())
    measured = [run for run in runs if run.block in blocks and is_complete(run)]
    bounds: list[tuple[RunRecord, str, Reading]] = []
    for run in measured:
        if run.result is None:
            continue
        found = {**readings(run.result), **_at_once(run), **_write_back(run)}
        if run.command is not None:
            found["complete"] = Reading(run.result.elapsed_ns)
        for metric, reading in found.items():
            key = metric, run.cell.id, run.system
            samples.add(key, (run.block, run.again), reading)
            if not timed_operations(run.result) and metric in ("iops", "bandwidth"):
                samples.idle.setdefault(key, set()).add((run.block, run.again))
        bounds += [(run, name, most) for name, most in at_most(run).items() if name not in found]
    for run, metric, reading in bounds:
        if _is_known(metric, run, samples):
            key = metric, run.cell.id, run.system
            samples.add(key, (run.block, run.again), reading)
            samples.idle.setdefault(key, set()).add((run.block, run.again))
    withhold(samples, measured)
    _withhold_times(samples, measured)
    _without_idle(samples)
    return samples


def _without_idle(samples: Samples) -> None:
    """Take out what a system did nothing of in half of its runs or more."""
    for key, places in list(samples.idle.items()):
        runs = len(samples.logs[key])
        if 2 * len(places) >= runs:
            samples.nothing[key] = len(places), runs
            del samples.logs[key], samples.idle[key]
            samples.reaches.pop(key, None)


def _withhold_times(samples: Samples, runs: Sequence[RunRecord]) -> None:
    """Take out the time to complete of a system that did not in some run: that is its slowest."""
    for run in runs:
        if not _has(samples, "complete", run):
            samples.logs.pop(("complete", run.cell.id, run.system), None)


def at_most(run: RunRecord) -> dict[str, Reading]:
    """What a run can have done at most of something that it did nothing of, and its operations have
    taken at least: one in its window."""
    result = run.result
    if isinstance(run.job, CommandJob) or result is None or not result.elapsed_ns:
        return {}
    rate, took = 1e9 / result.elapsed_ns, Reading(result.elapsed_ns)
    if isinstance(run.job, ForeignJob):  # nothing is known of what was asked
        return {"iops": Reading(rate)}
    if isinstance(run.job, ClientsJob):
        moved = rate * run.job.files.record_size_bytes
        of_each = moved / max(len(result.jobs), 1)
        most = {"iops": rate, "files": rate, "bandwidth": moved, "per_client": of_each}
        operations: Sequence[str] = ("read", "write", *CLIENT_OPERATIONS)
    else:
        most = {"iops": rate, "bandwidth": rate * factors_of(run.cell).operation_bytes}
        sides = {"read": run.job.read_percent > 0, "write": run.job.read_percent < 100}
        sides[SYNC] = run.job.sync.kind in ("fsync", "fdatasync")
        operations = [side for side, is_asked in sides.items() if is_asked]
    means = {f"{operation}.mean": took for operation in operations}
    return {name: Reading(each) for name, each in most.items()} | means


def _is_known(metric: str, run: RunRecord, samples: Samples) -> bool:
    """Whether a run was to do it: a load is, and clients are where others of their cell did it."""
    did_nothing = run.load is not None and run.result and not timed_operations(run.result)
    if did_nothing and metric != f"{SYNC}.mean":
        return True
    return any(samples.of(metric, run.cell.id, system) for system in samples.plan.systems)


def _at_once(run: RunRecord) -> dict[str, Reading]:
    """Rates while all hosts ran, where several began together for a given time."""
    window = common_window(run)
    if window is None:
        return {}
    size_bytes = max(window.size_bytes, factors_of(run.cell).operation_bytes)
    return {
        "iops": Reading(max(window.operations, 1.0) / window.seconds),
        "bandwidth": Reading(size_bytes / window.seconds),
    }


def _write_back(run: RunRecord) -> dict[str, Reading]:
    """What a slice's sync took after it, on average over the run, where slices pay for theirs."""
    took = [each.sync_ns for part in run.parts for each in part.slices if each.sync_ns is not None]
    return {"write_back": Reading(sum(took) / len(took))} if sum(took) else {}


def withhold(samples: Samples, runs: Sequence[RunRecord]) -> None:
    """Take out each quantile of a cell of the systems some of whose runs lack it, and of all where
    the baseline is one of them."""
    of_cell = grouped((run.cell.id, run) for run in runs)
    quantiles = {metric for metric, _, _ in samples.logs if metric.rpartition(".")[2] in QUANTILES}
    for metric, cell in sorted({(m, c) for m, c, _ in samples.logs if m in quantiles}):
        lacking = [run for run in of_cell.get(cell, []) if not _has(samples, metric, run)]
        if not lacking:
            continue
        names = {run.system for run in of_cell[cell]}
        systems = [name for name in samples.plan.systems if name in names]
        few = [name for name in systems if name in {run.system for run in lacking}]
        enough = [name for name in systems if name not in few]
        together = {name: _together(metric, name, of_cell[cell], lacking) for name in few}
        alone = samples.beside()
        for system in few if samples.plan.baseline in enough else samples.plan.systems:
            key = (metric, cell, system)
            logs, reaches = samples.logs.pop(key, None), samples.reaches.pop(key, None)
            if system in enough and logs is not None:
                alone.logs[key] = logs
                alone.reaches |= {} if reaches is None else {key: reaches}
        known = {name: each for name, each in together.items() if each is not None}
        samples.withheld.append(Withheld(metric, cell, few, enough, alone, known))


def _has(samples: Samples, metric: str, run: RunRecord) -> bool:
    return (run.block, run.again) in samples.of(metric, run.cell.id, run.system)


def _together(
    metric: str, system: str, runs: Sequence[RunRecord], lacking: Sequence[RunRecord]
) -> Together | None:
    operation, _, part = metric.rpartition(".")
    own = [run for run in runs if run.system == system]
    each = [latencies(run.result).get(operation) for run in own if run.result is not None]
    done = [histogram for histogram in each if histogram is not None and histogram.operations]
    if len(done) < len(own):  # a run that did nothing has no latency: it is worse than any
        return None
    found = merge(done)
    quantile = quantile_of(found, QUANTILES[part]) if found is not None else None
    if quantile is None:
        return None
    return Together(quantile.value_ns, len(own), sum(run.system == system for run in lacking))


def is_complete(run: RunRecord) -> bool:
    """Measured, and not cut short."""
    return run.result is not None and run.result.ended != "interrupted"


def complete_blocks(samples: Samples, runs: Sequence[RunRecord]) -> int:
    """Blocks of which every planned run was measured to its end."""
    done = filter(is_complete, runs)
    return len(whole_blocks(samples.plan, done, [cell.id for cell in samples.plan.cells]))


def whole_blocks(plan: Plan, runs: Iterable[RunRecord], cells: Collection[str]) -> list[int]:
    """The blocks of which every planned run of these cells is among `runs`."""
    done = {(run.block, run.turn, run.cell.id) for run in runs}
    missing = {
        turn.block
        for turn in plan.turns
        for cell in turn.cells
        if cell in cells and (turn.block, turn.turn, cell) not in done
    }
    return sorted({turn.block for turn in plan.turns} - missing)
