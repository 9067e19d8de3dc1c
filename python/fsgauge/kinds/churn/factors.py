"""The factors of `churn`: what is done at which fill level, on the aged system or a fresh copy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from fsgauge.record.factors import CellFactors, Factor

Side = Literal["read", "write"]
Wear = Literal["aged", "fresh"]
"""aged: an op log was replayed; fresh: the tree that the log leaves was written once on a system
made anew."""
Order = Literal["directory", "inode", "physical"]


class ChurnFactors(CellFactors):
    """One reader of the whole tree, or clients that write new files; each has one call in flight.
    `record_size_bytes` is what a call moves; only reads have an order."""

    KIND: ClassVar = "churn"

    side: Annotated[Side, Factor("test", role="pattern")]
    wear: Annotated[Wear, Factor("wear")]
    fill_percent: Annotated[int, Factor("fill level")]
    clients: Annotated[int, Factor("clients", role="jobs", one="client")]
    record_size_bytes: Annotated[int, Factor("record size", role="size")]
    order: Annotated[Order | None, Factor("order", behind="order", column="backup_order")] = None

    @property
    def noun(self) -> str:
        """ "reads of the aged tree at 95 % full", "writes next to the fresh tree at 95 % full"."""
        where = "of" if self.side == "read" else "next to"
        return f"{self.side}s {where} the {self.wear} tree at {self.fill_percent} % full"

    @property
    def share_of_reads(self) -> int:
        return 100 if self.side == "read" else 0

    @property
    def longer_runs(self) -> str:
        return "larger storage (--set storage.size=...)"

    @property
    def more_space(self) -> str:
        return "larger storage, a smaller workload.write_fill, or a lower level in workload.fills"

    def scans(self, workload: Mapping[str, Any]) -> set[str]:  # noqa: ARG002 - always
        return {"aged", "after cell"} if self.side == "write" else {"aged"}


FACTORS = ChurnFactors
