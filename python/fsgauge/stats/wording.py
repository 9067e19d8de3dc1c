"""What several answers say in the same words: lists, percentages, verdicts, too few blocks."""

from __future__ import annotations

import math
from collections.abc import Sequence

from fsgauge.stats.verdict import OPEN


def listed(parts: Sequence[str]) -> str:
    """ "ext4, xfs and btrfs"."""
    if len(parts) < 2:
        return "".join(parts)
    return ", ".join(parts[:-1]) + " and " + parts[-1]


_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def number_words(number: int) -> str:
    """ "two", "16"."""
    return _NUMBERS[number] if number < len(_NUMBERS) else str(number)


NAMED_SYSTEMS = 3
"""A sentence names so many systems; of more it says the number."""


def named_systems(systems: Sequence[str]) -> str:
    """ "ext4, xfs and btrfs"; "ext4, xfs, btrfs and 2 more"."""
    if len(systems) <= NAMED_SYSTEMS:
        return listed(systems)
    return f"{', '.join(systems[:NAMED_SYSTEMS])} and {len(systems) - NAMED_SYSTEMS} more"


def left_out(systems: int, named: int = NAMED_SYSTEMS) -> str:
    """ " (26 more in the report)" after the names of the first ones; "" where these are all."""
    return f" ({systems - named} more in the report)" if systems > named else ""


def too_few(blocks: int, unseen: str = "an effect") -> str:
    """The begin of an answer that so few blocks cannot give."""
    number = "one complete block" if blocks == 1 else f"{blocks} complete blocks"
    return f"Undecided: {number} cannot tell {unseen} from noise."


HOPELESS_PERCENT = 1000.0
"""A run that shows no smaller difference than this shows none that anyone asks about."""


def least_shown(percents: Sequence[float], more: str = "") -> str:
    """ "only a difference of 47 % would have shown", of the largest; `more` follows its figure.

    Where not even ten times as much would have shown, a figure says nothing, and that is said.
    """
    if max(percents) >= HOPELESS_PERCENT:
        return "not even a tenfold difference would have shown"
    return f"only a difference of {shown_percent(max(percents))} %{more} would have shown"


def shown_percent(percent: float) -> str:
    """What would have shown, never as 0: "0.4", "3"."""
    return f"{max(percent, 0.1):.1f}" if percent < _WITHOUT_TENTHS else f"{percent:.0f}"


_WITHOUT_TENTHS = 0.95
"""From this percentage on, tenths of it are left out."""


def percent(ratio: float) -> str:
    """ "94 %"."""
    return f"{100 * ratio:.0f} %"


IN_EVERY_BLOCK = "in every block"
"""Of an interval without any width: "2.17 to 2.17" says less."""


def never_varied(low: float, high: float) -> bool:
    """Whether an interval has no width, but for the last digits of its reckoning."""
    return math.isclose(low, high, rel_tol=1e-9)


def percent_range(low: float, high: float, unit: str = "") -> str:
    """Two ratios as "78 to 86", with digits more where they would read alike."""
    if never_varied(low, high):
        return IN_EVERY_BLOCK
    digits = 0
    while round(100 * low, digits) == round(100 * high, digits):
        digits += 1
        if digits > 2:
            return IN_EVERY_BLOCK
    return f"{100 * low:.{digits}f} to {100 * high:.{digits}f}{unit}"


TIMES, MANY_TIMES = 1.995, 9.995
"""From this ratio on it is said in times, not in percent; then in whole ones."""


def share_words(ratio: float) -> str:
    """ "94 %"; "3.10 times"."""
    return percent(ratio) if ratio < TIMES else f"{_times(ratio)} times"


def share_of(ratio: float, what: str) -> str:
    """ "94 % of raw", "3.10 times raw"; the share alone where it is said of the same again."""
    if not what:
        return share_words(ratio)
    return f"{share_words(ratio)} of {what}" if ratio < TIMES else f"{share_words(ratio)} {what}"


def range_words(low: float, high: float, ratio: float | None = None) -> str:
    """ "78 to 86 %"; "2.90 to 3.40 times". In the unit of the ratio that it is of, if one is."""
    if (low if ratio is None else ratio) >= TIMES and not never_varied(low, high):
        return f"{_times(low)} to {_times(high)} times"
    return percent_range(low, high, " %")


def _times(ratio: float) -> str:
    return f"{ratio:.2f}" if ratio < MANY_TIMES else f"{ratio:,.0f}"


def extreme(verdict: str | None) -> str:
    """What the largest decided difference of several is called."""
    return "worst case" if verdict == "worse" else "best case"


def remark(
    verdict: str | None, margin_percent: float | None = None, *, barely: bool = False
) -> str:
    """The words after an interval: ", undecided", ", equivalent within 3 %", ", barely"; or ""."""
    hangs = ", barely" if barely else ""
    if verdict == "equivalent" and margin_percent is not None:
        return f"{hangs or ','} equivalent within {margin_percent:.0f} %"
    if verdict is not None and verdict in ("equivalent", *OPEN):
        return f"{hangs or ','} {verdict}"
    return hangs


def ratio_range(low: float | None, high: float | None) -> str:
    """An interval of ratios; "no interval" from one block."""
    if low is None or high is None:
        return "no interval"
    if never_varied(low, high):
        return IN_EVERY_BLOCK
    digits = 2
    while digits < 4 and (_is_narrow(low, high, digits) or _hides_one(low, high, digits)):
        digits += 1
    if round(low, digits) == round(high, digits):
        return IN_EVERY_BLOCK
    return f"{low:.{digits}f} to {high:.{digits}f}"


def _is_narrow(low: float, high: float, digits: int) -> bool:
    """Whether rounding would leave nothing of the interval's width."""
    return round(low, digits) == round(high, digits) and low != high


def _hides_one(low: float, high: float, digits: int) -> bool:
    """Whether rounding would make an interval touch 1 that does not."""
    return (low > 1 and round(low, digits) == 1) or (high < 1 and round(high, digits) == 1)
