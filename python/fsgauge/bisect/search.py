"""Which kernel to try next, and what is known of those between a good and a bad one.

Kernels are in order of version. What is before a good one counts as good, what is after a bad one
as bad; one that could not be decided narrows nothing, and is not tried again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from fsgauge.stats.wording import listed

Outcome = Literal["good", "bad", "undecided"]


class Bounds(NamedTuple):
    """Places of the last kernel that is known to be good, and of the first that is bad."""

    good: int
    bad: int


def bounds(kernels: Sequence[str], tried: Mapping[str, Outcome]) -> Bounds:
    """The first kernel is good by the user's word, the last one bad by the first trial."""
    good = max((at for at, each in enumerate(kernels) if tried.get(each) == "good"), default=0)
    bad = (at for at, each in enumerate(kernels) if at > good and tried.get(each) == "bad")
    return Bounds(good, min(bad, default=len(kernels) - 1))


def next_kernel(kernels: Sequence[str], tried: Mapping[str, Outcome]) -> str | None:
    """The last one first, then the middle of what is not known; None where nothing is left."""
    last = kernels[-1]
    if tried.get(last) != "bad":
        return None if last in tried else last
    good, bad = bounds(kernels, tried)
    open_ = [each for each in kernels[good + 1 : bad] if each not in tried]
    return open_[len(open_) // 2] if open_ else None


def is_found(kernels: Sequence[str], tried: Mapping[str, Outcome]) -> bool:
    """Whether a good kernel and a bad one follow one another."""
    good, bad = bounds(kernels, tried)
    return tried.get(kernels[-1]) == "bad" and bad - good == 1


def answer(kernels: Sequence[str], tried: Mapping[str, Outcome]) -> str:
    """What was found, in a sentence or two."""
    last = kernels[-1]
    if tried.get(last) == "good":
        return f"{last} is within every limit, so there is nothing to look for."
    if tried.get(last) != "bad":
        return f"It cannot be decided whether {last} is beyond a limit."
    good, bad = bounds(kernels, tried)
    unknown = kernels[good + 1 : bad]
    if not unknown:
        return f"{kernels[bad]} is the first kernel beyond a limit; {kernels[good]} is not."
    skipped = [each for each in unknown if tried.get(each) == "undecided"]
    if len(skipped) < len(unknown):
        left = len(unknown) - len(skipped)
        return f"The loss came between {kernels[good]} and {kernels[bad]}; {left} are not tried."
    return (
        f"The loss came after {kernels[good]}, and with {kernels[bad]} at the latest;"
        f" {listed(skipped)} could not be decided."
    )
