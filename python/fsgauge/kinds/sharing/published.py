"""Numbers of shared file systems that published claims are held against."""

from __future__ import annotations

from fsgauge.kinds.sharing.analysis.model import Sharing
from fsgauge.published.observe import Observation
from fsgauge.published.trial import Observable
from fsgauge.stats.results import Results


def whole(about: Observable, results: Results) -> list[Observation]:
    """The share of a system's planned runs that were measured to their end: a count, so its
    interval is the number itself."""
    return [
        Observation(
            cell="all tests",
            system=each.system,
            over="",
            value=each.reached / each.planned,
            low=each.reached / each.planned,
            high=each.reached / each.planned,
            n=each.planned,
        )
        for each in Sharing.within(results).faults
        if each.system == about.system and each.planned
    ]


OBSERVED = {"whole": whole}
