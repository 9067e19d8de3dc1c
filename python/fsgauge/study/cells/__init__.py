"""The cells of a workload, and which of them the answer is about unless the study says."""

from __future__ import annotations

from fsgauge.record import Cell
from fsgauge.study.cells import overhead, writers
from fsgauge.study.workload import OverheadWorkload, WritersWorkload

__all__ = ["cells_of", "default_primary"]


def cells_of(workload: OverheadWorkload | WritersWorkload) -> list[Cell]:
    """All cells, in the order of the study's lists."""
    if isinstance(workload, WritersWorkload):
        return writers.cells_of(workload)
    return overhead.cells_of(workload)


def default_primary(workload: OverheadWorkload | WritersWorkload) -> list[str]:
    """Ids of the cells that the answer is about unless the study says."""
    if isinstance(workload, WritersWorkload):
        return writers.default_primary(workload)
    return overhead.default_primary(workload)
