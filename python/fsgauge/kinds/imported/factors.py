"""The factors of an imported test: its name, and what its tool says of it."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from fsgauge.record.factors import CellFactors, Factor
from fsgauge.units import format_size


class ImportedFactors(CellFactors):
    """What its tool does not say is left out. `rated_in` is the rate that the test is for."""

    KIND: ClassVar = "imported"

    test: Annotated[str, Factor("test", role="pattern")]
    block_size_bytes: Annotated[int | None, Factor("block size", role="size")] = None
    queue_depth: Annotated[int | None, Factor("queue depth", role="depth")] = None
    jobs: Annotated[int | None, Factor("jobs", role="jobs", one="job")] = None
    file_size_bytes: Annotated[int | None, Factor("file size", behind="file", in_bytes=True)] = None
    rated_in: Annotated[Literal["iops", "bandwidth"], Factor("rated in")] = "iops"

    @property
    def place(self) -> str:
        """ "4 KiB blocks (randread)", "job1": the test, behind what is known of it."""
        if self.block_size_bytes is None:
            return self.test
        return f"{format_size(self.block_size_bytes)} blocks ({self.test})"

    @property
    def noun(self) -> str:
        """ "randread of 4 KiB", "job1"."""
        if self.block_size_bytes is None:
            return self.test
        return f"{self.test} of {format_size(self.block_size_bytes)}"


FACTORS = ImportedFactors
