"""Runs as samples: one value a metric, cell, system and turn of a block; and their pairing.

Takes run records; gives log ratios by block. The sample unit is the block: what one block has of
a cell is compared within that block alone.

The baseline's value in a block is the geometric mean of its two turns, for two reasons. With runs
of equal variance v, the log ratio of a system to it has variance 1.5 v, against 2 v with one turn
alone. And its covariance with A/A, the difference of the two turns, is (v - v) / 2 = 0: the
measure of noise is independent of the estimates it stands beside, where a ratio to the first turn
alone would be correlated with it by 0.5.

A percentile is known to its bucket alone, and runs of one system often share one, so that blocks
do not average the error away. Each sample therefore has a reach: how far, as a log, the true value
may lie from the one that is taken, the middle of the bucket. Reaches of both sides of a ratio add
up (interval arithmetic), and its interval is wider by them on both sides.

A block in which any of these runs is missing is left out of that pairing, and reported.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from fsgauge.record import Plan, RunRecord
from fsgauge.stats.metrics import Reading, readings

Key = tuple[str, str, str]
"""Metric, cell, system."""
Place = tuple[int, bool]
"""Block, and whether it is the baseline's second turn."""


class Placed(Protocol):
    """What was made in one turn of a block: a run, a scan, a step, or the turn itself."""

    @property
    def system(self) -> str: ...  # noqa: D102

    @property
    def block(self) -> int: ...  # noqa: D102

    @property
    def again(self) -> bool: ...  # noqa: D102


@dataclass
class Samples:
    """`logs[metric, cell, system][block, again]` is the log of a run's value.

    `reaches` has the same keys, of those alone whose value is known to a bucket.
    """

    plan: Plan
    logs: dict[Key, dict[Place, float]] = field(default_factory=dict)
    reaches: dict[Key, dict[Place, float]] = field(default_factory=dict)

    def add(self, key: Key, place: Place, reading: Reading) -> None:
        """The value of one run; it must be above zero."""
        self.logs.setdefault(key, {})[place] = math.log(reading.value)
        if reading.reach:
            self.reaches.setdefault(key, {})[place] = reading.reach

    def put(self, name: str, cell: str, made: Placed, value: float) -> None:
        """A number on the scale on which it is averaged: a log, or a share or length as it is."""
        self.logs.setdefault((name, cell, made.system), {})[made.block, made.again] = value

    def blocks(self) -> list[int]:
        """All planned blocks."""
        return sorted({turn.block for turn in self.plan.turns})

    def has_again(self, block: int) -> bool:
        """Whether the baseline was to run twice in this block."""
        return any(turn.block == block and turn.again for turn in self.plan.turns)

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

    def noise_log_ratios(self, metric: str, cell: str) -> dict[int, float]:
        """By block, the log of the baseline's later turn over its earlier one: A/A."""
        found = self.of(metric, cell, self.plan.baseline)
        ratios: dict[int, float] = {}
        for block, (earlier, later) in self._baseline_turns(cell).items():
            if (block, earlier) in found and (block, later) in found:
                ratios[block] = found[block, later] - found[block, earlier]
        return ratios

    def later_is_twin(self, cell: str) -> dict[int, bool]:
        """By block that has the baseline twice, whether the plan calls its later turn the twin."""
        return {block: later for block, (_, later) in self._baseline_turns(cell).items()}

    def reach(self, metric: str, cell: str, system: str) -> float:
        """The furthest that a run of one metric, cell and system may be from its true value."""
        return max(self.reaches.get((metric, cell, system), {}).values(), default=0.0)

    def noise_reach(self, metric: str, cell: str) -> float:
        """The same of the baseline's ratio to itself: both of its turns may be off."""
        return 2 * self.reach(metric, cell, self.plan.baseline)

    def _baseline_turns(self, cell: str) -> dict[int, list[bool]]:
        """By block in which the baseline has a cell twice, the `again` marks in order of time."""
        order: dict[int, list[bool]] = {}
        for turn in sorted(self.plan.turns, key=lambda turn: (turn.block, turn.turn)):
            if turn.over_path:
                continue
            if turn.system == self.plan.baseline and cell in turn.cells:
                order.setdefault(turn.block, []).append(turn.again)
        return {block: marks for block, marks in order.items() if len(marks) == 2}


def collect(plan: Plan, runs: Iterable[RunRecord]) -> Samples:
    """The samples of all runs that were measured to their end."""
    samples = Samples(plan)
    for run in runs:
        if not is_complete(run) or run.result is None:
            continue
        for metric, reading in readings(run.result).items():
            samples.add((metric, run.cell.id, run.system), (run.block, run.again), reading)
    return samples


def is_complete(run: RunRecord) -> bool:
    """Measured, and not cut short."""
    return run.result is not None and run.result.ended != "interrupted"


def complete_blocks(samples: Samples, runs: Sequence[RunRecord]) -> int:
    """Blocks of which every planned run was measured to its end."""
    done = {(run.block, run.turn, run.cell.id) for run in runs if is_complete(run)}
    missing = {
        turn.block
        for turn in samples.plan.turns
        for cell in turn.cells
        if (turn.block, turn.turn, cell) not in done
    }
    return len(set(samples.blocks()) - missing)
