"""How far a study is: runs done, time left, a run's rate, a ratio so far, the noise so far."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fsgauge import kinds
from fsgauge.engine import wire
from fsgauge.progress import Progress
from fsgauge.record.command import CommandJob
from fsgauge.record.records import Plan, RunRecord, turn_title
from fsgauge.stats.under_load import load_ns
from fsgauge.study.model import Study
from fsgauge.units import count, figure, format_bandwidth, format_duration, format_rate

if TYPE_CHECKING:
    from fsgauge.stats.pilot import NoiseSoFar


@dataclass
class Tally:
    plan: Plan
    study: Study | None = None
    """Asked for the noise; without it there is none."""
    started: float = field(default_factory=time.monotonic)
    runs: list[RunRecord] = field(default_factory=list)
    _counted: int = 0
    _load_ns: int = 0
    _of: dict[tuple[str, str], list[RunRecord]] = field(default_factory=dict)
    """The samples so far by system and cell: a line costs alike at the end of a long study."""

    @property
    def total(self) -> int:
        return sum(len(turn.cells) for turn in self.plan.all_turns)

    @property
    def share(self) -> float:
        return len(self.runs) / self.total if self.total else 1.0

    def left(self) -> str:
        """Time left: by the plan at first, by the runs once a turn is done; "" at the end, and
        where it took longer."""
        if len(self.runs) >= self.total:
            return ""
        elapsed = time.monotonic() - self.started
        expected = self.plan.expected_seconds
        if len(self.runs) >= len(self.plan.cells):
            expected = elapsed / self.share
        if self.plan.race is not None:
            expected = self.plan.race.within(expected)
        left_ns = int((expected - elapsed) * 1e9)
        return f"{format_duration(left_ns)} left" if left_ns > 0 else ""

    def under_load(self) -> str:
        """ "81 % under load": how much of the time since the start the load ran; "" at first."""
        elapsed_ns = (time.monotonic() - self.started) * 1e9
        if not self.runs or elapsed_ns <= 0:
            return ""
        self._count()
        return f"{100 * self._load_ns / elapsed_ns:.0f} % under load"

    def so_far(self, record: RunRecord) -> str:
        """The cell's mean ratio to the baseline over the blocks measured so far, or empty. As in
        the report, a block's baseline is the geometric mean of its turns, once both are done."""
        if not self._is_judged():
            return ""
        ours = self._logs(record, record.system)
        base = self._logs(record, self.plan.baseline)
        logs = [ours[block] - base[block] for block in ours if block in base]
        if record.system == self.plan.baseline or not _is_sample(record) or not logs:
            return ""
        mean = math.exp(sum(logs) / len(logs))
        what = _judged(record)[1]
        return f"so far {mean:.2f} of {self.plan.baseline}{what} ({count(len(logs), 'block')})"

    def outcome(self, record: RunRecord) -> str:
        """A run in a few words: "transactions a second: 1,810" where the study compares what a
        program prints, as its time may be what it was told to take."""
        if self._is_judged() or not isinstance(record.job, CommandJob) or record.command is None:
            return outcome(record)
        for number in record.job.numbers:
            value = record.command.values.get(number.name)
            if value is not None and self.is_compared(number.name) and record.fault is None:
                return f"{number.name}: {figure(value)} {number.unit}".rstrip()
        return outcome(record)

    def is_compared(self, number: str) -> bool:
        """Whether the study compares that number of its program."""
        return self.study is not None and getattr(self.study.workload, "primary", None) == number

    def noise(self, record: RunRecord) -> NoiseSoFar | None:
        """How noisy it has turned out, with the last run of a block; None at any other time."""
        if not self._is_judged() or self.study is None or not self._is_last_of_block(record):
            return None
        from fsgauge.stats.pilot import noise_so_far

        margin = self.study.plan.equivalence_percent
        return noise_so_far(self.plan, self.study.workload.kind, self.runs, margin)

    def _is_judged(self) -> bool:
        """Whether rates are what the study compares."""
        return self.study is None or not self.study.workload.is_judged_by_own_number

    def _is_last_of_block(self, record: RunRecord) -> bool:
        planned = sum(len(turn.cells) for turn in self.plan.turns if turn.block == record.block)
        return sum(run.block == record.block for run in self.runs) == planned

    def _count(self) -> None:
        for run in self.runs[self._counted :]:
            self._load_ns += load_ns(run)
            if _is_sample(run):
                self._of.setdefault((run.system, run.cell.id), []).append(run)
        self._counted = len(self.runs)

    def _logs(self, like: RunRecord, system: str) -> dict[int, float]:
        self._count()
        found: dict[int, list[float]] = {}
        for run in self._of.get((system, like.cell.id), ()):
            if value := _judged(run)[0]:
                found.setdefault(run.block, []).append(math.log(value))
        return {block: sum(logs) / len(logs) for block, logs in found.items()}


