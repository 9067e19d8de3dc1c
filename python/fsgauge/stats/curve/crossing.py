"""Where a block's latencies pass the limit: a rate, or a bound of it.

Latency does not fall as the rate rises, so the logs of a block's points are fitted by the rising
line that is nearest to them (pool adjacent violators): one run that stalled is averaged with its
neighbours. Between the last rate within the limit and the first one over it, the line is straight
in the logs of both.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from fsgauge.stats.curve.point import Point

Where = Literal["measured", "above", "below"]
"""The limit was passed between two rates; at none that was offered; at the least of them."""
HIGHEST = 100.0
"""Latencies count as so many limits at most: beyond, a run's length decides them."""


@dataclass(frozen=True)
class Crossing:
    """`rate` is where the limit is passed, or the highest or the least rate that was offered, with
    the latency there."""

    where: Where
    rate: float
    latency_ns: float


def crossing(points: Sequence[Point], limit_ns: int) -> Crossing | None:
    """The crossing of points by their rate; None where none says anything."""
    known = [(each.rate, each.latency_ns) for each in points if each.is_known]
    shown = [(rate, min(each or 0.0, HIGHEST * limit_ns)) for rate, each in known if each]
    if not shown:
        return None
    rates = [rate for rate, _ in shown]
    limit = math.log(limit_ns)
    fitted = rising([math.log(max(latency_ns, 1.0)) for _, latency_ns in shown])
    if fitted[0] > limit:
        return Crossing("below", rates[0], math.exp(fitted[0]))
    for at in range(1, len(fitted)):
        if fitted[at] > limit:
            share = (limit - fitted[at - 1]) / (fitted[at] - fitted[at - 1])
            low, high = math.log(rates[at - 1]), math.log(rates[at])
            return Crossing("measured", math.exp(low + share * (high - low)), limit_ns)
    return Crossing("above", rates[-1], math.exp(fitted[-1]))


def rising(values: Sequence[float]) -> list[float]:
    """The rising numbers that are nearest to these, by least squares."""
    pools: list[tuple[float, int]] = []
    for value in values:
        mean, number = value, 1
        while pools and pools[-1][0] >= mean:
            before, of = pools.pop()
            mean, number = (before * of + mean * number) / (of + number), of + number
        pools.append((mean, number))
    return [mean for mean, number in pools for _ in range(number)]


def knee(points: Sequence[Point], limit_ns: int) -> float | None:
    """The rate at which rate over latency is highest (Kleinrock's power): beyond it, more load
    costs more in latency than it brings. None of fewer than three points."""
    known = [each for each in points if each.is_known]
    if len(known) < FEWEST_FOR_KNEE:
        return None
    capped = [min(each.latency_ns or 1.0, HIGHEST * limit_ns) for each in known]
    fitted = rising([math.log(max(latency_ns, 1.0)) for latency_ns in capped])
    powers = [math.log(each.rate) - log for each, log in zip(known, fitted, strict=True)]
    return known[powers.index(max(powers))].rate


FEWEST_FOR_KNEE = 3
