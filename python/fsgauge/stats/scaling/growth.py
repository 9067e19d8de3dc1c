"""How a rate grows with the number of those who work at once, number by number.

Changes are taken inside blocks, against the fewest; ideally, N of them do N times what one does.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from fsgauge.stats.estimate import ByBlock, Estimate, over
from fsgauge.stats.samples import Samples


@dataclass(frozen=True)
class Growth:
    """The rate at one number, X(N). `change` is X(N) / X(fewest), `efficiency` the share of ideal,
    X(N) fewest / (N X(fewest)); both are None at the fewest. `blocks` is the rate in each block."""

    rate: Estimate | None
    change: Estimate | None
    efficiency: Estimate | None
    blocks: list[tuple[int, float]]


def grown(samples: Samples, rates: Mapping[int, ByBlock]) -> dict[int, Growth]:
    """By number, in the order of log rates [number][block]."""
    fewest = min(rates)
    found = {}
    for count, logs in rates.items():
        gain = over(logs, rates[fewest])
        more = count != fewest
        ideal = math.log(fewest / count)
        found[count] = Growth(
            rate=samples.over_blocks(logs),
            change=samples.over_blocks(gain) if more else None,
            efficiency=samples.over_blocks(gain, shift=ideal) if more else None,
            blocks=[(block, math.exp(log)) for block, log in sorted(logs.items())],
        )
    return found
