"""What statistics say of a program alone, for report.json."""

from __future__ import annotations

from typing import Literal

from fsgauge.stats.estimate import Estimate
from fsgauge.stats.result_model import ResultModel
from fsgauge.stats.results import JudgedRatio, OwnResults

TIME = "time"
"""What `primary` says of a program that is judged by its time."""


class Waits(ResultModel):
    """What a program did on one system in one cell: its mean time, and means over its runs.

    `waiting` is the share of its time in which it did nothing but wait for storage, of `looks` at
    its threads in all runs together; None where this machine does not tell. `processor` is CPU time
    over its time: 1 is one core.
    """

    cell: str
    system: str
    time: Estimate
    waiting: float | None
    looks: int
    processor: float
    peak_memory_bytes: int
    read_bytes: float | None = None
    written_bytes: float | None = None
    requests: float | None = None
    flushes: float | None = None


class OwnNumberResult(ResultModel):
    """One of its own numbers: the geometric mean over blocks; `ratio` is to the baseline's."""

    name: str
    unit: str
    better: Literal["higher", "lower"]
    cell: str
    system: str
    value: Estimate
    ratio: JudgedRatio | None


class Command(OwnResults):
    """What only a program has; in the order of cells, then of systems.

    `noise` is of the number that `primary` names: how far from 1, as a log, the ratio of an equal
    system may come out. None of its time, which is the study's own metric.
    """

    primary: str
    noise: float | None = None
    waits: list[Waits]
    numbers: list[OwnNumberResult]

    def of_cell(self, cell: str) -> list[Waits]:
        return [each for each in self.waits if each.cell == cell]
