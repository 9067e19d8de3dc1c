"""The factors of `aging`: rates while all is clean, then at levels of free space."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from fsgauge.record.factors import CellFactors, Factor

Side = Literal["write", "read"]
Wear = Literal["clean", "aged"]
"""clean: nothing was done before; aged: an op log was replayed."""


class AgingFactors(CellFactors):
    """Streams that write a new file each, or read it; the queue is of each stream. `free_percent`
    is the share of the aged region that is free; a clean cell has none."""

    KIND: ClassVar = "aging"

    side: Annotated[Side, Factor("direction", role="pattern")]
    streams: Annotated[int, Factor("streams", role="jobs", one="stream")]
    record_size_bytes: Annotated[int, Factor("record size", role="size")]
    queue_depth: Annotated[int, Factor("queue depth", role="depth")]
    wear: Annotated[Wear, Factor("wear")]
    free_percent: Annotated[int | None, Factor("free space")] = None

    @property
    def noun(self) -> str:
        """ "writes by 4 streams at 5 % free", "writes by 4 streams when clean"."""
        when = "when clean" if self.free_percent is None else f"at {self.free_percent} % free"
        return f"{self.side}s by {self.at_once_words} {when}"

    @property
    def longer_runs(self) -> str:
        return "larger storage (--set storage.size=...)"

    @property
    def share_of_reads(self) -> int:
        return 100 if self.side == "read" else 0

    def scans(self, workload: Mapping[str, Any]) -> set[str]:  # noqa: ARG002 - always
        aged = {"aged"} if self.wear == "aged" else set()
        return aged | ({"after cell"} if self.side == "write" else set())


FACTORS = AgingFactors
