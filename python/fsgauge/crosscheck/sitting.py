"""What both cross-checks do alike: one device, pairs as blocks, who goes first, the folder.

DIR/study.toml                        the effective study, every key
DIR/crosscheck.json                   FioCheck, ProgramCheck: command, versions, pairs
DIR/environment.json                  the machine (record.EnvironmentRecord)
DIR/runs/SYSTEM/CELL-PP-P-TOOL.json   CrosscheckRun, ProgramRun: pair, place in it, tool, result
DIR/agreement.ndjson                  CellAgreement, ProgramAgreement: a line a cell, as it is done
"""

from __future__ import annotations

import random
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import BaseModel, Field

from fsgauge import __version__
from fsgauge.engine.wire import ClientsJob, LoadJob, LoadResult
from fsgauge.errors import FsgaugeError, RigError
from fsgauge.machine.device.consent import Consent
from fsgauge.plain_files import PlainFolder, cannot_write, write_whole
from fsgauge.plain_files.kept import Kept
from fsgauge.plan.turns import make_plan
from fsgauge.record.records import Cell, EnvironmentRecord, Plan, Record, Turn
from fsgauge.rig.rig import Rig
from fsgauge.rig.session import LentSystem, Session
from fsgauge.store.files import slug
from fsgauge.study.dump import dump_study
from fsgauge.study.model import Study
from fsgauge.study.storage import first_device
from fsgauge.workload.peer import PeerNumbers, RateUnit

Name = TypeVar("Name", bound=str)


@dataclass(frozen=True)
class Listener:
    """Told when a run begins (system, what, pair, tool), of a cell, and what to know before."""

    run: Callable[[str, str, int, str], None]
    cell: Callable[[Any], None]
    note: Callable[[str], None] = lambda _: None


@dataclass(frozen=True)
class Asked:
    """What a command asks for, of a study that is `paired`; `command` is how it was called."""

    study: Study
    rig: Rig
    results: Path
    destroy: Consent | None
    command: list[str]
    listener: Listener


@dataclass(frozen=True)
class Sitting:
    """A plan on a rig with the study's storage, and the folder of what is measured on it."""

    asked: Asked
    plan: Plan
    folder: CrosscheckFolder

    def pairs_of(self, system: str) -> list[Turn]:
        return [turn for turn in self.plan.turns if turn.system == system and not turn.again]

    def told_run(self, turn: Turn, work: str, tool: str) -> None:
        self.asked.listener.run(turn.system, work, turn.block, tool)

    def keep_agreement(self, found: BaseModel) -> None:
        self.folder.write_agreement(found)
        self.asked.listener.cell(found)


def paired(study: Study, pairs: int) -> Study:
    """A pair is a block of its own: another seed, other offsets. Both tools use one device."""
    plan = study.plan.model_copy(update={"blocks": pairs, "budget": None})
    return study.model_copy(update={"plan": plan, "storage": first_device(study.storage)})


def sit(
    asked: Asked,
    record: type[CrosscheckRecord],
    require: Callable[[Session], None],
    on_system: Callable[[Sitting, str, LentSystem], None],
    **facts: str,
) -> Path:
    """Work on each system; gives the folder. Refusals of the rig come before anything is touched,
    `require` among them; a later error says what is kept."""
    asked.rig.check(asked.study, asked.destroy)
    with asked.rig.opened(asked.study) as session:
        require(session)
        found = session.describe()
        plan = make_plan(asked.study, size_bytes=found.size_bytes)
        folder = CrosscheckFolder(asked.results, asked.study.name)
        begun = record(
            fsgauge_version=__version__,
            command=asked.command,
            study=asked.study.model_dump(mode="json", by_alias=True),
            seed=plan.seed,
            pairs=asked.study.plan.blocks,
            started_unix_ns=time.time_ns(),
            **facts,
        )
        folder.write_start(begun, found.environment, dump_study(asked.study))
        try:
            for system in asked.study.systems:
                with session.lent(system) as lent:
                    on_system(Sitting(asked, plan, folder), system.name, lent)
        except FsgaugeError as error:
            error.details += (folder.kept(),)
            raise
    return folder.directory


def tools_in_order(pairs: int, seed: int, tools: tuple[Name, Name]) -> list[tuple[Name, Name]]:
    """Who goes first in each pair: ABBA or BAAB, by lot."""
    one, other = tools
    if random.Random(seed).random() >= 0.5:  # noqa: S311 - no secret
        one, other = other, one
    return [(one, other) if pair % 2 == 0 else (other, one) for pair in range(pairs)]


def not_installed(program: str, install: str) -> RigError:
    return RigError(
        f"{program} is not installed",
        cause="a cross-check runs a program that is there; fsgauge does not include one",
        next=install,
    )


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
        write_whole(self.directory / "study.toml", study_toml)
        write_whole(self.directory / "environment.json", environment.model_dump_json(indent=1))
        write_whole(self.directory / "crosscheck.json", record.model_dump_json(indent=1))

    def write(self, run: Record, system: str, name: str) -> None:
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
