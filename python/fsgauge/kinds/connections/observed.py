"""Numbers of many clients that published claims are held against."""

from __future__ import annotations

from fsgauge.kinds.connections.analysis.model import Connections
from fsgauge.published.ledger import Trial
from fsgauge.published.observe import Observation, cells_of
from fsgauge.stats.results import Results


def extents_per_file(trial: Trial, results: Results) -> list[Observation]:
    """Extents a file over those of the reference, in each cell that the trial is about."""
    connections = Connections.of(results)
    if connections is None:
        return []
    found = []
    for cell in cells_of(trial, results):
        extents = connections.extents_of(cell.id, trial.system)
        if extents is not None and extents.ratio is not None:
            over = connections.extents_reference
            found.append(Observation.of(cell.name, trial.system, over, extents.ratio))
    return found


def response_by_clients(trial: Trial, results: Results) -> list[Observation]:
    """A system's mean response with so many clients over that with the fewest, inside blocks."""
    connections = Connections.of(results)
    cells = {cell.id: cell.name for cell in cells_of(trial, results)}
    return [
        Observation.of(cells[entry.cell], trial.system, "the fewest clients", entry.response_ratio)
        for entry in (connections.by_clients if connections is not None else ())
        if entry.system == trial.system and entry.cell in cells and entry.response_ratio is not None
    ]


OBSERVED = {"extents per file": extents_per_file, "response by clients": response_by_clients}
