"""What is read out of a run: each metric's name, unit, direction and value.

Takes a `wire.LoadResult`; gives one number a metric. The direction is declared here and nowhere
guessed. A latency is the response latency when the load had a pace and the service time when it
had none (`latency_kind`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from fsgauge.stats.histogram import mean_ns, quantile_ns
from fsgauge.wire import Histogram, LoadResult, OperationResult

Unit = Literal["IOPS", "B/s", "ns"]
LatencyKind = Literal["service", "response"]

QUANTILES = {"p50": 0.5, "p99": 0.99, "p999": 0.999}
BUCKET = 1 / 64
"""The widest bucket of a latency histogram, as a share of its value."""


@dataclass(frozen=True)
class Metric:
    """One number of a run. `resolution` is the step in which it can change, as a share of it."""

    name: str
    label: str
    unit: Unit
    higher_is_better: bool
    page: str
    resolution: float = 0.0


def _latency(operation: str, part: str, label: str) -> Metric:
    resolution = BUCKET if part in QUANTILES else 0.0
    return Metric(f"{operation}.{part}", f"{operation} {label}", "ns", False, part, resolution)


METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric("iops", "operations per second", "IOPS", True, "iops"),
        Metric("bandwidth", "bandwidth", "B/s", True, "bandwidth"),
        *(
            _latency(operation, part, label)
            for operation in ("read", "write")
            for part, label in (
                ("mean", "mean latency"),
                ("p50", "p50 latency"),
                ("p99", "p99 latency"),
                ("p999", "p99.9 latency"),
            )
        ),
        Metric("cpu", "CPU time of the load threads per I/O", "ns", False, "cpu"),
        Metric("machine_cpu", "CPU time of the machine per I/O", "ns", False, "machine_cpu"),
    )
}
"""Every metric, in the order in which reports show them."""


def values(result: LoadResult) -> dict[str, float]:
    """Each metric that this run can answer; the others are absent."""
    operations = sum(part.operations for part in _parts(result))
    if operations == 0 or result.elapsed_ns == 0:
        return {}
    size_bytes = sum(part.size_bytes for part in _parts(result))
    cpu_ns = result.cpu.user_ns + result.cpu.system_ns
    found: dict[str, float | None] = {
        "iops": operations * 1e9 / result.elapsed_ns,
        "bandwidth": size_bytes * 1e9 / result.elapsed_ns,
        "cpu": cpu_ns / operations,
        "machine_cpu": result.machine_cpu.busy_ns / operations,
    }
    for name, part in (("read", result.read), ("write", result.write)):
        if part is not None and part.operations:
            histogram = latency_of(part)
            found[f"{name}.mean"] = mean_ns(histogram)
            for key, quantile in QUANTILES.items():
                found[f"{name}.{key}"] = quantile_ns(histogram, quantile)
    return {name: value for name, value in found.items() if value is not None and value > 0}


def latency_of(part: OperationResult) -> Histogram:
    """The histogram that latencies are read from: from the intended start where there is one."""
    return part.service_latency if part.response_latency is None else part.response_latency


def primary_metric(*, paced: bool, read_percent: int) -> str:
    """What a cell is judged by: its rate; under a pace, which sets the rate, the p99 latency."""
    if not paced:
        return "iops"
    return "read.p99" if read_percent >= 50 else "write.p99"


def _parts(result: LoadResult) -> list[OperationResult]:
    return [part for part in (result.read, result.write) if part is not None]
