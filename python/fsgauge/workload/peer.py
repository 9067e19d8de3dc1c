"""A program of others that does the cells of a kind itself, so that the engine can be checked.

A kind that has such programs lists them in `kinds/<kind>/peers` as PEERS, by name. What is here is
what a cross-check needs of one; nothing here starts it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from fsgauge.engine.wire import LoadResult
from fsgauge.record.records import Cell

RateUnit = Literal["bytes/s", "operations/s"]


@dataclass(frozen=True)
class PeerNumbers:
    """What one side says of a cell: the rate that the program prints, and its share of a CPU."""

    rate: float
    unit: RateUnit
    processor_share: float | None = None


@dataclass(frozen=True)
class PeerRun:
    """One start of the program: the cells that it does, in its order."""

    cells: tuple[Cell, ...]
    command: tuple[str, ...]
    read: Callable[[str], Mapping[str, PeerNumbers | None]]
    """From what it printed: by cell; None where it was too fast for the program to say."""
    leaves: tuple[str, ...]
    """What either side may leave: names in the folder, with wildcards. Removed after each run."""


class Peer(Protocol):
    name: str
    install: str
    """What brings it here."""
    variable: str | None
    """The variable that names it, if it is in no package."""

    def version_command(self, program: str) -> list[str]: ...

    def version(self, said: str) -> str: ...

    def runs(
        self,
        program: str,
        folder: str,
        workload: object,
        cells: Sequence[Cell],
        *,
        as_root: bool = False,
    ) -> list[PeerRun]:
        """The starts that do these cells in a folder; those without an equal are left out. Raises
        InputError where the study asks for what the program cannot do."""
        ...

    def own_tests(self, cells: Sequence[Cell]) -> str:
        """The change of a study that has it do the nearest that it can to these cells."""
        ...

    def of_engine(self, cell: Cell, result: LoadResult) -> PeerNumbers:
        """The engine's result as the program would print it."""
        ...
