"""What report.json has of growth: the scalability law of a system, and several hosts at once."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from fsgauge.plain_files.kept import Kept
from fsgauge.stats.estimate import Estimate
from fsgauge.stats.result_model import ResultModel
from fsgauge.units import figure

FitState = Literal["fits", "does not fit", "cannot tell", "too few counts", "too few blocks"]
"""Of the law: `cannot tell` where the blocks scatter so much that no answer would mean a thing."""


class UslFit(Kept):
    """The Universal Scalability Law X(N) = rate N / (1 + contention (N-1) + coherency N (N-1)).

    Numbers are absent unless it fits; the two residuals, of log X, are there whenever it was tried.
    `peak_at` only with an interval, and inside 1.5 times the measured range. `curve` is
    (N, value, low, high), for drawing; it goes on to 1.5 times the largest measured number.
    Source: N. Gunther, Guerrilla Capacity Planning, 2007, chapter 4.
    """

    state: FitState
    reason: str
    rate: Estimate | None = None
    contention: Estimate | None = None
    coherency: Estimate | None = None
    residual_deviation: float | None = None
    largest_residual: float | None = None
    peak_at: Estimate | None = None
    curve: list[tuple[float, float, float, float]] = Field([])

    @property
    def was_tried(self) -> bool:
        return not self.state.startswith("too few")

    @property
    def words(self) -> str:
        """The law in a few words: "contention 0.04, coherency 0.002; peak at 14"."""
        if self.state != "fits" or self.contention is None or self.coherency is None:
            return self.state
        text = f"contention {self.contention.value:.2g}, coherency {self.coherency.value:.2g}"
        if self.peak_at is None:
            return f"{text}; no peak within range"
        return f"{text}; peak at {figure(self.peak_at.value)}"


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
