"""What a load curve shows: part of report.json."""

from __future__ import annotations

from typing import Literal

from fsgauge.stats.estimate import Estimate
from fsgauge.stats.result_model import OwnResults, ResultModel

State = Literal["measured", "at least", "less than", "unsteady", "nothing"]
"""A number; a lower bound, as the limit was never reached in some block; an upper bound, as the
least rate was over it in all; in some blocks alone; no run that says anything."""
LimitedBy = Literal["service", "queue", "processors", "rig", "engine", ""]


class CurvePoint(ResultModel):
    """A rate on one system's curve: the quantile of latency there in ns, over blocks, each of which
    has its own line."""

    load: str
    system: str
    rate: float
    latency: Estimate


class Capacity(ResultModel):
    """What one system carries of one load below the limit.

    `bound` is the rate that a state which is no number speaks of, `bound_latency_ns` the latency at
    it, in `bound_blocks` of `blocks` blocks; `helps` is what to ask next where it is an upper one.
    `knee` is where rate over latency is highest.
    `limited_by` says what stood in the way just above; `late` counts runs in which the engine could
    not offer the rate, `few` those with too few operations for the quantile.
    """

    load: str
    system: str
    state: State
    number: Estimate | None
    bound: float | None = None
    bound_latency_ns: float | None = None
    bound_blocks: int = 0
    helps: str = ""
    blocks: int
    knee: Estimate | None
    limited_by: LimitedBy
    limited_words: str
    late: int = 0
    few: int = 0


class CurveResults(OwnResults):
    """`operation` is what the quantile is of, by load."""

    mode: Literal["curve"] = "curve"
    limit_ns: int
    quantile: str
    operation: dict[str, str]
    points: list[CurvePoint]
    capacities: list[Capacity]

    def capacity(self, load: str, system: str) -> Capacity | None:
        return next((e for e in self.capacities if (e.load, e.system) == (load, system)), None)
