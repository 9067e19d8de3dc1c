"""Numbers that no disk has together. The engine holds the same rules for its own jobs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from fsgauge.devices.words import value_words

_EDGES = ("inner_rate", "outer_rate")
_SEEKS = ("seek_single", "seek_average", "seek_full")


@dataclass(frozen=True)
class Contradiction:
    """What is wrong, in a sentence, and the names of the numbers."""

    what: str
    names: tuple[str, ...]


def contradiction(values: Mapping[str, float]) -> Contradiction | None:
    """The first of a disk's numbers, rates in bytes/s and times in ns; None where it can be."""
    if values["inner_rate"] > values["outer_rate"]:
        inner, outer = (value_words(values[name], "bytes/s") for name in _EDGES)
        what = (
            f"inner_rate is {inner} and outer_rate {outer}: the inner edge of a disk is not faster"
            " than its outer edge"
        )
        return Contradiction(what, _EDGES)
    if any(values[shorter] > values[longer] for shorter, longer in pairwise(_SEEKS)):
        told = ", ".join(f"{name} {value_words(values[name], 'ns')}" for name in _SEEKS)
        return Contradiction(f"a longer seek does not take less time: {told}", _SEEKS)
    return None
