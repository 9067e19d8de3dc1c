"""Whether a ratio meets its goal: decided only where all of its interval says the same."""

from __future__ import annotations

import math
from collections.abc import Callable

from ratio import Ratio

MET, MISSED, UNDECIDED = "met", "missed", "undecided"
STEPS = 64
"""An interval is tried at so many places at least: a goal may have two ends."""
WIDEST_STEP = 1.01
"""No goal is narrower than that: an interval of 0.05 to 50 does not step over 0.97 to 1.03."""


def verdict_of(ratio: Ratio, meets: Callable[[float], bool]) -> str:
    """MET where all of the interval meets it, MISSED where none of it does."""
    found = {meets(place) for place in places(ratio.low, ratio.high)}
    return UNDECIDED if len(found) > 1 else MET if found.pop() else MISSED


def pairs_to_decide(ratio: Ratio, pairs: int, meets: Callable[[float], bool]) -> int | None:
    """How many pairs would make the interval so narrow that it decides, if they scatter as these
    did and the ratio stays; None where it is at the goal itself."""
    half, here = math.log(ratio.high / ratio.ratio), meets(ratio.ratio)
    for share in (step / STEPS for step in range(STEPS, 0, -1)):
        reach = math.exp(half * share)
        if all(meets(at) == here for at in places(ratio.ratio / reach, ratio.ratio * reach)):
            return math.ceil(pairs / share**2)
    return None


def places(low: float, high: float) -> list[float]:
    """From low to high, both included, in equal factors."""
    steps = max(STEPS, math.ceil(math.log(high / low) / math.log(WIDEST_STEP)))
    factor = (high / low) ** (1 / steps)
    return [low * factor**step for step in range(steps)] + [high]
