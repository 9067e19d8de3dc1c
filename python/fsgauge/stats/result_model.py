"""The base of every part of report.json, and what has no other home: runs that were struck, and the
baseline against itself."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from typing import Literal, Protocol, Self

from fsgauge.plain_files.kept import Kept


class ResultModel(Kept):
    """Part of report.json."""


class HasOwn(Protocol):
    """Results, or what they are made from."""

    @property
    def own(self) -> OwnResults | None: ...


class OwnResults(ResultModel):
    """What only one kind of study has; each kind has its model."""

    @classmethod
    def of(cls, holder: HasOwn) -> Self | None:
        """The kind's own results, where the study is of this kind."""
        return holder.own if isinstance(holder.own, cls) else None

    @classmethod
    def within(cls, holder: HasOwn) -> Self:
        """The same of a kind whose analysis always gives them; TypeError elsewhere."""
        found = cls.of(holder)
        if found is None:
            raise TypeError(f"a study of another kind has no {cls.__name__}")
        return found


class StruckRun(ResultModel):
    """A run that was struck on purpose, by one fault. Moments count from the beginning of its load;
    `before`, `during` and `after` are operations per second, `recovered_ns` how long after the end
    of the fault the rate was back at nine tenths of that before; `hindered` why the fault was not
    carried out as planned."""

    block: int
    system: str
    cell: str
    cell_name: str
    fault: str
    began_ns: int | None
    ended_ns: int | None
    back_ns: int | None
    before: float | None
    during: float | None
    after: float | None
    recovered_ns: int | None
    run_fault: str
    words: list[str]
    hindered: str


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
