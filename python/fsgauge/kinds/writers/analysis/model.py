"""What statistics say about scaling, for report.json.

Values are raw: operations per second, nanoseconds, bytes per second. An `Estimate` is a geometric
mean over blocks with a 95 % t interval on logs.
"""

from __future__ import annotations

from pydantic import Field

from fsgauge.stats.estimate import Estimate, widened
from fsgauge.stats.result_model import ResultModel
from fsgauge.stats.results import JudgedRatio, OwnResults
from fsgauge.stats.scaling.model import UslFit


class ScalingPoint(ResultModel):
    """One system at one number of writers.

    `change` is X(N) / X(fewest) and `efficiency` the share of ideal, X(N) fewest / (N X(fewest)),
    both from ratios inside blocks and absent at the fewest. `fairness` is the slowest writer's own
    rate as a share of the writers' mean. `of_device` is the rate as a share of the raw device's at
    the same number of writers in the same block. `blocks` is the rate in each block.
    """

    writers: int
    cell: str
    iops: Estimate | None
    change: Estimate | None
    efficiency: Estimate | None
    fairness: Estimate | None
    p50_ns: Estimate | None
    p99_ns: Estimate | None
    p999_ns: Estimate | None
    of_device: Estimate | None
    operations: Estimate | None = None
    elapsed_ns: Estimate | None = None
    blocks: list[tuple[int, float]]


class ScalingLine(ResultModel):
    """One system in one group of cells that differ in their number of writers alone.

    `group` says what else the study varies, "" when nothing. `best_writers` is the measured number
    with the highest rate; None when that is the largest measured. With `limited_by` the rig set the
    rates of the fewest and of the most ("a disk's IOPS limit").
    """

    system: str
    group: str
    points: list[ScalingPoint]
    fit: UslFit
    best_writers: int | None
    layout_rate: Estimate | None
    limited_by: str = Field(default="", exclude_if=lambda value: not value)


class LimitPoint(ResultModel):
    """Rates of the same load without a device, operations per second.

    `memory_stride` touches one byte of every `stride_bytes`; None where the study has no stride.
    `touched_ratio` is `memory_touched` over `null`, taken inside blocks.
    """

    cell: str
    writers: int
    group: str
    null: float
    memory: float
    memory_touched: float
    touched_ratio: Estimate | None = None
    memory_stride: float | None = None
    stride_bytes: int | None = None


class CompanionRow(ResultModel):
    """What those beside the writers did."""

    system: str
    group: str
    writers: int
    role: str
    iops: Estimate
    p50_ns: Estimate | None
    p99_ns: Estimate | None


class GroupRatio(ResultModel):
    """A group's rate over that of `first`, of one system at one number of writers.

    The two differ in ranges, access or allocation alone; the ratio is taken inside each block.
    `ratio` is by itself; `judged` has the interval and verdict of its family, all groups and
    systems at this number of writers, and `pick_low` and `pick_high` hold where it is named for
    being the largest of them.
    """

    system: str
    writers: int
    group: str
    first: str
    ratio: Estimate
    judged: JudgedRatio | None = None
    pick_low: float | None = None
    pick_high: float | None = None


class Scaling(OwnResults):
    """Everything about scaling in one study; `device` names the raw system, if there is one.

    `whole_blocks` counts the blocks of which every planned run was made. `cases` says what each
    system is in the publication's words, "NFS over xfs".
    """

    block_size_bytes: int
    writer_counts: list[int]
    whole_blocks: int
    device: str | None
    lines: list[ScalingLine]
    limits: list[LimitPoint]
    companions: list[CompanionRow]
    between_groups: list[GroupRatio] = Field([])
    cases: dict[str, str] = Field({}, exclude_if=lambda value: not value)

    def together(self, change: Estimate | None) -> Estimate | None:
        """A system's change with the interval that holds for those of all systems at once: the
        one that the answer, the pictures and the tables all show.
        """
        systems = {
            line.system for line in self.lines if any(point.change for point in line.points)
        } - {self.device}
        return None if change is None else widened(change, len(systems))
