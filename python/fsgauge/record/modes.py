"""What the plan of a race asks, and that of a load curve."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from fsgauge.plain_files.kept import Kept

FINALISTS = 5
"""Of a race, in the blocks that confirm: the baseline, the winner and up to three rivals."""


def confirming_blocks(confirm: int, systems: int) -> float:
    """So many blocks of the finalists, in blocks of all systems; the baseline has two turns."""
    return confirm * min(1.0, (FINALISTS + 1) / (systems + 1))


class RaceRules(Kept):
    """Blocks up to `blocks` race, the `confirm` after them confirm; a plan has turns of every
    system in all of them, and those are measured that the blocks before leave in it.

    `margin_percent` is what is called no better. `budget_seconds` is for both; None: no end but
    the last block. `weaker` are systems that give up durability which the baseline keeps: they
    never win.
    """

    blocks: int
    confirm: int
    margin_percent: float
    budget_seconds: float | None = None
    weaker: list[str] = Field([])

    def within(self, seconds: float) -> float:
        """So many seconds, or the budget where that is less."""
        return seconds if self.budget_seconds is None else min(seconds, self.budget_seconds)


LOOKS = (3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64, 80, 96, 128, 160, 192, 240)


def looks_of(blocks: int) -> list[int]:
    """After how many of so many blocks at most a race is looked at, fixed beforehand."""
    return [*(each for each in LOOKS if each < blocks), blocks]


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
