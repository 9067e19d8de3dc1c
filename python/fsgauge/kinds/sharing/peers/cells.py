"""What the programs have in common: cells by what one start of a program does, and our rates."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol, runtime_checkable

from fsgauge.engine import wire
from fsgauge.errors import RigError
from fsgauge.kinds.sharing.tests import NEAREST, TESTS, FileTest, Program, Test
from fsgauge.record.records import Cell
from fsgauge.workload.peer import PeerNumbers

ENGINE_FOLDER = "c00000"
"""Where the engine's client has its files: what a test leaves there is in the next one's way."""


@runtime_checkable
class Tested(Protocol):
    """What a program has to know of a workload."""

    include_close: bool
    include_flush: bool
    seeks: int


@dataclass(frozen=True)
class Sizes:
    """A file and its records, as a program gets them."""

    file_bytes: int
    record_bytes: int


def tested(workload: object) -> Tested:
    if not isinstance(workload, Tested):
        raise TypeError("a workload of another kind")
    return workload


def test_of(cell: Cell) -> Test:
    return TESTS[str(cell.factors["test"])]


def sizes_of(cell: Cell) -> Sizes | None:
    """Its file and records; None of a test on a folder."""
    file_bytes, record_bytes = (
        cell.factors.get(name) for name in ("file_size_bytes", "record_size_bytes")
    )
    if isinstance(file_bytes, int) and isinstance(record_bytes, int):
        return Sizes(file_bytes, record_bytes)
    return None


def cells_by_sizes(
    cells: Sequence[Cell], program: Program
) -> Iterator[tuple[Sizes | None, tuple[Cell, ...]]]:
    """The cells of a program's tests, those of one file and record together, in its order."""
    own = [cell for cell in cells if test_of(cell).program == program]
    for sizes in dict.fromkeys(sizes_of(cell) for cell in own):
        yield sizes, tuple(cell for cell in own if sizes_of(cell) == sizes)


class TestsProgram:
    """What the programs answer alike; see workload.peer.Peer."""

    __test__ = False
    name: str
    version_words: ClassVar[str]
    """A regular expression that matches what it prints of its version; its group is the version."""

    def version(self, said: str) -> str:
        found = re.search(self.version_words, said)
        return found[1] if found else "unknown"

    def own_tests(self, cells: Sequence[Cell]) -> str:
        """The change that has it do the nearest to these cells: its own first tests if nothing is
        near."""
        near = NEAREST[self.name]
        wanted = [near.get(test_of(cell).name, test_of(cell).name) for cell in cells]
        own = [name for name, test in TESTS.items() if test.program == self.name]
        found = [name for name in own if name in wanted] or own[:2]
        listed = ",".join(f'"{name}"' for name in found)
        return f"--set 'workload.tests=[{listed}]'"

    def of_engine(self, cell: Cell, result: wire.LoadResult) -> PeerNumbers:
        """Bytes a second of a file, seeks a second, files a second; with what counts at the end."""
        test, took_ns = test_of(cell), max(wire.elapsed_with_finish_ns(result), 1)
        share = wire.processor_with_finish_ns(result) / took_ns
        if not isinstance(test, FileTest):
            files = result.clients.files if result.clients else 0
            return PeerNumbers(files * 1e9 / took_ns, "operations/s", share)
        sides = wire.sides_of(result)
        if test.is_random:
            operations = sum(side.operations for side in sides)
            return PeerNumbers(operations * 1e9 / took_ns, "operations/s", share)
        size_bytes = sum(side.size_bytes for side in sides)
        return PeerNumbers(size_bytes * 1e9 / took_ns, "bytes/s", share)


def unreadable(program: str, what: str, output: str) -> RigError:
    shown = [line[:200] for line in output.strip().splitlines()[-5:]]
    return RigError(
        f"{program} printed no results: {what}",
        details=tuple(shown),
        cause="it broke off, or is a version that prints otherwise",
        next="run it by hand; versions that are understood: docs/guides/sharing.md",
    )
