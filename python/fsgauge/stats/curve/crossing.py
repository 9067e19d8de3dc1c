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
from itertools import pairwise
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


@dataclass(frozen=True)
class Line:
    """Logs of rates, ascending, and of the latencies that are fitted to them; one at least."""

    rates: list[float]
    latencies: list[float]

    def at(self, rate: float) -> float | None:
        """The log of the latency at a rate; None where nothing was measured below or above."""
        log = math.log(rate)
        for place, (low, high) in enumerate(pairwise(self.rates)):
            if low <= log <= high:
                share = (log - low) / (high - low) if high > low else 0.0
                return _between(self.latencies[place], self.latencies[place + 1], share)
        return None


def line_of(points: Sequence[Point], limit_ns: int) -> Line | None:
    """The line of points by their rate; None where none says anything."""
    known = [(each.rate, each.latency_ns) for each in points if each.is_known]
    shown = [(rate, min(each, HIGHEST * limit_ns)) for rate, each in known if each is not None]
    if not shown:
        return None
    return Line(
        [math.log(rate) for rate, _ in shown],
        rising([math.log(max(latency_ns, 1.0)) for _, latency_ns in shown]),
    )


def crossing(points: Sequence[Point], limit_ns: int) -> Crossing | None:
    """The crossing of points by their rate; None where none says anything."""
    line = line_of(points, limit_ns)
    if line is None:
        return None
    limit, fitted = math.log(limit_ns), line.latencies
    if fitted[0] > limit:
        return Crossing("below", math.exp(line.rates[0]), math.exp(fitted[0]))
    for at in range(1, len(fitted)):
        if fitted[at] > limit:
            share = (limit - fitted[at - 1]) / (fitted[at] - fitted[at - 1])
            met = _between(line.rates[at - 1], line.rates[at], share)
            return Crossing("measured", math.exp(met), limit_ns)
    return Crossing("above", math.exp(line.rates[-1]), math.exp(fitted[-1]))


def _between(low: float, high: float, share: float) -> float:
    return low + share * (high - low)


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
    line = line_of(points, limit_ns)
    if line is None or len(line.rates) < FEWEST_FOR_KNEE:
        return None
    powers = [rate - log for rate, log in zip(line.rates, line.latencies, strict=True)]
    return math.exp(line.rates[powers.index(max(powers))])


FEWEST_FOR_KNEE = 3
