"""What a load measured."""

from __future__ import annotations

from typing import Literal

from fsgauge.wire.base import Wire
from fsgauge.wire.clients import ClientsResult
from fsgauge.wire.engine import Engine, Features, Note
from fsgauge.wire.histogram import Histogram


class OperationResult(Wire):
    operations: int
    size_bytes: int
    errors: int
    service_latency: Histogram
    response_latency: Histogram | None = None
    backlog_dropped: int


class IntervalCount(Wire):
    operations: int
    size_bytes: int
    latency_sum_ns: int


class Interval(Wire):
    start_ns: int
    elapsed_ns: int
    warm_up: bool
    read: IntervalCount
    write: IntervalCount


class SelfMeasure(Wire):
    """The engine measured on the null target, in this run's configuration."""

    null_ns_per_operation: float
    clock_ns_per_read: float
    clock: Literal["tsc", "clock_gettime"]
    stamps: Literal["operation", "batch"]


class JobShare(Wire):
    """One job's part; `elapsed_ns` is its own time where jobs end by themselves (passes)."""

    operations: int
    size_bytes: int
    elapsed_ns: int | None = None


class SyncResult(Wire):
    calls: int
    latency: Histogram


class CompanionResult(Wire):
    role: Literal["reader", "log"]
    count: int
    operations: int
    size_bytes: int
    latency: Histogram


class FaultyBlock(Wire):
    fault: Literal["corrupt", "torn", "foreign", "stale", "lost"]
    file: int
    offset_bytes: int
    first_byte: int
    detail: str


class IntegrityResult(Wire):
    """What reading everything back found; `faulty` names the first blocks, at most 20."""

    checked_blocks: int
    corrupt_blocks: int
    torn_blocks: int
    foreign_blocks: int
    stale_blocks: int
    lost_blocks: int
    faulty: list[FaultyBlock]
    elapsed_ns: int


class Limits(Wire):
    """The rate of this very load without a device, all jobs together."""

    null_operations_per_second: float
    memory_operations_per_second: float
    memory_touched_operations_per_second: float


class ProcessorTime(Wire):
    """Time of the load threads in the measured window."""

    user_ns: int
    system_ns: int
    threads: int


class MachineProcessorTime(Wire):
    """Time of the whole machine in the measured window (/proc/stat)."""

    busy_ns: int
    total_ns: int


class Steady(Wire):
    """The engine's verdict on the measured part; shares are of the mean rate."""

    judged: bool
    reached: bool
    rounds: int
    range_share: float | None = None
    slope_share: float | None = None
    change_point_ns: int | None = None
    change_share: float | None = None
    reason: str | None = None


class Drain(Wire):
    """What was in flight when the time was up; it counts until it is answered."""

    operations: int
    elapsed_ns: int
    unanswered: int


class Pauses(Wire):
    """What kept the engine itself from its work in the measured part."""

    total_ns: int
    longest_ns: int
    longest_start_ns: int | None = None
    late_start_ns: int
    starved_ns: int | None = None
    clock_error_ns: int
    wall_clock_step_ns: int


class LoadResult(Wire):
    format: Literal[1]
    kind: Literal["load"]
    engine: Engine
    interface: Literal["io_uring", "psync"]
    features: Features | None = None
    notes: list[Note]
    ended: Literal["duration", "size_limit", "interrupted"]
    started_unix_ns: int
    warm_up_ns: int
    elapsed_ns: int
    read: OperationResult | None = None
    write: OperationResult | None = None
    jobs: list[JobShare]
    in_flight_mean: float
    cpu: ProcessorTime
    machine_cpu: MachineProcessorTime
    intervals: list[Interval]
    steady: Steady | None = None
    self_measure: SelfMeasure
    sync: SyncResult | None = None
    companions: list[CompanionResult] = []
    integrity: IntegrityResult | None = None
    limits: Limits | None = None
    drain: Drain | None = None
    pauses: Pauses | None = None
    clients: ClientsResult | None = None

    @property
    def sides(self) -> list[OperationResult]:
        """Reads and writes, as far as there are any."""
        return [side for side in (self.read, self.write) if side is not None]

    @property
    def timed_operations(self) -> int:
        """Of any kind, in the measured part: with many clients also opens and the like."""
        parts = self.sides if self.clients is None else self.clients.timed
        return sum(part.operations for part in parts)
