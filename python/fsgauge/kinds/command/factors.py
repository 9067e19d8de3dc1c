"""The factors of a program's cell: which program, with which parameters."""

from __future__ import annotations

from typing import Annotated, ClassVar

from fsgauge.record.factors import CellFactors, Factor


class CommandFactors(CellFactors):
    """One start of the program at a time. `parameters` are in words: "threads=4, scale=10"."""

    KIND: ClassVar = "command"

    program: Annotated[str, Factor("program", role="pattern")]
    parameters: Annotated[str | None, Factor("parameters")] = None

    @property
    def place(self) -> str:
        return f"{self.program} with {self.parameters}" if self.parameters else self.program

    @property
    def noun(self) -> str:
        return self.place

    @property
    def longer_runs(self) -> str:
        return "more runs (--set plan.blocks=...)"

    @property
    def more_space(self) -> str:
        return "larger storage"


FACTORS = CommandFactors
