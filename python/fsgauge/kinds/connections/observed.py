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
            ratio = extents.ratio
            found.append(
                Observation(
                    cell=cell.name,
                    system=trial.system,
                    over=connections.extents_reference,
                    value=ratio.ratio,
                    low=ratio.low,
                    high=ratio.high,
                    n=ratio.n,
                    p=ratio.p_adjusted,
                )
            )
    return found


OBSERVED = {"extents per file": extents_per_file}
