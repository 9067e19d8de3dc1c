"""The cells of `churn`: each test on the aged system and on the fresh copy, at each fill level."""

from __future__ import annotations

from typing import Literal

from fsgauge.kinds.churn.keys import ChurnWorkload
from fsgauge.record import Cell

Test = Literal["read", "write"]
Wear = Literal["aged", "fresh"]
_WEARS: tuple[Wear, ...] = ("aged", "fresh")
_IN_ORDER: tuple[Test, ...] = ("read", "write")


def cells_of(workload: ChurnWorkload) -> list[Cell]:
    """All cells: by fill level, aged before fresh, the tree read before new files are written."""
    return [
        _cell(workload, fill, wear, test)
        for fill in workload.fills
        for wear in _WEARS
        for test in _IN_ORDER
        if test in workload.tests
    ]


def default_primary(workload: ChurnWorkload) -> list[str]:
    """All of them: the answer is a ratio of two cells at each level."""
    return [cell.id for cell in cells_of(workload)]


def _cell(workload: ChurnWorkload, fill: int, wear: Wear, test: Test) -> Cell:
    reads = test == "read"
    return Cell(
        id=f"{wear}-{fill}-{test}",
        name=f"{test}, {wear}, {fill} % full",
        pattern=test,
        read_percent=100 if reads else 0,
        block_size_bytes=workload.read_block_size if reads else workload.record_size,
        queue_depth=1,
        jobs=1 if reads else workload.clients,
        interface="auto",
        test="backup" if reads else "write",
        order=workload.read_order if reads else None,
        wear=wear,
        fill_percent=fill,
    )
