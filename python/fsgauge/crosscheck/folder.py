"""The folder of a cross-check: every run, as the tool reported it.

DIR/study.toml                        the effective study, every key
DIR/crosscheck.json                   FioCheck, ProgramCheck: command, versions, pairs
DIR/environment.json                  the machine (record.EnvironmentRecord)
DIR/runs/SYSTEM/CELL-PP-P-TOOL.json   CrosscheckRun, ProgramRun: pair, place in it, tool, result
DIR/agreement.ndjson                  CellAgreement, ProgramAgreement: a line a cell, as it is done
"""

from __future__ import annotations

import shutil
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, Field

from fsgauge.engine.wire import ClientsJob, LoadJob, LoadResult
from fsgauge.errors import RigError
from fsgauge.plain_files import PlainFolder, cannot_write, write_whole
from fsgauge.plain_files.kept import Kept
from fsgauge.record.records import Cell, EnvironmentRecord, Record
from fsgauge.store.files import slug
from fsgauge.workload.peer import PeerNumbers, RateUnit

Tool = Literal["engine", "fio", "fio-by-itself"]
"""The last one is fio with its default submission; "fio" submits like the engine."""


class CrosscheckRecord(Record):
    """Written before the first run."""

    fsgauge_version: str
    command: list[str]
    study: dict[str, Any]
    seed: int
    pairs: int
    started_unix_ns: int


class FioCheck(CrosscheckRecord):
    """Start of a cross-check with fio."""

    fio_version: str


class ProgramCheck(CrosscheckRecord):
    """Start of a cross-check with a program that a kind declares."""

    program: str


class CrosscheckRun(Record):
    """One run of one tool. `result` is the engine's, `fio` is fio's document, whole."""

    system: str
    cell: Cell
    pair: int
    position: int
    tool: Tool
    job: LoadJob
    command: list[str]
    caches: str
    started_unix_ns: int
    result: LoadResult | None
    fio: dict[str, Any] | None


class CellNumbers(Kept):
    """One side of a cell in one run; no rate where the program was too fast to say one."""

    cell: str
    rate: float | None
    unit: RateUnit | None
    processor_share: float | None

    @classmethod
    def of(cls, cell: Cell, numbers: PeerNumbers | None) -> Self:
        """Values of one program."""
        if numbers is None:
            return cls(cell=cell.id, rate=None, unit=None, processor_share=None)
        share = numbers.processor_share
        return cls(cell=cell.id, rate=numbers.rate, unit=numbers.unit, processor_share=share)


class ProgramRun(Record):
    """One run of one side: jobs and results of the engine, or `output` of the program.
    `program_version` is that of the program on that machine, in both."""

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
        return next(numbers for numbers in self.cells if numbers.cell == cell)


class CrosscheckFolder:
    """PARENT/crosscheck-STUDY-DATE-TIME; raises RigError where it cannot be made or written."""

    def __init__(self, parent: Path, study_name: str) -> None:
        stamp = datetime.now().astimezone().strftime("%Y-%m-%d-%H%M%S-%f")
        self.directory = parent / f"crosscheck-{slug(study_name)}-{stamp}"
        self._lines: list[str] = []
        self._make(self.directory)

    def write_start(self, record: Record, environment: EnvironmentRecord, study_toml: str) -> None:
        """Write the study, the machine and how the cross-check was called."""
        write_whole(self.directory / "study.toml", study_toml)
        write_whole(self.directory / "environment.json", environment.model_dump_json(indent=1))
        write_whole(self.directory / "crosscheck.json", record.model_dump_json(indent=1))

    def write(self, run: Record, system: str, name: str) -> None:
        """Write one run, as soon as it is over."""
        folder = self.directory / "runs" / slug(system)
        self._make(folder)
        write_whole(folder / f"{name}.json", run.model_dump_json())

    def write_agreement(self, cell: BaseModel) -> None:
        self._lines.append(cell.model_dump_json() + "\n")
        write_whole(self.directory / "agreement.ndjson", "".join(self._lines))

    def kept(self) -> str:
        """What is kept of one that ended early; the folder is removed if nothing was measured."""
        if (self.directory / "runs").is_dir():
            return f"the runs so far are kept in {self.directory}"
        shutil.rmtree(self.directory, ignore_errors=True)
        return "nothing was measured, so nothing is kept"

    def _make(self, folder: Path) -> None:
        try:
            with PlainFolder.made(folder, as_owner=False):
                pass
        except OSError as error:
            refused = cannot_write(folder, error)
            raise RigError(refused.what, cause=refused.cause, next="--results DIR") from error
