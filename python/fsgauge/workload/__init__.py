"""How workloads are carried out: what every kind answers, and what several of them share."""

from __future__ import annotations

from typing import cast

from fsgauge import kinds
from fsgauge.study.workload import Workload
from fsgauge.workload.method import Method

__all__ = ["Method", "method_of"]


def method_of(workload: Workload) -> Method:
    return cast(Method, kinds.part(workload.kind, "method").METHOD(workload))