class Counting(Progress):
    """A view that keeps count of the runs, from the study's start on in its `tally`."""

    tally: Tally

    def counted(self, record: RunRecord) -> list[str]:
        """Count a run, and say it in parts: its turn, its cell, its rate, its ratio so far."""
        self.tally.runs.append(record)
        turn = turn_title(record.system, again=record.again, over_path=record.over_path)
        return [turn, record.cell.name, self.tally.outcome(record), self.tally.so_far(record)]

    def raced(self, plan: Plan, words: str) -> None:
        self.tally.plan = plan
        if words:
            self.race_stands(words)

    def race_stands(self, words: str) -> None:
        """Say how the race stands."""


def _judged(run: RunRecord) -> tuple[float, str]:
    """What the answer compares of a run, 0 where there is none: its rate, or a time and whose. A
    ratio of rates is the inverse of what the answer says of times."""
    from fsgauge.stats.asked_number import commits_in
    from fsgauge.stats.metrics import METRICS, values
    from fsgauge.stats.run_checks import rate_offered

    result = run.result
    if result is None or not result.elapsed_ns:
        return 0.0, ""
    if run.command is not None:
        return float(result.elapsed_ns), "'s time"
    analysis = kinds.part(run.cell.kind, "analysis").ANALYSIS
    metric = METRICS[analysis.primary_metric(run.cell, paced=rate_offered(run) is not None)]
    if metric.unit == "ns":
        return values(result).get(metric.name, 0.0), f"'s {metric.label}"
    # What did nothing had fewer than one in its time.
    rate = max(operations_per_second(run), 1e9 / result.elapsed_ns)
    if metric.name == "iops" and commits_in([run], [run.cell]):
        return 1 / rate, "'s time of a commit"
    return rate, ""


def _is_sample(run: RunRecord) -> bool:
    """Whether it counts in the comparison by its rate: that of a curve's run was given."""
    return not (run.over_path or run.struck or run.cell.pace)


def operations_per_second(record: RunRecord) -> float:
    """All operations of a run's measured part over its time; 0 where it failed."""
    result = record.result
    if result is None or result.elapsed_ns == 0:
        return 0.0
    return wire.timed_operations(result) * 1e9 / wire.elapsed_with_finish_ns(result)


def outcome(record: RunRecord) -> str:
    """A run in a few words: its rate, or what went wrong."""
    if record.struck:
        faults = ", ".join(each.strike.title for each in record.struck)
        rest = record.fault.what if record.fault else _rate(record)
        return f"a fault on purpose ({faults}): {rest}"
    if record.fault is not None:
        return f"failed: {record.fault.what}"
    if record.result is not None and record.command is not None:
        return format_duration(record.result.elapsed_ns)
    if record.result is not None and record.result.clients is not None:
        return _outcome_of_clients(record.result, record.result.clients)
    return _rate(record)


LARGE_OPERATION_BYTES = 1 << 20
"""From this mean size on, operations are told by their bytes."""


def _rate(record: RunRecord) -> str:
    from fsgauge.record.factors import unit_in
    from fsgauge.stats.asked_number import commits_in

    rate = operations_per_second(record)
    sides = wire.sides_of(record.result) if record.result is not None else []
    operations = sum(side.operations for side in sides)
    size_bytes = sum(side.size_bytes for side in sides)
    if operations and size_bytes >= LARGE_OPERATION_BYTES * operations:
        return format_bandwidth(rate * size_bytes / operations)
    return format_rate(rate, unit_in(record.cell, "IOPS", commits_in([record], [record.cell])))


def _outcome_of_clients(result: wire.LoadResult, clients: wire.ClientsResult) -> str:
    """Files and time, and what went wrong with some of them."""
    wrong = {
        "files given up": clients.files_given_up,
        "clients gave up": clients.clients_gave_up,
        "bad records": clients.bad_records,
    }
    parts = [f"{count(clients.files, 'file')} in {format_duration(result.elapsed_ns)}"]
    parts += [f"{number} {what}" for what, number in wrong.items() if number]
    return ", ".join(parts)
