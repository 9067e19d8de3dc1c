"""Rigs: the world that a study's blocks are measured in. This class is all that is asked of one.

A rig is cut at the block: it is handed a plan and the number of a block, and says what happens
while it measures that block. What it measures with (storage, engine, ledger, caches, clean-up) is
its own. A block, not a turn, so that a rig may measure the turns of a block side by side: partners
of a ratio then stand seconds apart. One by one, they stand as long as a turn takes apart, and their
ratios are wider by what the machine does meanwhile.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

from fsgauge.errors import FsgaugeError, InputError
from fsgauge.machine.device.consent import Consent
from fsgauge.machine.facts.noise import KeptNoise
from fsgauge.plan.around import HERE, Around, Tried
from fsgauge.record.records import SystemFacts
from fsgauge.record.strikes import Strike
from fsgauge.rig.session import Session
from fsgauge.study.model import Study, System
from fsgauge.study.storage import has_place_for_each
from fsgauge.study.workload import cells_of
from fsgauge.workload import method_of


@dataclass(frozen=True)
class FleetChoice:
    """What --hosts names: a file, hosts reached by ssh, nodes of Slurm, a file of pods, or the
    scheduler of a dask cluster. At most one of them."""

    hosts: Path | None = None
    ssh: str | None = None
    scheduler: str | None = None
    slurm: int | None = None
    kubernetes: Path | None = None
    same: bool = False
    """Refuse hosts that differ in their kernel or processors."""

    @property
    def typed(self) -> list[str]:
        named = any(value is not None for name, value in vars(self).items() if name != "same")
        return ["--hosts"] * named


_MOST_NODES = 10_000


def hosts_named(text: str | None) -> FleetChoice:
    """What --hosts says; InputError where it is understood in no way."""
    if text is None:
        return FleetChoice()
    kind, _, rest = text.partition(":")
    if kind == "same" and rest:
        return replace(hosts_named(rest), same=True)
    if "://" in text:
        return FleetChoice(scheduler=text)
    if kind == "slurm":
        if not rest.isdecimal() or not 1 <= int(rest[:9]) <= _MOST_NODES:
            raise InputError(
                f"--hosts {text} does not say how many nodes",
                cause="Slurm is asked for a number of nodes",
                next=f"--hosts slurm:N, 1 to {_MOST_NODES}",
            )
        return FleetChoice(slurm=int(rest))
    if kind == "kubernetes" and rest:
        return FleetChoice(kubernetes=Path(rest))
    is_there = os.path.lexists(text) and not os.path.isdir(text)  # noqa: PTH112 - too long is none
    is_file = "/" in text or text.endswith(".toml") or is_there
    return FleetChoice(hosts=Path(text)) if is_file else FleetChoice(ssh=text)


def of_some(study: Study, systems: Sequence[System]) -> Study:
    plan = study.plan.model_copy(update={"mode": "all"} if len(systems) < 2 else {})
    return study.model_copy(update={"systems": [*systems], "plan": plan})


@dataclass(frozen=True)
class Change:
    """A key of the study that gives way to where it is measured: what --set takes, and why."""

    key: str
    override: str
    why: str


@dataclass(frozen=True)
class FoldersSeen:
    """Systems that are folders, as they are mounted now: the facts of each by its name, and what
    they leave out of the comparison; of that in `shared`, who is on one file system or disk."""

    facts: dict[str, SystemFacts]
    cautions: list[str]
    shared: list[str] = field(default_factory=list)


class Rig(ABC):
    """The world that a study's blocks are measured in.

    Three methods are a rig's own. The others answer for a rig that has no hosts, nodes, folders,
    storage or noise of its own, and whose machines cannot be struck; one that has says so.
    """

    name: str
    takes_hosts: ClassVar[bool] = False
    """It consists of hosts that the command line names."""
    has_nodes: ClassVar[bool] = False
    """It makes the machines that a study asks for."""
    tries_blocks: ClassVar[bool] = False
    """The time that it takes follows from no storage's speed, but from a trial."""
    keeps_noise: ClassVar[bool] = False
    """It remembers how noisy its storage was."""

    @abstractmethod
    def size_bytes(self, study: Study) -> int:
        """The size that the study's storage will have, to plan with; InputError if there is none.
        Touches nothing."""

    @abstractmethod
    def check(self, study: Study, destroy: Consent | None) -> None:
        """Raise InputError, RefusedError or RigError for what can be refused; touch nothing.
        `destroy` is what the user permits to lose."""

    @abstractmethod
    def opened(self, study: Study) -> AbstractContextManager[Session]:
        """The study's storage, attached as it was checked, until the context ends. Nothing that was
        made is left then, however it ends."""

    def refusals(self, study: Study, destroy: Consent | None = None) -> list[FsgaugeError]:
        """All that a run would refuse, as far as it is soon seen; what `check` does, at least. What
        has to be tried is tried on something of its own, and nothing of it stays."""
        try:
            self.check(study, destroy)
        except FsgaugeError as error:
            return [error]
        return []

    def refused_alone(
        self, study: Study, destroy: Consent | None = None
    ) -> dict[str, list[FsgaugeError]]:
        """What a run would refuse of each system, tried by itself, by its name; {} where that is
        nothing of all."""
        if not self.refusals(study, destroy):
            return {}
        return {each.name: self.refusals(of_some(study, [each]), destroy) for each in study.systems}

    def hindrance(self, study: Study) -> str:  # noqa: ARG002
        """Why the turns of a block cannot be measured side by side, in a few words; "" if they
        can. Touches nothing."""
        return f"the rig {self.name} measures one system at a time"

    def placed(self, study: Study) -> Study:
        """The study on storage of the rig's own that is as large; touches nothing."""
        return study

    def changes(self, study: Study) -> list[Change]:  # noqa: ARG002
        """What of a shipped study gives way to folders that are there; touches nothing."""
        return []

    def folders(self, study: Study) -> FoldersSeen:  # noqa: ARG002
        """Systems that are folders and used as they are; touches nothing."""
        return FoldersSeen({}, [])

    def storage_words(self, study: Study) -> str:  # noqa: ARG002
        """What the systems will sit on, where the rig makes it; touches nothing."""
        return ""

    def storage_cautions(self, study: Study) -> list[str]:  # noqa: ARG002
        """What differs between systems there, and would not be looked for."""
        return []

    def take(self, hosts: FleetChoice) -> None:
        """These are the hosts; InputError on a rig that has none."""
        raise InputError(
            f"{hosts.typed[0]} is about hosts, and the rig {self.name} has none",
            next="--rig fleet --hosts hosts.toml",
        )

    def load_nodes(self, study: Study) -> int:  # noqa: ARG002
        """How many machines drive the load; InputError where that cannot be understood."""
        return 1

    def around(self, study: Study) -> Around:  # noqa: ARG002
        """The time that machines take around turns and runs, as far as it is known; touches
        nothing."""
        return HERE

    def tried(self, study: Study) -> Tried | None:  # noqa: ARG002
        """What a block takes, tried in a small way for some seconds; None for a study that is
        refused, or on a rig that tries none."""
        return None

    def last_noise(self, study: Study) -> KeptNoise | None:  # noqa: ARG002
        """The last noise that was measured on the study's storage; of this study before others."""
        return None

    def keep_noise(  # noqa: B027 - a rig may keep none
        self, study: Study, noise_percent: float, blocks: int, results: str
    ) -> None:
        """Keep what a run of the study has measured; what cannot be kept is lost."""

    def strikes(self, study: Study) -> list[Strike]:
        """The faults of a study as this rig carries them out, in their order; InputError where it
        cannot."""
        if not study.faults:
            return []
        raise InputError(
            f"the study has faults, and the rig {self.name} cannot strike its machines",
            cause="they are machines that something else runs on",
            next="--rig vm, or the study without [[fault]]",
        )


