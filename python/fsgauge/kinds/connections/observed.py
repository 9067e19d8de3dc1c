"""Numbers of many clients that published claims are held against."""

from __future__ import annotations

from fsgauge.kinds.connections.analysis.model import Connections
from fsgauge.published.observe import Observation, cells_of
from fsgauge.published.trial import Observable
from fsgauge.stats.results import Results


def extents_per_file(about: Observable, results: Results) -> list[Observation]:
    """Extents a file over those of the reference, in each cell that is asked for."""
    connections = Connections.of(results)
    if connections is None:
        return []
    found = []
    for cell in cells_of(about, results):
        extents = connections.extents_of(cell.id, about.system)
        if extents is not None and extents.ratio is not None:
            over = connections.extents_reference
            found.append(Observation.of(cell.name, about.system, over, extents.ratio))
    return found


def extents_of_a_file(about: Observable, results: Results) -> list[Observation]:
    """A system's own extents per file, in each cell that is asked for."""
    connections = Connections.of(results)
    found = []
    for cell in cells_of(about, results) if connections is not None else []:
        extents = connections.extents_of(cell.id, about.system) if connections else None
        if extents is not None:
            found.append(Observation.of(cell.name, about.system, "", extents.per_file))
    return found


def response_by_clients(about: Observable, results: Results) -> list[Observation]:
    """A system's mean response with so many clients over that with the fewest, inside blocks."""
    connections = Connections.of(results)
    cells = {cell.id: cell.name for cell in cells_of(about, results)}
    return [
        Observation.of(cells[entry.cell], about.system, "the fewest clients", entry.response_ratio)
        for entry in (connections.by_clients if connections is not None else ())
        if entry.system == about.system and entry.cell in cells and entry.response_ratio is not None
    ]


OBSERVED = {
    "extents per file": extents_per_file,
    "extents of a file": extents_of_a_file,
    "response by clients": response_by_clients,
}
