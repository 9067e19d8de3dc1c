"""Numbers of overhead that published claims are held against."""

from __future__ import annotations

from fsgauge.kinds.overhead.analysis import Overhead
from fsgauge.published.ledger import Observable
from fsgauge.published.observe import MORE_HOSTS, Observation, cells_of, of_rows
from fsgauge.stats.results import Results


def fluctuation(about: Observable, results: Results) -> list[Observation]:
    """Fluctuation over time over the baseline's, in each cell that the trial is about."""
    return _of(about.system, about, results)


def fluctuation_by_setting(about: Observable, results: Results) -> list[Observation]:
    """The same for every system but the trial's own, which is the baseline."""
    others = (system for system in results.systems if system != about.system)
    return [each for system in others for each in _of(system, about, results)]


def _of(system: str, about: Observable, results: Results) -> list[Observation]:
    own = Overhead.of(results)
    cells = {cell.id: cell.name for cell in cells_of(about, results)}
    place = "" if system == about.system else f"{system}, "
    return [
        Observation.of(f"{place}{cells[each.cell]}", system, results.baseline, each.ratio)
        for each in (own.fluctuations if own is not None else ())
        if each.system == system and each.cell in cells and each.ratio is not None
    ]


def same_over_separate(about: Observable, results: Results) -> list[Observation]:
    """The rate of all hosts on the same files over that on files divided between them."""
    overhead = Overhead.of(results)
    rows = overhead.host_files if overhead is not None else ()
    own = ((each.same, each.system, each.ratio) for each in rows if not each.limited_by)
    return of_rows(about, results, "separate files", own)


def between_hosts(about: Observable, results: Results) -> list[Observation]:
    """Bytes that hosts sent one another, over a tenth of the data that they moved."""
    cells = {cell.id: cell for cell in cells_of(about, results)}
    found = []
    for each in results.traffic:
        cell = cells.get(each.cell)
        if cell is None or (each.system, each.name) != (about.system, "network_bytes"):
            continue
        tenth = int(cell.factors["block_size_bytes"]) / 10
        sent = each.per_operation.in_units_of(tenth)
        found.append(Observation.of(cell.name, each.system, "a tenth of the data", sent))
    return found


_OF_HOSTS = {"same over separate": same_over_separate, "between hosts": between_hosts}
OF_HOSTS = {*_OF_HOSTS, MORE_HOSTS}
"""Quantities of several hosts, whatever the file system."""
OBSERVED = {
    "fluctuation": fluctuation,
    "fluctuation by setting": fluctuation_by_setting,
    **_OF_HOSTS,
}
