"""The load curve of a plan: its limit, and at what pace a cell's load was offered."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict


class Curve(BaseModel):
    """The share of operations, "p99", that has to be answered within `limit_ns` of its intended
    start. The first block of such a plan runs each load unpaced; the others have its steps."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    limit_ns: int
    quantile: Literal["p50", "p99", "p999"]


class Pace(BaseModel):
    """A cell that is another cell's load, `load` by its id, at a rate.

    `rate` is in operations a second of all jobs together; 0 in a plan, where it is decided once the
    blocks before are measured. That of a step is one in all blocks; of a search, one in each.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    load: str
    part: Literal["step", "search"]
    number: int
    rate: float = 0.0
