"""What a study says about the load: [workload], one model a kind."""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, cast

from pydantic import BeforeValidator, Field

from fsgauge import kinds
from fsgauge.record.records import Cell
from fsgauge.study.workload_keys import WorkloadKeys

__all__ = ["Workload", "cells_of", "default_primary", "keys_of"]


def keys_of(kind: str) -> type[WorkloadKeys]:
    """The model of a kind's [workload]."""
    return cast(type[WorkloadKeys], kinds.part(kind, "keys").KEYS)


def _with_kind(data: object) -> object:
    return {"kind": kinds.DEFAULT, **data} if isinstance(data, dict) else data


if TYPE_CHECKING:
    Workload = WorkloadKeys
else:
    Workload = Annotated[
        Annotated[reduce(or_, map(keys_of, kinds.names())), Field(discriminator="kind")],
        BeforeValidator(_with_kind),
    ]


def cells_of(workload: Workload) -> list[Cell]:
    """All cells, in the order of the study's lists or, where it is fixed, of a turn."""
    return list(workload.cells_once)


def default_primary(workload: Workload) -> list[str]:
    """Ids of the cells that the answer is about unless the study says."""
    return workload.default_primary()
