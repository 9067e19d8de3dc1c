"""Numbers as people read them: values with units, ratios, changes, verdicts."""

from __future__ import annotations

import math
from typing import Protocol

from fsgauge.stats.estimate import Estimate
from fsgauge.stats.result_model import NoiseFloor
from fsgauge.stats.results import Comparison
from fsgauge.stats.served import MEMORY
from fsgauge.stats.verdict import BLOCKS_FOR_A_VERDICT, OPEN, Verdict, is_too_wide
from fsgauge.stats.wording import (
    HOPELESS_PERCENT,
    IN_EVERY_BLOCK,
    SMALL_RATIO,
    factor_words,
    never_varied,
    ratio_range,
    shown_percent,
)
from fsgauge.stats.wording import percent_up as percent_up
from fsgauge.units import exact_percent, format_value, with_one_unit

SMALLEST_RATIO = 0.0001
"""Below it a ratio has no digits of its own."""
WIDEST_HALF_PERCENT = 999
"""What a heat map's cell says of an interval that is wider than anyone asks."""
WITHIN_ROUNDING = "within rounding"
"""In place of an interval whose ends read alike."""


def is_known(low: float | None, high: float | None, blocks: int) -> bool:
    """Whether an interval says anything: not from two blocks, nor one of a factor of 100."""
    return blocks >= BLOCKS_FOR_A_VERDICT and not is_too_wide(low, high)


class Interval(Protocol):
    """An estimate or a ratio: whatever has an interval over `n` blocks."""

    @property
    def low(self) -> float | None: ...

    @property
    def high(self) -> float | None: ...

    @property
    def n(self) -> int: ...


class Ratio(Interval, Protocol):
    """A ratio with its verdict."""

    @property
    def ratio(self) -> float: ...

    @property
    def verdict(self) -> Verdict: ...


def ends(number: Interval) -> tuple[float, float] | tuple[None, None]:
    """The ends of an interval that says anything, else None and None."""
    low, high = number.low, number.high
    if low is None or high is None or not is_known(low, high, number.n):
        return None, None
    return low, high


def unknown(blocks: int) -> str:
    """In place of an interval that says nothing: "not known from 2 blocks", or "interval too
    wide" where there were blocks enough, as for other numbers of the same ones.
    """
    if blocks >= BLOCKS_FOR_A_VERDICT:
        return "interval too wide"
    return "one block" if blocks == 1 else f"not known from {blocks} blocks"


def interval(low: float | None, high: float | None, blocks: int) -> str:
    return ratio_range(low, high) if is_known(low, high, blocks) else unknown(blocks)


def interval_of(number: Interval) -> str:
    """The interval of a ratio, or why it is none."""
    return interval(number.low, number.high, number.n)


value = format_value


def span(first: str, last: str) -> str:
    """ "205 k to 188 k IOPS"; one of two that read alike."""
    return first if first == last else " to ".join(with_one_unit([first, last]))


def ratio(number: float, low: float | None = None, high: float | None = None) -> str:
    """A ratio with as many digits as distances to 1 need, and to 0 (never "0.00"), and as the
    interval that is shown with it."""
    if number < SMALL_RATIO:
        return f"{number:.2g}" if number >= SMALLEST_RATIO else f"<{SMALLEST_RATIO:.4f}"
    edges = None if low is None or high is None else (low, high)
    return factor_words(number, edges, 3 if abs(number - 1) < 0.01 else 2)


def change(number: float) -> str:
    """A ratio as a change: "-6 %", "+12 %", "x 2.3"."""
    if number >= 2:
        return f"x {number:.1f}"
    return _signed(number, 1 if abs(number - 1) < 0.0095 else 0)


def percent_change(number: float) -> str:
    """A ratio as a change in percent, also a large one: "\u221276 %", "+403 %", "+2.1 %"."""
    return _signed(number, 1 if abs(number - 1) < 0.0995 else 0)


