"""The cells of `churn`: each test on the aged system and on the fresh copy, at each fill level."""

from __future__ import annotations

from fsgauge.kinds.churn.factors import ChurnFactors, Side, Wear
from fsgauge.kinds.churn.keys import ChurnWorkload
from fsgauge.record.records import Cell

_WEARS: tuple[Wear, ...] = ("aged", "fresh")
_IN_ORDER: tuple[Side, ...] = ("read", "write")


def cells_of(workload: ChurnWorkload) -> list[Cell]:
    """All cells: by fill level, aged before fresh, the tree read before new files are written."""
    return [
        _cell(workload, fill, wear, side)
        for fill in workload.fills
        for wear in _WEARS
        for side in _IN_ORDER
        if side in workload.tests
    ]


def default_primary(workload: ChurnWorkload) -> list[str]:
    """All of them: the answer is a ratio of two cells at each level."""
    return [cell.id for cell in cells_of(workload)]


def _cell(workload: ChurnWorkload, fill: int, wear: Wear, side: Side) -> Cell:
    reads = side == "read"
    factors = ChurnFactors(
        side=side,
        wear=wear,
        fill_percent=fill,
        clients=1 if reads else workload.clients,
        record_size_bytes=workload.read_block_size if reads else workload.record_size,
        order=workload.read_order if reads else None,
    )
    return factors.cell(id=f"{wear}-{fill}-{side}", name=f"{side}, {wear}, {fill} % full")
