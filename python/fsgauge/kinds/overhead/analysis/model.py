"""What statistics say of overhead alone, for report.json. Fluctuations are shares of 1."""

from __future__ import annotations

from pydantic import Field

from fsgauge.stats.estimate import Estimate
from fsgauge.stats.result_model import ResultModel
from fsgauge.stats.results import JudgedRatio, OwnResults


class Fluctuation(ResultModel):
    """How much the rate of one system varied over time inside runs of one cell.

    `value` is the coefficient of variation of the rates of `intervals` intervals of `interval_ns`,
    a geometric mean over blocks. `operations` is the mean number in an interval; `counting` what
    as many operations at random times would vary by. `ratio` is to the baseline's in the same
    block, less is better; `noise` the baseline's second turn over its first.
    """

    cell: str
    system: str
    value: Estimate
    intervals: int
    interval_ns: int
    operations: float
    counting: float
    ratio: JudgedRatio | None
    noise: Estimate | None


class FilesRatio(ResultModel):
    """The rate of several hosts on the same files, in cell `same`, over their rate on separate
    ones, in cell `separate`. With `limited_by` the rig set both ("a disk's IOPS limit")."""

    system: str
    same: str
    separate: str
    ratio: JudgedRatio
    limited_by: str = Field(default="", exclude_if=lambda value: not value)


class Overhead(OwnResults):
    """What only overhead has."""

    fluctuations: list[Fluctuation]
    host_files: list[FilesRatio] = Field(default=[], exclude_if=lambda value: not value)