def _signed(number: float, digits: int) -> str:
    """With digits more where it would read as no change, or as the loss of all."""
    percent = 100 * (number - 1)
    misleading = {0.0, 100.0} if 0 < number < 1 else {0.0}
    while digits < _MOST_DIGITS and round(abs(percent), digits) in misleading:
        digits += 1
    if round(abs(percent), digits) == 0:
        return "0 %"
    return ("+" if percent > 0 else "\u2212") + f"{abs(percent):,.{digits}f} %"


_MOST_DIGITS = 3


def plus_minus(low: float | None, high: float | None) -> str:
    """Half the interval's width in percent of the baseline: "±2"."""
    if low is None or high is None:
        return ""
    half = 50 * (high - low)
    if half >= WIDEST_HALF_PERCENT:
        return f"±>{WIDEST_HALF_PERCENT}"
    return f"±{half:.1f}" if half < 0.95 else f"±{half:.0f}"


def verdict(entry: Comparison) -> str:
    """The verdict with what belongs to it; none where a server's memory stood for the device, or
    the rig was the limit."""
    if entry.in_memory:
        return f"none: {MEMORY}"
    if entry.limited_by:
        return f"none: {entry.limited_by}"
    if entry.verdict == "equivalent":
        return f"equivalent (within {exact_percent(entry.margin_percent)})"
    if entry.n < BLOCKS_FOR_A_VERDICT:
        return entry.verdict
    if entry.verdict in OPEN and entry.detectable_percent is not None:
        return f"{entry.verdict} ({shown(entry.detectable_percent)})"
    return f"{entry.verdict}, barely" if entry.barely else entry.verdict


def shown(least_percent: float) -> str:
    """ "47 % would have shown"; where noise hides whatever anyone asks about, in words."""
    if least_percent >= HOPELESS_PERCENT:
        return "not even a tenfold difference would have shown"
    return f"{shown_percent(least_percent)} % would have shown"


def percent(number: float) -> str:
    """Two digits at most."""
    if number < 0.95:
        return f"{number:.1f} %"
    return f"{number:.0f} %" if math.isfinite(number) and number < 1000 else "over 1,000 %"


def never_differs(floor: NoiseFloor) -> bool:
    """Whether two equal runs are equal in every block, as those of a model are."""
    low, high = ends(floor)
    return low is not None and high is not None and never_varied(low, high)


def noise(floor: NoiseFloor, baseline: str) -> str:
    """The noise floor as a range of ratios: the band of a typical cell, or, where the baseline
    differs from itself, by how much."""
    if floor.state == "differs" or floor.band is None:
        return f"{interval_of(floor)} ({baseline} against itself)"
    band = interval(floor.band.low, floor.band.high, floor.n)
    return f"{band} (where a system equal to {baseline} may come out)"


def estimate(number: Estimate, unit: str) -> str:
    text = value(number.value, unit)
    low, high = ends(number)
    if low is None or high is None:
        return f"{text} ({unknown(number.n)})"
    return f"{text} ({value_range(low, high, unit)})"


def value_range(low: float, high: float, unit: str) -> str:
    """Two values with their unit; what rounding leaves nothing of is said."""
    if never_varied(low, high):
        return IN_EVERY_BLOCK
    first, last = value(low, unit), value(high, unit)
    return f"{first} to {last}" if first != last else WITHIN_ROUNDING


def share_digits(share: float) -> int:
    """Behind the point of a share as a percentage."""
    return 0 if share >= 0.0995 else 1


def share_text(share: float | None) -> str:
    """A share as a percentage: "70 %", "2.3 %"; "" of one that is not known."""
    return "" if share is None else f"{100 * share:.{share_digits(share)}f} %"


def share(number: Estimate) -> str:
    """A share as a percentage with its interval: "70 % (68 to 72)"."""
    digits = share_digits(number.value)
    text = f"{100 * number.value:.{digits}f} %"
    low, high = ends(number)
    if low is None or high is None:
        return f"{text} ({unknown(number.n)})"
    if never_varied(low, high):
        return f"{text} ({IN_EVERY_BLOCK})"
    return f"{text} ({100 * low:.{digits}f} to {100 * high:.{digits}f} %)"
