"""How long a sweep takes: some of its points are tried, and the others lie between them."""

from __future__ import annotations

import os
from statistics import fmean

from fsgauge.plan.around import Tried
from fsgauge.plan.preview import PlanDescription
from fsgauge.plan.turns import written_bytes
from fsgauge.rig.rig import Rig
from fsgauge.study.model import Study
from fsgauge.study.points import Point, points_of

MOST_PROFILES = 3
"""That are tried; what others take is the mean of those."""
BESIDE_SECONDS = 3.0
"""Of a processor, for a point beside its lives and its trial: the program and its report. A point
of 64 MiB took 3.9 s in all, of which 0.9 were those."""

End = tuple[float, Tried]
"""A number of years and what a block takes after them."""


def of_sweep(description: PlanDescription, study: Study, rig: Rig) -> PlanDescription:
    """The plan of a sweep's study with time and bytes of all points; of no sweep, as it is."""
    if study.sweep is None or not rig.tries_blocks:
        return description
    points = points_of(study, study.sweep)
    ends = [
        _tried([each for each in points if each.profile == profile], rig)
        for profile in study.sweep.profiles[:MOST_PROFILES]
    ]
    if not all(ends):
        return description
    of_profile = dict(zip(study.sweep.profiles, ends, strict=False))
    at_a_time = min(os.cpu_count() or 1, len(points))
    seconds = sum(
        fmean(_point_seconds(point, each) for each in _of(of_profile, point)) for point in points
    )
    expected = seconds / at_a_time
    tried = [block for each in ends for _, block in each]
    shortest, longest = _spread(tried)
    return description.model_copy(
        update={
            "expected_seconds": expected,
            "shortest_seconds": expected * shortest,
            "longest_seconds": None if longest is None else expected * longest,
            "time_basis": f"all {len(points)} points with their reports, {at_a_time} at a time on"
            f" idle processors; turns of {len(tried)} points were tried",
            "written_bytes_estimate": sum(
                written_bytes(each.study, rig.size_bytes(each.study), each.study.plan.blocks)
                for each in points
            ),
        }
    )


def _spread(tried: list[Tried]) -> tuple[float, float | None]:
    """What the range's ends are of the expected seconds, as the trials say; none for the longest
    where one is only a lower bound."""
    shortest = max(block.shortest_seconds / block.seconds for block in tried)
    ends = [(block.longest_seconds, block.seconds) for block in tried]
    longest = [end / seconds for end, seconds in ends if end is not None]
    return shortest, max(longest) if len(longest) == len(ends) else None


def _tried(points: list[Point], rig: Rig) -> list[End]:
    """The first year of a profile and the last; empty for a study that is refused."""
    ends = [points[0], points[-1]][: len(points)]
    return [(each.years, block) for each in ends if (block := rig.tried(each.study)) is not None]


def _of(of_profile: dict[str, list[End]], point: Point) -> list[list[End]]:
    """The ends of a point's profile; of one that was not tried, those of all."""
    own = of_profile.get(point.profile)
    return [own] if own is not None else list(of_profile.values())


def _point_seconds(point: Point, ends: list[End]) -> float:
    """Of a processor: its blocks, the trial that its run begins with, and what is beside."""
    (first_years, first), (last_years, last) = ends[0], ends[-1]
    span = last_years - first_years
    share = (point.years - first_years) / span if span else 0.0

    def between(start: float, end: float) -> float:
        return start + share * (end - start)

    block_seconds = between(first.seconds, last.seconds)
    trial_seconds = between(first.trial_seconds, last.trial_seconds)
    return BESIDE_SECONDS + trial_seconds + point.study.plan.blocks * block_seconds
