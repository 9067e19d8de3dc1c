"""What a cross-check with a program keeps: every run of both, and each cell's ratio."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

from fsgauge.crosscheck.agreement import Word
from fsgauge.engine.wire import ClientsJob, LoadJob, LoadResult
from fsgauge.record.records import Cell, Record
from fsgauge.workload.peer import PeerNumbers


class ProgramCheck(Record):
    """Written before the first run."""

    fsgauge_version: str
    program: str
    command: list[str]
    study: dict[str, Any]
    seed: int
    pairs: int
    started_unix_ns: int


class CellNumbers(BaseModel):
    """One side of a cell in one run; no rate where the program was too fast to say one."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    cell: str
    rate: float | None
    unit: Literal["bytes/s", "operations/s"] | None
    processor_share: float | None

    @classmethod
    def of(cls, cell: Cell, numbers: PeerNumbers | None) -> Self:
        """As a side gave them."""
        if numbers is None:
            return cls(cell=cell.id, rate=None, unit=None, processor_share=None)
        share = numbers.processor_share
        return cls(cell=cell.id, rate=numbers.rate, unit=numbers.unit, processor_share=share)


class ProgramRun(Record):
    """One run of one side: jobs and results of the engine, or `output` of the program.

    `program_version` is that of the program on that machine, in both.
    """

    system: str
    pair: int
    position: int
    tool: str
    program_version: str
    command: list[str]
    caches: str
    started_unix_ns: int
    jobs: list[Annotated[LoadJob | ClientsJob, Field(discriminator="kind")]]
    results: list[LoadResult]
    output: str | None
    cells: list[CellNumbers]

    def of(self, cell: str) -> CellNumbers:
        """What it says of a cell."""
        return next(numbers for numbers in self.cells if numbers.cell == cell)


class ProgramAgreement(BaseModel):
    """One cell on one system: engine / program over the pairs, and what each took of a CPU."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    program: str
    system: str
    cell: str
    cell_name: str
    unit: Literal["bytes/s", "operations/s"] | None
    engine: float | None
    theirs: float | None
    ratio: float | None
    low: float | None
    high: float | None
    pairs: int
    too_fast: int
    """Pairs in which the program gave no rate."""
    word: Word
    engine_processor_share: float | None
    their_processor_share: float | None
