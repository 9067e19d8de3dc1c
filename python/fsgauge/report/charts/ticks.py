"""Ticks for a logarithmic axis of ratios."""

from __future__ import annotations

import math
from collections.abc import Sequence

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
