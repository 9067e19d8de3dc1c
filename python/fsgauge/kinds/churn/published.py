"""Numbers of a churned tree, and of files that are written beside it, for published claims."""

from __future__ import annotations

from fsgauge.kinds.churn.analysis.model import Churn
from fsgauge.published.ledger import Observable
from fsgauge.published.observe import Observation
from fsgauge.stats.estimate import over_unpaired
from fsgauge.stats.results import Results


def extents_of_aged(about: Observable, results: Results) -> list[Observation]:
    """Extents a file of the aged tree over those of its fresh copy, at each fill level."""
    churn, found = Churn.within(results), []
    for level in churn.fills:
        aged, fresh = (churn.layout(about.system, level, wear) for wear in ("aged", "fresh"))
        if aged is not None and fresh is not None:
            ratio = over_unpaired(aged.extents_per_file, fresh.extents_per_file)
            place = f"{level} % full"
            found.append(Observation.of(place, about.system, "its fresh copy", ratio))
    return found


def extents_of_new(about: Observable, results: Results) -> list[Observation]:
    """Extents a file of what was written beside the aged tree, the system's own, at each level."""
    return [
        Observation.of(f"{each.fill_percent} % full", each.system, "", each.new_extents_per_file)
        for each in Churn.within(results).layouts
        if (each.system, each.wear) == (about.system, "aged")
        and each.new_extents_per_file is not None
    ]


def damage(about: Observable, results: Results) -> list[Observation]:
    """The rate on the aged system over that beside a fresh copy, `cells.side`, at each level."""
    return [
        Observation.of(f"{each.fill_percent} % full", about.system, "its fresh copy", each)
        for each in Churn.within(results).damages
        if (each.system, each.side) == (about.system, about.cells["side"])
    ]


OBSERVED = {
    "extents of aged files": extents_of_aged,
    "extents of new files": extents_of_new,
    "damage": damage,
}
