"""What the pictures of several writers have in common: rows of points, and the y axes.

From a line of `Scaling` to rows, one a measured number of writers. An interval that says nothing
(`words.is_known`) has no ends; no interval stretches an axis.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from fsgauge.kinds.writers.analysis.model import Scaling, ScalingLine, ScalingPoint
from fsgauge.kinds.writers.factors import WritersFactors
from fsgauge.report import words
from fsgauge.report.charts import axes, marks, panels
from fsgauge.report.charts.axes import Along
from fsgauge.stats.estimate import Estimate
from fsgauge.stats.results import Results
from fsgauge.units import count, format_bandwidth

BESIDE = 0.012
"""Systems at one number of writers stand this share of the axis apart."""


@dataclass(frozen=True)
class Part:
    """What a panel has on its y axis: the field's estimate, its axis and its scale."""

    field: str
    title: str
    height: int
    divisor: float = 1.0
    log: bool = False
    form: str = "~s"

    @property
    def fields(self) -> tuple[str, str, str]:
        return self.field, f"{self.field}_low", f"{self.field}_high"

    def along(self, limits: tuple[float, float]) -> Along:
        """The axis over these limits."""
        if not self.log:
            return axes.rates(limits, self.title, form=self.form, ticks=5 if self is RATE else 3)
        ticks = axes.round_values(*limits)
        return axes.along(
            "y", limits, title=self.title, format=self.form, values=ticks, titlePadding=8
        )


RATE = Part("iops", axes.rate_title("IOPS"), 240)
SHARE = Part("efficiency", "share of ideal", 110, form=".0%")
LATENCY = Part("p99_ns", "p99, µs", 110, 1e3, log=True)


def points_of(results: Results, scaling: Scaling, line: ScalingLine) -> list[dict[str, Any]]:
    """One row a measured number of writers; `x` is shifted, so that systems stand side by side.
    Each estimate is three fields: NAME, NAME_low and NAME_high, None where it is not known."""
    low, high = min(scaling.writer_counts), max(scaling.writer_counts)
    span = math.log(high / low) or 1.0
    middle = (len(results.systems) - 1) / 2
    shift = (results.systems.index(line.system) - middle) * BESIDE * span
    rows = []
    for point in line.points:
        if point.iops is None:
            continue
        row: dict[str, Any] = {
            "system": line.system,
            "group": line.group,
            "cell": point.cell,
            "writers": point.writers,
            "x": point.writers * math.exp(shift),
            "blocks": [rate for _, rate in point.blocks],
            "tip": _tip(results, scaling, line, point),
        }
        for part in (RATE, SHARE, LATENCY):
            number = getattr(point, part.field)
            number = scaling.together(number) if part is SHARE else number
            row[part.field] = None if number is None else number.value / part.divisor
            row |= marks.ends(number, f"{part.field}_", part.divisor)
        if point.writers == low:
            row |= dict.fromkeys(SHARE.fields, 1.0)
        rows.append(row)
    return panels.styled(results, rows)


def of_device(
    results: Results, scaling: Scaling, line: ScalingLine, point: ScalingPoint
) -> Estimate | None:
    """The rate as a share of the device's, with the interval that the page has everywhere else.
    Where the device is the baseline it is that of the verdict, corrected for all comparisons."""
    judged = results.comparison(point.cell, line.system, "iops")
    if scaling.device != results.baseline or judged is None:
        return point.of_device
    return Estimate(value=judged.ratio, low=judged.low, high=judged.high, n=judged.n)


def _tip(results: Results, scaling: Scaling, line: ScalingLine, point: ScalingPoint) -> str:
    name = f"{line.system}, {line.group}" if line.group else line.system
    parts = [f"{name}, {count(point.writers, 'writer')}"]
    if point.iops is not None:
        bandwidth = format_bandwidth(
            point.iops.value * WritersFactors.of(results.cell(point.cell)).block_size_bytes
        )
        parts[0] += f": {words.estimate(point.iops, 'IOPS')}, {bandwidth}"
    share = scaling.together(point.efficiency)
    if share is not None:
        parts.append(f"{words.share(share)} of ideal")
    if (share := of_device(results, scaling, line, point)) is not None:
        parts.append(f"{words.share(share)} of the device")
    if point.p99_ns is not None:
        parts.append(f"p99 {words.value(point.p99_ns.value, 'ns')}")
    return "; ".join(parts)
