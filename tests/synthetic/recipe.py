"""What a synthetic study is made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from fsgauge.kinds.overhead.factors import OverheadFactors
from fsgauge.record.records import Cell, Turn

ONE_CELL: dict[str, Any] = {
    "patterns": ("randread",),
    "block_sizes": (4096,),
    "queue_depths": (32,),
}
"""The smallest sweep: random reads of 4 KiB at depth 32."""
Effect = Callable[[str, Cell], float]
"""(system, cell) -> true rate over the device's; 1.0 costs nothing."""


@dataclass
class Recipe:
    """What to make; noise is the standard deviation of one run's log rate."""

    systems: Mapping[str, str] = field(
        default_factory=lambda: {"raw": "raw", "ext4": "ext4", "xfs": "xfs"}
    )
    patterns: tuple[str, ...] = ("randread", "randwrite", "randrw")
    block_sizes: tuple[int, ...] = (4096, 16384, 65536, 262144)
    queue_depths: tuple[int, ...] = (1, 32, 64)
    blocks: int = 8
    seed: int = 20261121
    noise: float = 0.02
    drift: float = 0.0
    later_effect: float = 1.0
    effect: Effect = lambda system, cell: default_effect(system, cell)
    rate: float | None = None
    paused_after_runs: int | None = None
    faults: Callable[[Turn, Cell], bool] = lambda turn, cell: False
    unsteady: Callable[[Turn, Cell], bool] = lambda turn, cell: False
    wobble: Effect = lambda system, cell: 0.01
    """Standard deviation of an interval's log rate."""
    storage_kind: str = "loop"
    question: str = "How much of the raw device do the file systems take away?"
    duration_s: int = 10
    warm_up_s: int = 2
    profile: Literal["release", "debug"] = "release"
    primary: list[str] | None = None


def default_effect(system: str, cell: Cell) -> float:
    """File systems cost at small blocks, more in writes, and nothing from 64 KiB on."""
    cost = {"raw": 0.0, "ext4": 0.06, "xfs": 0.04, "btrfs": 0.28, "f2fs": 0.10}.get(system, 0.02)
    factors = OverheadFactors.of(cell)
    if factors.pattern.endswith("write"):
        cost *= 1.6
    if factors.queue_depth == 1:
        cost *= 1.3
    return 1 - cost * min(1.0, (16384 / factors.block_size_bytes) ** 1.6) * (
        1 if factors.block_size_bytes < 65536 else 0.0
    )
