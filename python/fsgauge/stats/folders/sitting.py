"""Which results folders were measured in one sitting.

Takes sides; gives them by sitting, in order of time. What lasts for hours (where files lie, heat, a
neighbour's load) is alike in folders that were measured one after the other: they are one sample of
it, however many they are. So a folder begins a new sitting only when it began six hours or more
after the last run of the one before.
"""

from __future__ import annotations

from collections.abc import Sequence

from fsgauge.stats.folders.same_conditions import Side

APART_HOURS = 6
_APART_NS = APART_HOURS * 3600 * 10**9


def sittings_of(sides: Sequence[Side]) -> list[list[Side]]:
    """The sides by sitting."""
    found: list[list[Side]] = []
    ended_ns = 0
    for side in sorted(sides, key=lambda side: side.study.started_unix_ns):
        if not found or side.study.started_unix_ns - ended_ns >= _APART_NS:
            found.append([])
        found[-1].append(side)
        ended_ns = max(ended_ns, _ended_ns(side))
    return found


def _ended_ns(side: Side) -> int:
    """When its last run began."""
    return max([side.study.started_unix_ns, *(run.started_unix_ns for run in side.runs)])
