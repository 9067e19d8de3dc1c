"""Numbers of shared file systems that published claims are held against."""

from __future__ import annotations

from fsgauge.kinds.sharing.analysis.model import Sharing
from fsgauge.published.ledger import Observable
from fsgauge.published.observe import Observation
from fsgauge.stats.results import Results


def whole(about: Observable, results: Results) -> list[Observation]:
    """The share of a system's runs without a fault of its own: a count, so its interval is the
    number itself."""
    return [
        Observation(
            cell="all tests",
            system=each.system,
            over="",
            value=each.sound,
            low=each.sound,
            high=each.sound,
            n=each.planned,
        )
        for each in Sharing.within(results).faults
        if each.system == about.system and each.sound is not None
    ]


OBSERVED = {"whole": whole}
