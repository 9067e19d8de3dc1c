"""What statistics say of an aged file system, for report.json.

Values are raw: bytes, bytes per second, shares of 1. Rates and ratios of rates are geometric means
over blocks with a 95 % t interval on logs; shares and lengths are arithmetic means with a t
interval. `free_percent` is the share of the region that is free, None before ageing (clean).
"""

from __future__ import annotations

from fsgauge.kinds.aging.factors import Side
from fsgauge.stats.estimate import Estimate
from fsgauge.stats.layouts import Seeks
from fsgauge.stats.result_model import ResultModel
from fsgauge.stats.results import OwnResults
from fsgauge.stats.verdict import Verdict


class AgingPoint(ResultModel):
    """The rate of one system at one level; `relative` is to the same turn's clean rate.

    `verdict` is on `relative`: p values of all levels of the study are corrected together;
    `detectable_percent` is the smallest effect that would have shown in 80 of 100 studies.
    `blocks` and `relative_blocks` are (block, value).
    """

    cell: str
    free_percent: int | None
    rate: Estimate
    relative: Estimate | None
    verdict: Verdict | None
    blocks: list[tuple[int, float]]
    relative_blocks: list[tuple[int, float]]
    detectable_percent: float | None = None

    @property
    def kept(self) -> float:
        """The share of the clean rate; all of it at the clean level itself."""
        return self.relative.value if self.relative is not None else 1.0


class AgingLine(ResultModel):
    """One system, written or read, from clean to all free; `points` begin with the clean one.

    `lost_at` are the levels whose relative rate is worse than clean, `whole_from` the lowest level
    from which on none is; None where the last one still is.
    """

    system: str
    side: Side
    points: list[AgingPoint]
    lost_at: list[int]
    whole_from: int | None

    def at(self, free_percent: int | None) -> AgingPoint | None:
        return next((each for each in self.points if each.free_percent == free_percent), None)


class Lengths(ResultModel):
    """Extents of some files: the share of bytes in extents of exact lengths and by class.

    `exact` are (length, share), the largest shares first, None where the extents were not all
    listed; `at_least` are (length, share of bytes in extents that long), ascending.
    """

    files: float
    extents: float
    mean_extent_bytes: float
    exact: list[tuple[int, float]] | None
    at_least: list[tuple[int, float]]


class FreeAtLevel(ResultModel):
    """Free space beside the measured files; `at_least` are (length, share of free bytes)."""

    size_bytes: float
    extents: float | None
    largest_bytes: float | None
    at_least: list[tuple[int, float]]


class AgingLayout(ResultModel):
    """Where the files lay that were written at one level, and what a disk would make of it.

    `chunk_share`: bytes in extents of exactly the allocation size. `predicted` is the rate of the
    modelled disk, `predicted_relative` over the prediction of the same turn's clean files;
    `listed_share` how much of the files the prediction rests on.
    """

    system: str
    cell: str
    free_percent: int | None
    chunk_share: Estimate | None
    lengths: Lengths
    free: FreeAtLevel | None
    predicted: Estimate | None
    predicted_relative: Estimate | None
    listed_share: float


class AgedFiles(ResultModel):
    """The intermingled files as ageing left them."""

    system: str
    chunk_share: Estimate | None
    lengths: Lengths


class ToldApart(ResultModel):
    """Pairs of systems of which the first keeps more of its clean rate in a cell than the other."""

    cell: str
    pairs: list[tuple[str, str]]


class DiskParameter(ResultModel):
    """One number of the modelled disk; `is_default`: as the published rig has it."""

    name: str
    value: float
    is_default: bool


class Aging(OwnResults):
    """Everything about ageing in one study.

    `chunks` is each system's allocation size in bytes, None where the file system decides.
    `noise` is, by side, the relative rate of the baseline's later turn over its earlier one.
    `told_apart` is of the level that the answer is about, None where allocation sizes are not what
    differs. `unpredicted` says why the engine predicted nothing, "" where it did.
    """

    files: int
    streams: int
    aged_by: str
    levels: list[int]
    chunks: dict[str, int | None]
    seeks: Seeks
    lines: list[AgingLine]
    noise: dict[Side, Estimate]
    layouts: list[AgingLayout]
    aged: list[AgedFiles]
    disk: list[DiskParameter]
    told_apart: ToldApart | None = None
    unpredicted: str = ""
    failed_scans: int

    def line(self, system: str, side: Side) -> AgingLine | None:
        return next((e for e in self.lines if (e.system, e.side) == (system, side)), None)

    def layout(self, system: str, free_percent: int | None) -> AgingLayout | None:
        found = (e for e in self.layouts if (e.system, e.free_percent) == (system, free_percent))
        return next(found, None)
