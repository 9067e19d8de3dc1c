"""Whether a study knows enough to end before its last block: by the width of intervals alone.

Stopping on significance would inflate errors; stopping on width does not (the width says nothing
of where the ratio lies). It is looked at after whole blocks only, and not before the sixth.
"""

from __future__ import annotations

from collections.abc import Sequence

from fsgauge.record import Plan, StudyRecord
from fsgauge.stats.analysis import Interval

FEWEST_BLOCKS = 6


def widest_percent(ratios: Sequence[Interval]) -> float | None:
    """The furthest that an interval reaches from its ratio, in percent.

    None while any of them has no interval.
    """
    reaches = []
    for entry in ratios:
        if entry.low is None or entry.high is None:
            return None
        reaches.append(max(entry.high / entry.ratio - 1, 1 - entry.low / entry.ratio))
    return 100 * max(reaches) if reaches else None


def is_enough(study: StudyRecord, ratios: Sequence[Interval], blocks: int) -> bool:
    """Whether the study asked to stop at such a width, and `blocks` whole blocks gave it.

    `ratios` are those that the study is about.
    """
    limit = study.study.get("plan", {}).get("stop_interval")
    if limit is None or blocks < FEWEST_BLOCKS:
        return False
    widest = widest_percent(ratios)
    return widest is not None and widest <= float(limit)


def first_blocks(plan: Plan, blocks: int) -> Plan:
    """The plan as it was carried out: its first `blocks` blocks."""
    return plan.model_copy(update={"turns": [turn for turn in plan.turns if turn.block < blocks]})
