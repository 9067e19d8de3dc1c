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
    spans = [(side.study.started_unix_ns, ended_ns(side)) for side in sides]
    return [[sides[place] for place in sitting] for sitting in by_sitting(spans)]


def by_sitting(spans: Sequence[tuple[int, int]]) -> list[list[int]]:
    """Places of `spans`, each begin and end in Unix nanoseconds, by sitting, in order of time."""
    found: list[list[int]] = []
    last_ns = 0
    for place in sorted(range(len(spans)), key=lambda place: spans[place][0]):
        started_ns, ended_ns = spans[place]
        if not found or started_ns - last_ns >= _APART_NS:
            found.append([])
        found[-1].append(place)
        last_ns = max(last_ns, ended_ns)
    return found


def ended_ns(side: Side) -> int:
    """When its last run began."""
    return max([side.study.started_unix_ns, *(run.started_unix_ns for run in side.runs)])
