"""How each kind of workload is carried out: the one place that tells the kinds apart.

Plan, estimate, preview, rig and cross-check ask a `Method`; a new kind of workload is a model in
study/workload, its cells in study/cells, and a method here.
"""

from __future__ import annotations

from fsgauge.kinds.aging.method import AgingMethod
from fsgauge.kinds.churn.method import ChurnMethod
from fsgauge.kinds.connections.method import ConnectionsMethod
from fsgauge.kinds.overhead.method import OverheadMethod
from fsgauge.kinds.writers.method import WritersMethod
from fsgauge.study.model import (
    AgingWorkload,
    ChurnWorkload,
    ConnectionsWorkload,
    Workload,
    WritersWorkload,
)
from fsgauge.workload.method import Method

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