def around_on(rig: Rig, study: Study) -> Around:
    """What a rig knows of its time, with a block that it tries where it has to."""
    known = rig.around(study)
    return replace(known, block=rig.tried(study)) if rig.tries_blocks else known


def is_untried(rig: Rig, around: Around) -> bool:
    """Whether a rig that tries a block before it plans could try none: there is no time to plan."""
    return rig.tries_blocks and around.block is None


@dataclass(frozen=True)
class Design:
    """`because` says why systems are measured one by one where the study would not have it so."""

    side_by_side: bool
    because: str = ""


def design_of(rig: Rig, study: Study) -> Design:
    """What the study asks for and the rig can do; InputError where it insists on what cannot be."""
    asked = study.plan.side_by_side
    if asked == "false":
        return Design(side_by_side=False)
    if has_place_for_each(study.storage):
        asked = "true"
    if asked == "auto" and not _any_in_slices(study):
        because = "no cell of this study can be measured in slices"
    else:
        because = rig.hindrance(study)
    if because and asked == "true":
        raise InputError(
            "the systems cannot be measured side by side",
            cause=because,
            next="name one device, which measures them one by one and is wider"
            if has_place_for_each(study.storage)
            else "--set plan.side_by_side=false measures them one by one, which is wider",
        )
    return Design(side_by_side=not because, because=because)


def _any_in_slices(study: Study) -> bool:
    method = method_of(study.workload)
    return any(not method.slicing(cell).is_whole for cell in cells_of(study.workload))
