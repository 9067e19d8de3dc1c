"""How each kind of workload is carried out: the one place that tells the kinds apart.

Plan, estimate, preview, rig and cross-check ask a `Method`; a new kind of workload is a model in
study/workload, its cells in study/cells, and a method here.
"""

from __future__ import annotations

from fsgauge.study.model import (
    AgingWorkload,
    ChurnWorkload,
    ConnectionsWorkload,
    Workload,
    WritersWorkload,
)
from fsgauge.workload.aging import AgingMethod
from fsgauge.workload.base import Method
from fsgauge.workload.churn import ChurnMethod
from fsgauge.workload.connections import ConnectionsMethod
from fsgauge.workload.overhead import OverheadMethod
from fsgauge.workload.writers import WritersMethod

__all__ = ["Method", "method_of"]


def method_of(workload: Workload) -> Method:
    """What carries this workload out."""
    if isinstance(workload, AgingWorkload):
        return AgingMethod(workload)
    if isinstance(workload, ChurnWorkload):
        return ChurnMethod(workload)
    if isinstance(workload, ConnectionsWorkload):
        return ConnectionsMethod(workload)
    if isinstance(workload, WritersWorkload):
        return WritersMethod(workload)
    return OverheadMethod(workload)
