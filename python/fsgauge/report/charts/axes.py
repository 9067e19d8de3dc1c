"""The axis of what a chart shows: its limits, its ticks, and channels for fields along it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from fsgauge.report import vega


@dataclass(frozen=True)
class Along:
    """The axis that intervals are on: `limits` are the ends of the picture, `channel` makes the
    encoding of a field."""

    axis: Literal["x", "y"]
    limits: tuple[float, float]
    channel: Callable[[str], vega.Channel]
    log: bool = True


def along(
    axis: Literal["x", "y"],
    limits: tuple[float, float],
    *,
    log: bool = True,
    clamp: bool = False,
    **look: Any,  # noqa: ANN401 - properties of an axis
) -> Along:
    """An axis over these limits, and no further, that looks like this."""
    scale: dict[str, Any] = {"domain": list(limits), "nice": False}
    if log:
        scale["type"] = "log"
    if clamp:
        scale["clamp"] = True

    def channel(field: str) -> vega.Channel:
        return vega.field(f"{field}:Q", scale=scale, axis=look)

    return Along(axis, limits, channel, log)


def ratios(
    axis: Literal["x", "y"],
    limits: tuple[float, float],
    most: int = 8,
    **look: Any,  # noqa: ANN401 - properties of an axis, and `clamp`
) -> Along:
    """A log axis of ratios with at most `most` round ones named."""
    return along(axis, limits, values=ratio_ticks(*limits, most), **{"format": "~g", **look})


def amount(form: str = "~s") -> str:
    """A label of a linear axis in d3's form: "150k", and 0 without a unit."""
    return f"datum.value == 0 ? '0' : format(datum.value, '{form}')"


DURATION = (
    "datum.value >= 1e6 ? format(datum.value / 1e6, '~g') + ' s' : datum.value >= 1e3 ?"
    " format(datum.value / 1e3, '~g') + ' ms' : format(datum.value, '~g') + ' us'"
)
"""A number of us on an axis."""
AIR = 1.15
"""How far an axis of rates goes beyond the highest one."""


def rates_top(rows: Sequence[dict[str, Any]], field: str) -> float:
    """The upper end of an axis of rates: above every mean and every block's dot."""
    top: float = AIR * max(max([row[field], *row["blocks"]]) for row in rows)
    return top


def rates(limits: tuple[float, float], title: str, *, form: str = "~s", ticks: int = 5) -> Along:
    """A linear y axis, of rates from 0 on or of shares of them."""
    return along(
        "y", limits, log=False, title=title, labelExpr=amount(form), tickCount=ticks, titlePadding=8
    )


def rate_title(unit: str) -> str:
    return f"{unit} (higher is better)"


def round_values(low: float, high: float, most: int = 5) -> list[float]:
    """Round numbers on a log axis: 1, 2 and 5 times powers of ten, or powers alone; the ends
    where there are none."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for steps in ((1, 2, 5), (1, 3), (1,)):
        values = [step * 10.0**power for power in powers for step in steps]
        values = [value for value in values if low <= value <= high]
        if len(values) <= most:
            return values or [low, high]
    return values[:: math.ceil(len(values) / most)]


_FINE = (0.9, 0.92, 0.94, 0.96, 0.98, 1.0, 1.02, 1.04, 1.06, 1.08, 1.1)
_NEAR = (0.8, 0.85, 0.9, 0.95, 1.0, 1.05, 1.1, 1.15, 1.2)
_MIDDLE = (0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8)
_WIDE = (0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0)
_COARSE = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)
_PAD = 0.08


def ratio_domain(values: Sequence[float]) -> tuple[float, float]:
    """Limits that hold all values and 1, with some air, at least 0.95 to 1.05."""
    logs = [math.log(value) for value in values] + [math.log(0.95), math.log(1.05)]
    low, high = min(logs), max(logs)
    pad = _PAD * (high - low)
    return math.exp(low - pad), math.exp(high + pad)


def ratio_ticks(low: float, high: float, most: int = 8) -> list[float]:
    """At most `most` round ratios within the limits, 1 among them."""
    for candidates in (_FINE, _NEAR, _MIDDLE, _WIDE, _COARSE):
        covers = candidates[0] <= low * 1.06 and candidates[-1] >= high / 1.06
        ticks = [tick for tick in candidates if low <= tick <= high]
        if covers and len(ticks) <= most:
            return ticks
    ticks = [tick for tick in _COARSE if low <= tick <= high]
    while len(ticks) > most:
        ticks = [tick for index, tick in enumerate(ticks) if index % 2 == 0 or tick == 1.0]
    return ticks or [1.0]
