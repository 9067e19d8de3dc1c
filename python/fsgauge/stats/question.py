"""What an answer is made from: the comparisons of one study, and what is known beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fsgauge.record.records import Cell
from fsgauge.stats.results import NOTHING_WEAK, Comparison, Durability, NoiseFloor, OwnResults


@dataclass(frozen=True)
class Question:
    """What the answer is about."""

    baseline: str
    baseline_is_raw: bool
    others: list[str]
    cells: list[Cell]
    primary: list[Cell]
    metrics: dict[str, str]
    comparisons: list[Comparison]
    noise: NoiseFloor | None
    blocks_complete: int
    few_operations: str
    invalid_reason: str
    margin_percent: float
    own: OwnResults | None
    limited: Sequence[Comparison] = ()
    """Comparisons that the rig sets; they are not among `comparisons`."""
    served: str = ""
    """ "Measured ext4 through Samba"; "" over paths."""
    server_aborts: str = ""
    """ "smbd aborted in 1 of 3 runs"; "" where none did."""
    durability: Durability = NOTHING_WEAK
    over_hosts: str = ""
    """ "Four hosts do 3.12 times the random reads of one on ext4 (2.95 to 3.30)."; "" where the
    study does not vary them."""
