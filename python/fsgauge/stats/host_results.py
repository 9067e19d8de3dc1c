"""What only several hosts at once have in report.json."""

from __future__ import annotations

from pydantic import Field

from fsgauge.stats.estimate import Estimate
from fsgauge.stats.result_model import ResultModel
from fsgauge.stats.scaling.law import UslFit


class HostNumbers(ResultModel):
    """One of several hosts. `share` is the rate of its jobs over that of the other hosts', the
    median over runs; times are those of its start after the common moment."""

    name: str
    share: float
    late_ns: int | None
    worst_late_ns: int | None
    clock_bound_ns: int | None


class HostPoint(ResultModel):
    """One system with so many hosts, the first ones of the fleet. `change` is X(N) / X(fewest),
    `efficiency` the share of ideal, X(N) fewest / (N X(fewest)); both are absent at the fewest.
    `blocks` is the rate in each block."""

    hosts: int
    cell: str
    rate: Estimate | None
    change: Estimate | None
    efficiency: Estimate | None
    blocks: list[tuple[int, float]]


class HostScaling(ResultModel):
    """One system in cells that differ in their number of hosts alone, with the scalability law.
    `group` is what the cells share: "randread 4 KiB, depth 32"; `metric` is what their rate is."""

    system: str
    group: str
    metric: str
    points: list[HostPoint]
    fit: UslFit


class HostsResult(ResultModel):
    """Several hosts at once, in the order of the study. Skew is how far apart their starts were in
    a run; `skew_bound_ns` is the most that it can have been, clocks included. `last_over_median`:
    when the last host ended, over when the median one did, in the worst run."""

    hosts: list[HostNumbers]
    left_out: list[str]
    runs: int
    skew_median_ns: int | None
    skew_most_ns: int | None
    skew_bound_ns: int | None
    last_over_median: float | None
    scaling: list[HostScaling] = Field(default=[], exclude_if=lambda value: not value)
