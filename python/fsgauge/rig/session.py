"""A rig's storage, attached for the blocks of one study."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from fsgauge.engine.wire import Engine as EngineBuild
from fsgauge.record.machine import Machine
from fsgauge.record.records import EnvironmentRecord, Plan
from fsgauge.rig.happenings import Tell


@dataclass(frozen=True)
class Description:
    """What a rig is now. `size_bytes` is what each system can have at most; `engine` is the build
    that measures, as its results have it; `machines` are all its machines, the one that drives the
    load first; `left_out` says of each that is no longer among them why."""

    size_bytes: int
    engine: EngineBuild
    machines: list[Machine]
    left_out: tuple[str, ...] = ()

    @property
    def environment(self) -> EnvironmentRecord:
        """The machines as they are stored."""
        return EnvironmentRecord(machines=self.machines, left_out=list(self.left_out))


class Session(Protocol):
    """A rig whose storage is there and ours, for the blocks of one study."""

    def describe(self) -> Description:
        """As it is now; asked before the first block and after the last one."""
        ...

    def block(self, plan: Plan, block: int, tell: Tell) -> None:
        """Measure every turn of one block in full.

        A fault of the storage is a run's record. Raises RigError where the rest of the block cannot
        be measured, StudyVoid where all blocks must be measured again. Whatever ends the block,
        also what `tell` raises, each of its systems is gone when this returns.
        """
        ...
