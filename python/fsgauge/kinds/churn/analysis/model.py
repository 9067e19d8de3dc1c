"""What statistics say of churn, for report.json.

Values are raw: bytes, bytes per second, shares of 1. Rates and ratios are geometric means over
blocks with a 95 % t interval on logs. The damage is a ratio inside a block: aged over fresh, so
0.8 of a rate is a loss of a fifth.
"""

from __future__ import annotations

from fsgauge.kinds.churn.factors import Side, Wear
from fsgauge.stats.estimate import Estimate
from fsgauge.stats.layouts import Seeks
from fsgauge.stats.result_model import ResultModel
from fsgauge.stats.results import JudgedRatio, OwnResults


class Damage(JudgedRatio):
    """The rate on the aged system over that on the fresh copy, at one fill level.

    `verdict` says what ageing did: worse is slower. `detectable_percent` is the smallest damage
    that so many blocks of this noise would have shown in 80 of 100 studies; `left_out` the blocks
    that lack one of both runs; `blocks` the ratio of each block. `against_baseline` is over the
    baseline's damage in the same block: above 1 the system suffers less.
    """

    system: str
    side: Side
    fill_percent: int
    detectable_percent: float | None
    margin_percent: float
    aged: Estimate
    fresh: Estimate
    against_baseline: JudgedRatio | None
    left_out: list[int]
    blocks: list[tuple[int, float]]

    @property
    def detectable_loss_percent(self) -> float | None:
        """The same as a loss, which is never above 100 %."""
        if self.detectable_percent is None:
            return None
        return 100 * (1 - 1 / (1 + self.detectable_percent / 100))


class ChurnLayout(ResultModel):
    """Where a tree lay, and the free space around it, before it was read; means over blocks.

    Shares and lengths are arithmetic means; `used_share` is of the file system's size.
    `new_extents_per_file` is of the files that were written then. None where it is unknown.
    """

    system: str
    fill_percent: int
    wear: Wear
    files: float
    used_share: float | None
    extents_per_file: Estimate
    fragmented_share: float
    layout_score: float | None
    free_extents: float | None
    largest_free_bytes: float | None
    free_at_least_1_mib_share: float | None
    new_extents_per_file: Estimate | None


class Tree(ResultModel):
    """How the trees of one system, level and wear were made; means over `turns`. `live_share` is
    what the tree's files take of what the system had available when it was empty."""

    system: str
    fill_percent: int
    wear: Wear
    turns: int
    live_files: float
    live_bytes: float
    live_share: float | None
    written_bytes: float
    storage_age: float | None
    operations: float
    failed: int
    ended: list[str]


class Churn(OwnResults):
    """Everything about churn in one study.

    `noise` is, by side, the rate of the baseline's later turn over that of its earlier one, over
    all cells of that side. `different_trees` are the places where aged and fresh do not hold as
    many files and bytes. `folder_bytes` is what levels are shares of where the systems are folders
    of file systems that others use too; else it is None, and they are shares of the systems.
    """

    fills: list[int]
    sides: list[Side]
    storage_age: float
    mode: str
    seeks: Seeks
    damages: list[Damage]
    noise: dict[Side, Estimate]
    layouts: list[ChurnLayout]
    trees: list[Tree]
    different_trees: list[str]
    failed_scans: int
    folder_bytes: int | None = None

    def damage(self, system: str, side: Side, fill_percent: int) -> Damage | None:
        key = (system, side, fill_percent)
        return next((e for e in self.damages if (e.system, e.side, e.fill_percent) == key), None)

    def layout(self, system: str, fill_percent: int, wear: Wear) -> ChurnLayout | None:
        key = (system, fill_percent, wear)
        return next((e for e in self.layouts if (e.system, e.fill_percent, e.wear) == key), None)
