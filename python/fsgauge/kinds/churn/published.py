"""Numbers of a churned tree, and of files that are written beside it, for published claims."""

from __future__ import annotations

from fsgauge.kinds.churn.analysis.model import Churn, ChurnLayout
from fsgauge.published.observe import Observation
from fsgauge.published.trial import Observable
from fsgauge.stats.estimate import Estimate
from fsgauge.stats.results import Results


def extents_of_aged(about: Observable, results: Results) -> list[Observation]:
    """Extents a file of the aged tree over those of its fresh copy, at each fill level."""
    churn = Churn.of(results)
    found = []
    for level in churn.fills if churn is not None else ():
        aged = churn.layout(about.system, level, "aged") if churn is not None else None
        fresh = churn.layout(about.system, level, "fresh") if churn is not None else None
        if aged is not None and fresh is not None:
            found.append(_over(about.system, aged, fresh))
    return found


def extents_of_new(about: Observable, results: Results) -> list[Observation]:
    """Extents a file of what was written beside the aged tree, the system's own, at each level."""
    churn = Churn.of(results)
    found = []
    for level in churn.fills if churn is not None else ():
        aged = churn.layout(about.system, level, "aged") if churn is not None else None
        if aged is not None and aged.new_extents_per_file is not None:
            place = f"{level} % full"
            found.append(Observation.of(place, about.system, "", aged.new_extents_per_file))
    return found


def damage(about: Observable, results: Results) -> list[Observation]:
    """The rate on the aged system over that beside a fresh copy, `cells.side`, at each level."""
    churn = Churn.of(results)
    return [
        Observation.of(f"{each.fill_percent} % full", about.system, "its fresh copy", each)
        for each in (churn.damages if churn is not None else ())
        if (each.system, each.side) == (about.system, about.cells["side"])
    ]


def _over(system: str, aged: ChurnLayout, fresh: ChurnLayout) -> Observation:
    """The interval spans all that both intervals allow, so it is wide rather than narrow."""
    top, bottom = aged.extents_per_file, fresh.extents_per_file
    low, high = _span(top, bottom)
    return Observation(
        cell=f"{aged.fill_percent} % full",
        system=system,
        over="its fresh copy",
        value=top.value / bottom.value,
        low=low,
        high=high,
        n=min(top.n, bottom.n),
    )


def _span(top: Estimate, bottom: Estimate) -> tuple[float | None, float | None]:
    if top.low is None or top.high is None or bottom.low is None or bottom.high is None:
        return None, None
    return top.low / bottom.high, top.high / bottom.low


OBSERVED = {
    "extents of aged files": extents_of_aged,
    "extents of new files": extents_of_new,
    "damage": damage,
}
