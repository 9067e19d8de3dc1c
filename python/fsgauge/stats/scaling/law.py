"""The scalability law of one system as statistics found it, for report.json."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from fsgauge.plain_files.kept import Kept
from fsgauge.stats.estimate import Estimate
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
