"""A ratio as a sentence names it: its share, its interval, and what it is among others."""

from __future__ import annotations

from fsgauge.stats.results import Comparison
from fsgauge.stats.served import MEMORY
from fsgauge.stats.wording import range_words, remark, share_of


def share_named(entry: Comparison, verb: str, object_: str, *, is_pick: bool = False) -> str:
    """ "ext4 keeps 94 % of raw (93 to 96 %)"; without an object the share alone."""
    start = f"{entry.system} {verb}" if object_ else entry.system
    return f"{start} {share_of(entry.ratio, object_)} ({bounds(entry, is_pick=is_pick)})"


def bounds(entry: Comparison, *, is_pick: bool = False) -> str:
    """The interval and a word on what it shows; of a pick, the one that holds for any of them."""
    is_pick = is_pick and entry.verdict in ("better", "worse") and _holds_as_pick(entry)
    low, high = (entry.pick_low, entry.pick_high) if is_pick else (entry.low, entry.high)
    if entry.in_memory:
        return f"{range_words(low or entry.ratio, high or entry.ratio, entry.ratio)}, {MEMORY}"
    word = remark(entry.verdict, entry.margin_percent, barely=entry.barely)
    return f"{range_words(low or entry.ratio, high or entry.ratio, entry.ratio)}{word}"


def rank(entry: Comparison, decided: int) -> str:
    """ "the largest of 3 differences seen"; "one of 3" where the interval of a largest one, which
    is wider, would undo it: "slower" beside "0 to 323 %" contradicts itself."""
    first = "the largest" if _holds_as_pick(entry) else "one"
    return f"{first} of {decided} differences seen"


def _holds_as_pick(entry: Comparison) -> bool:
    """Whether the interval that holds for any of its family, the largest too, excludes 1."""
    low, high = entry.pick_low, entry.pick_high
    return low is not None and high is not None and (low > 1 or high < 1)
