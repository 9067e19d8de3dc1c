"""The keys of [workload] in a study that another tool has measured: what it was, nothing to run."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from fsgauge.kinds.imported.factors import ImportedFactors
from fsgauge.record.records import Cell
from fsgauge.study.base import OneLine
from fsgauge.study.sweep import SCAN
from fsgauge.study.workload_keys import WorkloadKeys


class ImportedWorkload(WorkloadKeys):
    """A cell for each test."""

    kind: Literal["imported"] = Field(
        "imported",
        description="The load: what another tool did. `fsgauge import` writes such a study; it can"
        " be reported and compared, and not be run.",
    )
    tool: OneLine = Field("unknown", description="The tool that measured, with its version.")
    tests: Annotated[list[OneLine], Field(min_length=1)] = Field(
        ["unknown"], description="The tests that it did, one cell each."
    )
    scan: bool = Field(False, description=SCAN)

    def cells(self) -> list[Cell]:
        """By their names alone: what else they were is in the records."""
        return [ImportedFactors(test=test).cell_named_by("test") for test in self.tests]


KEYS = ImportedWorkload
