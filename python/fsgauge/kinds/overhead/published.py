"""Numbers of overhead that published claims are held against."""

from __future__ import annotations

from fsgauge.kinds.overhead.analysis.model import Overhead
from fsgauge.published.observe import Observation, cells_of
from fsgauge.published.trial import Observable
from fsgauge.stats.results import Results


def fluctuation(about: Observable, results: Results) -> list[Observation]:
    """Fluctuation over time over the baseline's, in each cell that the trial is about."""
    return _of(about.system, about, results)


def fluctuation_by_setting(about: Observable, results: Results) -> list[Observation]:
    """The same for every system but the trial's own, which is the baseline."""
    others = (system for system in results.systems if system != about.system)
    return [each for system in others for each in _of(system, about, results)]


def _of(system: str, about: Observable, results: Results) -> list[Observation]:
    overhead = Overhead.of(results)
    found = []
    for cell in cells_of(about, results) if overhead is not None else ():
        entry = overhead.fluctuation_of(cell.id, system) if overhead is not None else None
        if entry is not None and entry.ratio is not None:
            name = f"{system}, {cell.name}" if system != about.system else cell.name
            found.append(Observation.of(name, system, results.baseline, entry.ratio))
    return found


OBSERVED = {"fluctuation": fluctuation, "fluctuation by setting": fluctuation_by_setting}
