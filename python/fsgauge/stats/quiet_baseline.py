"""Systems that vary where the baseline does not: the noise floor is narrow, and the ratios are not.

A throttled disk keeps a local file system's rate the same to a percent, while one over a network
varies. "Too noisy" beside such a floor contradicts itself, unless it says who varies.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from fsgauge.stats.results import Comparison, NoiseFloor

TIMES = 3.0
"""By so much the others have to vary more."""


def baseline_aside(baseline: str, floor: NoiseFloor | None, undecided: Sequence[Comparison]) -> str:
    """ " (ext3's own runs agree within 1 %)"; "" where the baseline is as noisy as the rest."""
    if floor is None or floor.state != "quiet" or floor.low is None or floor.high is None:
        return ""
    within_percent = 100 * math.expm1(max(math.log(floor.high), -math.log(floor.low)))
    seen = [each.detectable_percent for each in undecided if each.detectable_percent is not None]
    if not seen or min(seen) < TIMES * max(within_percent, 1.0):
        return ""
    return f" ({baseline}'s own runs agree within {max(1, math.ceil(within_percent))} %)"
