"""The baseline against itself, as report.json has it."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from typing import Literal

from fsgauge.stats.result_model import ResultModel


class CellBand(ResultModel):
    """Where the ratio of a system equal to the baseline lies in 95 of 100 studies like this one."""

    cell: str
    low: float
    high: float


def typical(halves: Sequence[float]) -> float:
    """The half width, as a log, of the band of a typical cell; infinite where none has one."""
    return math.sqrt(statistics.fmean(half**2 for half in halves)) if halves else math.inf


class NoiseFloor(ResultModel):
    """The baseline against itself, pooled over the primary cells; which turn is over which, by lot.

    `state`: quiet; wide, too noisy to answer; differs, so the study is not valid; unknown from
    fewer than three blocks. `drift` is the later turn in a block over the earlier one, and `drifts`
    where it lies wholly outside the margin. `bands` are those of single cells.
    """

    metric: str
    ratio: float
    low: float | None
    high: float | None
    n: int
    cells: list[str]
    state: Literal["quiet", "wide", "differs", "unknown"]
    drift: float
    drifts: bool
    bands: list[CellBand]

    @property
    def band(self) -> CellBand | None:
        """The band of a typical one of `cells`; None where none has data for one."""
        halves = [math.log(band.high) for band in self.bands if band.cell in self.cells]
        half = typical(halves)
        return CellBand(cell="", low=math.exp(-half), high=math.exp(half)) if halves else None

    def band_of(self, cell: str) -> CellBand | None:
        """The band of one cell, where it has data for one."""
        return next((band for band in self.bands if band.cell == cell), None)
