"""Ratios that the rig sets, and not the systems: shown, marked, and kept out of every sentence.

An emulated processor that works without a pause, or a limit that both sides meet, explains such a
ratio alone (stats/rig_limits.py says which ratios these are).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from fsgauge.stats.limit import WORDS
from fsgauge.stats.results import Comparison
from fsgauge.stats.wording import listed

_OF_PROCESSORS = ("cpu", "machine_cpu")
COUNTS = "Counts for each operation hold all the same."


def with_limits(
    comparisons: Sequence[Comparison], limits: Mapping[tuple[str, str], str]
) -> list[Comparison]:
    """The comparisons; `limits` has by cell and system what set the ratio. A limit of a disk sets
    rates and times, not the processor time of an operation."""
    found = []
    for each in comparisons:
        cause = limits.get((each.cell, each.system))
        if cause is None or (each.metric in _OF_PROCESSORS and cause != WORDS["emulator"]):
            found.append(each)
        else:
            found.append(each.model_copy(update={"limited_by": cause}))
    return found


def limited_sentence(limited: Sequence[Comparison], others: int) -> str:
    """ "25 of 45 ratios are not claimed: the emulated processor set 18, a disk's IOPS limit 7."; ""
    where none is. `limited` and `others` are those that the answer asks for."""
    if not limited:
        return ""
    by = Counter(each.limited_by for each in limited)
    causes = listed([f"{cause} set {number}" for cause, number in by.most_common()])
    if not others:
        return f"No ratio of rates is claimed, of {len(limited)}: {causes}. {COUNTS}"
    verb = "is" if len(limited) == 1 else "are"
    return f"{len(limited)} of {len(limited) + others} ratios {verb} not claimed: {causes}."
