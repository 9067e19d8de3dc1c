"""What a study says about the load: [workload], one model a kind."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, Field

from fsgauge.kinds.aging.keys import AgingWorkload
from fsgauge.kinds.churn.keys import ChurnWorkload
from fsgauge.kinds.connections.keys import ConnectionsWorkload
from fsgauge.kinds.overhead.keys import OverheadWorkload
from fsgauge.kinds.writers.keys import WritersWorkload

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
