"""What the pictures of several writers have in common: rows of points, and the y axes.

An interval that says nothing (`words.is_known`) has no ends; no interval stretches an axis.

From a line of `Scaling` to rows, one a measured number of writers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fsgauge.kinds.writers.analysis.model import Scaling, ScalingLine, ScalingPoint
from fsgauge.kinds.writers.factors import WritersFactors
from fsgauge.report import words
from fsgauge.report.charts import panels
from fsgauge.report.charts.law import linear_y, rate_title
from fsgauge.stats.estimate import Estimate
from fsgauge.stats.results import Results
from fsgauge.units import format_bandwidth

if TYPE_CHECKING:
    import altair as alt

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


RATE = Part("iops", rate_title("IOPS"), 240)
SHARE = Part("efficiency", "share of ideal", 110)
LATENCY = Part("p99_ns", "p99, µs", 110, 1e3, log=True)


def points_of(results: Results, scaling: Scaling, line: ScalingLine) -> list[dict[str, Any]]:
    """One row a measured number of writers; `x` is shifted, so that systems stand side by side.

    Each estimate is three fields: NAME, NAME_low and NAME_high, None where it is not known.
    """
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
            row |= _estimate(part, scaling.together(number) if part is SHARE else number)
        if point.writers == min(scaling.writer_counts):
            row |= dict.fromkeys(("efficiency", "efficiency_low", "efficiency_high"), 1.0)
        rows.append(row)
    return panels.styled(results, rows)


def _estimate(part: Part, estimate: Estimate | None) -> dict[str, float | None]:
    if estimate is None:
        return dict.fromkeys((part.field, f"{part.field}_low", f"{part.field}_high"))
    found: dict[str, float | None] = {part.field: estimate.value / part.divisor}
    known = words.is_known(estimate.low, estimate.high, estimate.n)
    for name, edge in (("low", estimate.low), ("high", estimate.high)):
        found[f"{part.field}_{name}"] = edge / part.divisor if known and edge is not None else None
    return found


def of_device(
    results: Results, scaling: Scaling, line: ScalingLine, point: ScalingPoint
) -> Estimate | None:
    """The rate as a share of the device's, with the interval that the page has everywhere else.

    Where the device is the baseline it is that of the verdict, corrected for all comparisons.
    """
    judged = results.comparison(point.cell, line.system, "iops")
    if scaling.device != results.baseline or judged is None:
        return point.of_device
    return Estimate(value=judged.ratio, low=judged.low, high=judged.high, n=judged.n)


def _tip(results: Results, scaling: Scaling, line: ScalingLine, point: ScalingPoint) -> str:
    name = f"{line.system}, {line.group}" if line.group else line.system
    plural = "" if point.writers == 1 else "s"
    parts = [f"{name}, {point.writers} writer{plural}"]
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


def y_of(part: Part, field: str, domain: list[float]) -> alt.Y:
    """A field on the y axis of its part, over this domain."""
    import altair as alt

    if not part.log:
        form = ".0%" if part.field == "efficiency" else "~s"
        ticks = 5 if part.height > 150 else 3
        return linear_y(field, domain, part.title, form=form, ticks=ticks)
    values = _round_values(domain[0], domain[1])
    axis = alt.Axis(title=part.title, format="~s", values=values, titlePadding=8)
    return alt.Y(f"{field}:Q", scale=alt.Scale(type="log", domain=domain, nice=False), axis=axis)


def _round_values(low: float, high: float, most: int = 5) -> list[float]:
    """Round numbers on a log axis: 1, 2 and 5 times powers of ten, or powers alone."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for steps in ((1, 2, 5), (1, 3), (1,)):
        values = [step * 10.0**power for power in powers for step in steps]
        values = [value for value in values if low <= value <= high]
        if len(values) <= most:
            return values
    return values[:: math.ceil(len(values) / most)]
