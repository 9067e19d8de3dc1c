"""What a study says about the load: [workload], one model a kind."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, Field

from fsgauge.study.workload.aging import AgingWorkload
from fsgauge.study.workload.churn import ChurnWorkload
from fsgauge.study.workload.connections import ConnectionsWorkload
from fsgauge.study.workload.overhead import OverheadWorkload
from fsgauge.study.workload.writers import WritersWorkload

__all__ = [
    "DEFAULT_KIND",
    "AgingWorkload",
    "ChurnWorkload",
    "ConnectionsWorkload",
    "OverheadWorkload",
    "Workload",
    "WritersWorkload",
]

DEFAULT_KIND = "overhead"
"""What a [workload] without `kind` is."""


def _with_kind(data: object) -> object:
    return {"kind": DEFAULT_KIND, **data} if isinstance(data, dict) else data


Workload = Annotated[
    Annotated[
        OverheadWorkload | WritersWorkload | ConnectionsWorkload | AgingWorkload | ChurnWorkload,
        Field(discriminator="kind"),
    ],
    BeforeValidator(_with_kind),
]
