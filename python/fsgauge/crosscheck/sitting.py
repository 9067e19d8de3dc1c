"""What both cross-checks do alike: one device, pairs as blocks, who goes first, the folder."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel

from fsgauge import __version__
from fsgauge.crosscheck.folder import CrosscheckFolder, CrosscheckRecord
from fsgauge.errors import FsgaugeError, RigError
from fsgauge.machine.device.consent import Consent
from fsgauge.plan.turns import make_plan
from fsgauge.record.records import Plan, Turn
from fsgauge.rig.rig import Rig
from fsgauge.rig.session import Session
from fsgauge.study.dump import dump_study
from fsgauge.study.model import Study
from fsgauge.study.storage import first_device

Name = TypeVar("Name", bound=str)


@dataclass(frozen=True)
class Listener:
    """Called when a run begins (system, what it does, pair, tool), when a cell is done, and with
    what a person has to know before."""

    run: Callable[[str, str, int, str], None]
    cell: Callable[[Any], None]
    note: Callable[[str], None] = lambda _: None


@dataclass(frozen=True)
class Asked:
    """What a command asks for, of a study that is `paired`; `destroy` is its consent, `command` how
    it was called."""

    study: Study
    rig: Rig
    results: Path
    destroy: Consent | None
    command: list[str]
    listener: Listener


@dataclass(frozen=True)
class Sitting:
    """A rig with the study's storage, and the folder of what is measured on it."""

    asked: Asked
    session: Session
    plan: Plan
    folder: CrosscheckFolder

    @property
    def directory(self) -> Path:
        return self.folder.directory

    def pairs_of(self, system: str) -> list[Turn]:
        return [turn for turn in self.plan.turns if turn.system == system and not turn.again]

    def told_run(self, turn: Turn, work: str, tool: str) -> None:
        """Tell the listener that a run begins."""
        self.asked.listener.run(turn.system, work, turn.block, tool)

    def keep_agreement(self, found: BaseModel) -> None:
        """Store the agreement of a cell and tell the listener."""
        self.folder.write_agreement(found)
        self.asked.listener.cell(found)


def paired(study: Study, pairs: int) -> Study:
    """A pair is a block of its own: another seed, other offsets. Both tools use one device."""
    plan = study.plan.model_copy(update={"blocks": pairs, "budget": None})
    return study.model_copy(update={"plan": plan, "storage": first_device(study.storage)})


@contextmanager
def sitting(
    asked: Asked, record: type[CrosscheckRecord], require: Callable[[Session], None], **facts: str
) -> Iterator[Sitting]:
    """Refusals of the rig come before anything is touched, `require` among them; a later error says
    what is kept."""
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
            yield Sitting(asked, session, plan, folder)
        except FsgaugeError as error:
            error.details += (folder.kept(),)
            raise


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
