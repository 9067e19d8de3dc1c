"""Ratio of two sides that were measured in sittings: what a sitting adds to its blocks.

Takes the log values of two sides, sitting by sitting, one a block; gives B over A. A sitting is
what was measured in one go (stats/folders/folder.py). What changes between two sittings (a reboot,
the placement of files, heat, neighbours) is the same in all blocks of one, so blocks do not show
it, and their interval alone calls equal systems different far too often.

- Measured: with four sittings or more in all, a sitting is one value, the mean of its blocks, and
  the interval is Student's, of one variance of sittings on both sides: so one new sitting can be
  held against several old ones.
- Assumed: with fewer, nothing shows how sittings differ. They are taken to move a system as much as
  equal runs of it differ: the error of a side is that of its mean of blocks and of one more run of
  each system in it a sitting (a prediction interval), with Welch and Satterthwaite's degrees of
  freedom.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from fsgauge.stats.ratio import LEVEL, beyond
from fsgauge.stats.welch import Welch, interval, p_of, satterthwaite, shift, welch

FEWEST_SITTINGS = 4
"""Sittings of both sides together from which their own scatter is taken."""
Side = Sequence[Sequence[float]]
"""Logs of blocks, sitting by sitting; none is empty."""


@dataclass(frozen=True)
class OverSittings(Welch):
    """B over A. `measured`: the interval is that of sittings; otherwise it assumes how they differ.

    `within_low` and `within_high` are of what blocks show: how these sittings differ, whatever
    others would do. `n` is the smaller number of blocks.
    """

    measured: bool
    within_low: float | None
    within_high: float | None


def over_sittings(
    a: Side, b: Side, *, sitting: float = 1.0, steps: float = 0.0, reach: float = 0.0
) -> OverSittings | None:
    """The ratio of B to A; None where a side has no block. `steps` and `reach` as in `welch`.

    `sitting` is the variance of a sitting, in variances of a block, that is assumed.
    """
    blocks = [[log for sitting in side for log in sitting] for side in (a, b)]
    within = welch(blocks[0], blocks[1], steps=steps, reach=reach)
    if within is None:
        return None
    log_ratio = _mean(b) - _mean(a)
    measured = len(a) + len(b) >= FEWEST_SITTINGS
    found = _measured(a, b, steps) if measured else _assumed(a, b, sitting, steps)
    error, freedom = found if found is not None else (None, None)
    low = high = None
    p = 1.0
    if error is not None and freedom is not None:
        low, high = interval(math.exp(log_ratio), error, freedom, LEVEL, reach)
        p = p_of(beyond(log_ratio, reach), error, freedom)
    return OverSittings(
        ratio=math.exp(log_ratio),
        low=low,
        high=high,
        p=p,
        n=min(map(len, blocks)),
        deviation=within.deviation,
        reach=reach,
        robust=shift(blocks[0], blocks[1], reach=reach),
        error=error,
        freedom=freedom,
        measured=measured,
        within_low=within.low,
        within_high=within.high,
    )


def _mean(side: Side) -> float:
    return statistics.fmean(statistics.fmean(sitting) for sitting in side)


def _measured(a: Side, b: Side, steps: float) -> tuple[float, float]:
    """Standard error and degrees of freedom from the means of sittings."""
    squares = math.fsum(_squares([statistics.fmean(each) for each in side]) for side in (a, b))
    freedom = len(a) + len(b) - 2
    variance = max(squares / freedom, steps**2)
    return math.sqrt(variance * (1 / len(a) + 1 / len(b))), float(freedom)


def _assumed(a: Side, b: Side, sitting: float, steps: float) -> tuple[float, float] | None:
    """The same from blocks, with what a sitting is assumed to add; None from one block."""
    parts, freedoms = [], []
    for side in (a, b):
        freedom = sum(map(len, side)) - len(side)
        if freedom == 0:
            return None
        variance = max(math.fsum(map(_squares, side)) / freedom, steps**2)
        of_blocks = math.fsum(1 / len(each) for each in side) / len(side) ** 2
        parts.append(variance * (of_blocks + sitting / len(side)))
        freedoms.append(freedom)
    return satterthwaite(parts, freedoms)


def _squares(logs: Sequence[float]) -> float:
    mean = statistics.fmean(logs)
    return math.fsum((log - mean) ** 2 for log in logs)
