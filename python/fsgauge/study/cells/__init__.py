"""The cells of a workload, and which of them the answer is about unless the study says."""

from __future__ import annotations

from fsgauge.kinds.aging import cells as aging
from fsgauge.kinds.churn import cells as churn
from fsgauge.kinds.connections import cells as connections
from fsgauge.kinds.overhead import cells as overhead
from fsgauge.kinds.writers import cells as writers
from fsgauge.record import Cell
from fsgauge.study.workload import (
    AgingWorkload,
    ChurnWorkload,
    ConnectionsWorkload,
    Workload,
    WritersWorkload,
)

__all__ = ["cells_of", "default_primary"]


def cells_of(workload: Workload) -> list[Cell]:
    """All cells, in the order of the study's lists or, where it is fixed, of a turn."""
    if isinstance(workload, AgingWorkload):
        return aging.cells_of(workload)
    if isinstance(workload, ChurnWorkload):
        return churn.cells_of(workload)
    if isinstance(workload, ConnectionsWorkload):
        return connections.cells_of(workload)
    if isinstance(workload, WritersWorkload):
        return writers.cells_of(workload)
    return overhead.cells_of(workload)


def default_primary(workload: Workload) -> list[str]:
    """Ids of the cells that the answer is about unless the study says."""
    if isinstance(workload, AgingWorkload):
        return aging.default_primary(workload)
    if isinstance(workload, ChurnWorkload):
        return churn.default_primary(workload)
    if isinstance(workload, ConnectionsWorkload):
        return connections.default_primary(workload)
    if isinstance(workload, WritersWorkload):
        return writers.default_primary(workload)
    return overhead.default_primary(workload)
