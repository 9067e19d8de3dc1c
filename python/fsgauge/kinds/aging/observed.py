"""Numbers of an aged file system that published claims are held against."""

from __future__ import annotations

from typing import cast

from fsgauge.kinds.aging.analysis.model import Aging, AgingPoint, Side
from fsgauge.published.observe import Observation
from fsgauge.published.trial import Observable
from fsgauge.stats.results import Results


def kept(about: Observable, results: Results) -> list[Observation]:
    """What a system keeps of its clean rate, at every level."""
    return [
        Observation.of(
            f"{point.free_percent} % free", about.system, "its clean rate", point.relative
        )
        for point in _points(about, results)
        if point.relative is not None
    ]


def kept_at(about: Observable, results: Results) -> list[Observation]:
    """The same at one level, `cells.free_percent`."""
    level = f"{about.cells['free_percent']} % free"
    return [each for each in kept(about, results) if each.cell == level]


def in_chunks(about: Observable, results: Results) -> list[Observation]:
    """The share of the aged files' bytes in extents of exactly the allocation size."""
    aging = Aging.of(results)
    return [
        Observation.of("aged files", each.system, "", each.chunk_share)
        for each in (aging.aged if aging else [])
        if each.system == about.system and each.chunk_share is not None
    ]


def over_all_others(about: Observable, results: Results) -> list[Observation]:
    """A system's rate over that of the best of the others, at every level."""
    aging = Aging.of(results)
    side = cast(Side, about.cells["side"])
    others = [e for e in (aging.lines if aging else []) if e.side == side]
    found = []
    for point in _points(about, results):
        if point.free_percent is None:
            continue
        rates = [
            other.rate.value
            for line in others
            if line.system != about.system and (other := line.at(point.free_percent)) is not None
        ]
        if rates:
            level, ratio = f"{point.free_percent} % free", point.rate.value / max(rates)
            found.append(
                Observation(
                    cell=level,
                    system=about.system,
                    over="the best of the others",
                    value=ratio,
                    low=None,
                    high=None,
                    n=point.rate.n,
                )
            )
    return found


def _points(about: Observable, results: Results) -> list[AgingPoint]:
    aging = Aging.of(results)
    line = aging.line(about.system, cast(Side, about.cells["side"])) if aging else None
    return line.points if line else []


OBSERVED = {
    "kept": kept,
    "kept at": kept_at,
    "in chunks": in_chunks,
    "over all others": over_all_others,
}
