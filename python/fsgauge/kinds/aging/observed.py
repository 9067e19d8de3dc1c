"""Numbers of an aged file system that published claims are held against."""

from __future__ import annotations

from typing import cast

from fsgauge.kinds.aging.analysis.model import Aging, AgingPoint, Side
from fsgauge.published.ledger import Trial
from fsgauge.published.observe import Observation
from fsgauge.stats.results import Results


def kept(trial: Trial, results: Results) -> list[Observation]:
    """What a system keeps of its clean rate, at every level."""
    return [
        Observation.of(
            f"{point.free_percent} % free", trial.system, "its clean rate", point.relative
        )
        for point in _points(trial, results)
        if point.relative is not None
    ]


def kept_at(trial: Trial, results: Results) -> list[Observation]:
    """The same at one level, `cells.free_percent`."""
    level = f"{trial.cells['free_percent']} % free"
    return [each for each in kept(trial, results) if each.cell == level]


def in_chunks(trial: Trial, results: Results) -> list[Observation]:
    """The share of the aged files' bytes in extents of exactly the allocation size."""
    aging = Aging.of(results)
    return [
        Observation.of("aged files", each.system, "", each.chunk_share)
        for each in (aging.aged if aging else [])
        if each.system == trial.system and each.chunk_share is not None
    ]


def _points(trial: Trial, results: Results) -> list[AgingPoint]:
    aging = Aging.of(results)
    line = aging.line(trial.system, cast(Side, trial.cells["side"])) if aging else None
    return line.points if line else []


OBSERVED = {"kept": kept, "kept at": kept_at, "in chunks": in_chunks}
