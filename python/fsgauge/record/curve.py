"""The load curve of a plan: its limit, and at what pace a cell's load was offered."""

from __future__ import annotations

from typing import Literal

from fsgauge.plain_files.kept import Kept


class Curve(Kept):
    """The share of operations, "p99", that has to be answered within `limit_ns` of its intended
    start. The first block of such a plan runs each load unpaced; the others have its steps."""

    limit_ns: int
    quantile: Literal["p50", "p99", "p999"]


class Pace(Kept):
    """A cell that is another cell's load, `load` by its id, at a rate.

    `rate` is in operations a second of all jobs together; 0 in a plan, where it is decided once the
    blocks before are measured. That of a step is one in all blocks; of a search, one in each.
    """

    load: str
    part: Literal["step", "search"]
    number: int
    rate: float = 0.0
