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
        """With which parameters."""
        return f"{self.program} with {self.parameters}" if self.parameters else self.program

    @property
    def work(self) -> str:
        """The program's name."""
        return self.program

    @property
    def noun(self) -> str:
        """Likewise."""
        return self.place

    @property
    def panel(self) -> str:
        """Likewise."""
        return self.program

    @property
    def more_space(self) -> str:
        """A program takes what it takes."""
        return "larger storage"


FACTORS = CommandFactors
