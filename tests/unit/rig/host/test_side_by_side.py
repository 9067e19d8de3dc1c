"""A block's systems measured side by side: order, slices, faults, and costs that are put off."""

from __future__ import annotations

import json
import math
import multiprocessing
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from fsgauge.engine.client import EngineFaultError, OnEvent
from fsgauge.engine.wire import EngineFault, LoadJob, LoadResult
from fsgauge.errors import Interrupted
from fsgauge.progress import Progress
from fsgauge.record.parts import Part
from fsgauge.rig.host import side_by_side
from fsgauge.rig.host import systems as host_systems
from fsgauge.rig.host.facts import PreparedSystem
from fsgauge.rig.host.side_by_side import hindrance
from fsgauge.rig.host.systems import HostSystems
from fsgauge.rig.host.working_set import WorkingSet
from fsgauge.run import run_study
from fsgauge.stats.read import read_stored
from fsgauge.store import StoredStudy, read_results
from fsgauge.study.parse import load_study
from tests.laboratory import (
    NoDiskEngine,
    NoDiskRig,
    NoDiskSystems,
    killed_studies,
    resume,
    run,
    small_study,
)


def read(directory: Path) -> StoredStudy:
    return read_results(directory)


def test_each_cell_is_measured_on_all_systems_before_the_next(tmp_path: Path) -> None:
    asked: list[LoadJob] = []
    outcome = run(tmp_path, NoDiskEngine(0, asked.append), blocks=2, side_by_side="true")
    assert outcome.ended_by is None
    stored = read(outcome.directory)
    assert len(stored.runs) == 2 * 4 * 4
    assert all(len(run.parts[0].slices) == 2 for run in stored.runs)
    cells = [(job.read_percent, job.queue_depth) for job in asked]
    changes = sum(one != other for one, other in pairwise(cells))
    assert changes == 2 * 4 - 1, "a cell is left and taken up again"
    of_a_read = [job.target.directory for job in asked[:8]]
    assert of_a_read[:4] == of_a_read[4:][::-1]
    of_a_write = [job.target.directory for job in asked[16:28]]
    assert of_a_write[:4] == of_a_write[4:8] == of_a_write[8:][::-1]


def test_runs_are_told_as_any_are_and_their_times_lie_between_one_another(tmp_path: Path) -> None:
    outcome = run(tmp_path, NoDiskEngine(0.003), blocks=2, side_by_side="true")
    stored = read(outcome.directory)
    first = [each for each in stored.runs if (each.block, each.position) == (0, 0)]
    spans = [
        (begin := each.started_unix_ns, begin + each.parts[0].slices[-1].start_ns) for each in first
    ]
    assert max(begin for begin, _ in spans) < min(end for _, end in spans)


def test_in_one_go_records_have_no_word_of_it(tmp_path: Path) -> None:
    outcome = run(tmp_path, blocks=2)
    records = [path.read_text() for path in outcome.directory.glob("records/*/[0-9]*.json")]
    assert records and not any('"sync_ns"' in record for record in records)
    assert "side_by_side" not in json.loads((outcome.directory / "study.json").read_text())["plan"]


class Counting(NoDiskSystems):
    """Systems that count how often caches are dropped, and for how many at once."""

    def __init__(self) -> None:
        super().__init__(NoDiskEngine(0))
        self.settled: list[int] = []

    def settle(self, *prepared: PreparedSystem) -> list[str]:
        self.settled.append(len(prepared))
        return super().settle(*prepared)


def test_caches_are_dropped_once_for_all_systems_of_a_cell(tmp_path: Path) -> None:
    systems = Counting()
    run_study(
        small_study(2, "true"),
        rig=NoDiskRig(systems.engine, systems),
        results=tmp_path,
        destroy=None,
        command=["fsgauge"],
        progress=Progress(),
    )
    assert systems.settled == [4] * 2 * 4, "two blocks of four cells on four systems"


def test_storage_of_its_own_is_attached_once_for_all_blocks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A file, a loop device and five processes for each turn of a demo."""
    told: list[str] = []

    @contextmanager
    def attached(_storage: object, _ledger: object, base: Any, number: int) -> Iterator[Any]:
        told.append(f"attached {number}")
        yield SimpleNamespace(of=base, number=number)
        told.append(f"let go {number}")

    monkeypatch.setattr(host_systems, "attach_beside", attached)
    study, nothing = small_study(2, "true"), cast(Any, None)
    with ExitStack() as stack:
        whole = HostSystems(cast(Any, "base"), WorkingSet(1, 1, None), nothing, nothing, {}, stack)
        blocks = [[whole.beside(study, number) for number in order] for order in [(0, 1), (1, 0)]]
        assert blocks[0] == blocks[1][::-1]
        assert [cast(Any, each.base).number for each in blocks[0]] == [0, 1]
        assert cast(Any, blocks[0][0].base).of == whole.base == "base"
        assert told == ["attached 0", "attached 1"]
    assert told[2:] == ["let go 1", "let go 0"]


class Clock:
    """Time that passes as it is told."""

    def __init__(self) -> None:
        self.now_ns = 10**18

    def module(self) -> SimpleNamespace:
        return SimpleNamespace(monotonic_ns=lambda: self.now_ns, time_ns=lambda: self.now_ns)


class Deferring(NoDiskSystems):
    """Systems, equal but for this: of "two", each write costs 20 us more, paid when synced.

    What is not synced is paid by whoever measures next: the device is busy with it.
    """

    COST_NS = 20_000

    def __init__(self, clock: Clock) -> None:
        super().__init__(DeferringEngine(self))
        self.clock, self.debt_ns, self.syncs = clock, 0, True

    def write_back(self, prepared: PreparedSystem) -> None:
        if self.syncs:
            self.clock.now_ns += self.debt_ns
            self.debt_ns = 0


class DeferringEngine(NoDiskEngine):
    """20 000 operations a second on an idle device, of which what is owed takes its part."""

    def __init__(self, systems: Deferring) -> None:
        super().__init__(0)
        self.systems = systems

    def load(self, job: Any, on_event: OnEvent | None = None) -> LoadResult:
        found = super().load(job, on_event)
        systems = self.systems
        owed_ns = min(systems.debt_ns, job.duration_ns // 2)
        systems.debt_ns -= owed_ns
        systems.clock.now_ns += job.duration_ns
        done = int((job.duration_ns - owed_ns) * 20_000 / 1e9)
        sides = {
            name: side.model_copy(update={"operations": done})
            for name in ("read", "write")
            if (side := getattr(found, name)) is not None
        }
        found = found.model_copy(update=sides)
        if found.write is not None and job.target.directory == "/two":
            systems.debt_ns += done * systems.COST_NS
        return found


def measured_ratios(tmp_path: Path, systems: Deferring) -> dict[str, float]:
    """The ratio of "two" to "one" in each cell."""
    study = small_study(6, "true", "workload.duration=2s", "workload.warm_up=500ms")
    outcome = run_study(
        study,
        rig=NoDiskRig(systems.engine, systems),
        results=tmp_path,
        destroy=None,
        command=["fsgauge"],
        progress=Progress(),
    )
    stored = read(outcome.directory)
    results = read_stored(stored)
    return {
        each.cell: each.ratio
        for each in results.comparisons
        if each.metric == "iops" and each.ratio is not None
    }


@pytest.fixture
def deferring(monkeypatch: pytest.MonkeyPatch) -> Deferring:
    clock = Clock()
    monkeypatch.setattr(side_by_side, "time", clock.module())
    return Deferring(clock)


def test_a_system_that_puts_off_its_writes_is_charged_all_of_it(
    tmp_path: Path, deferring: Deferring
) -> None:
    """50 us an operation and 20 us of it later: 1 / 1.4; its reads and its neighbour's are free."""
    ratios = measured_ratios(tmp_path, deferring)
    writes = {cell: ratio for cell, ratio in ratios.items() if "write" in cell}
    reads = {cell: ratio for cell, ratio in ratios.items() if "read" in cell}
    assert len(writes) == len(reads) == 2
    assert all(abs(math.log(ratio * 1.4)) < 0.005 for ratio in writes.values()), ratios
    assert all(abs(math.log(ratio)) < 0.005 for ratio in reads.values()), ratios


def test_without_the_sync_its_neighbours_pay(tmp_path: Path, deferring: Deferring) -> None:
    """That the test above can fail: the same systems, nothing written back between slices."""
    deferring.syncs = False
    ratios = measured_ratios(tmp_path, deferring)
    writes = [ratio for cell, ratio in ratios.items() if "write" in cell]
    assert all(abs(math.log(ratio * 1.4)) > 0.05 for ratio in writes), ratios


def fault_in(number: int) -> Callable[[Any], None]:
    """The load of that number fails."""
    count = iter(range(10**6))

    def before(job: Any) -> None:
        if next(count) == number:
            raise EngineFaultError(
                EngineFault(what="read failed", cause="", next="", errno=5, code="io.error")
            )

    return before


@pytest.mark.parametrize("number", [0, 3, 7])
def test_a_fault_in_a_slice_is_the_runs_and_the_others_go_on(number: int, tmp_path: Path) -> None:
    outcome = run(tmp_path, NoDiskEngine(0, fault_in(number)), blocks=2, side_by_side="true")
    assert outcome.ended_by is None
    runs = read(outcome.directory).runs
    failed = [each for each in runs if each.fault is not None]
    assert len(runs) == 32 and len(failed) == 1
    assert failed[0].parts == [] and failed[0].result is None


def test_storage_that_refuses_to_write_back_is_a_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: NoDiskSystems, prepared: PreparedSystem) -> None:
        raise OSError(5, "Input/output error", "/one")

    monkeypatch.setattr(NoDiskSystems, "write_back", refuse)
    outcome = run(tmp_path, blocks=2, side_by_side="true")
    runs = read(outcome.directory).runs
    faults = [each.fault for each in runs if each.cell.factors["read_percent"] == 0]
    assert all(fault is not None and fault.code == "io.sync" for fault in faults)
    assert sum(each.fault is None for each in runs) == len(runs) // 2


def interrupted_at(number: int) -> Callable[[Any], None]:
    count = iter(range(10**6))

    def before(job: Any) -> None:
        if next(count) == number:
            raise Interrupted("ended by SIGINT")

    return before


def numbers(stored: StoredStudy) -> dict[tuple[int, int, str], list[int | None]]:
    return {
        (each.block, each.turn, each.cell.id): [operations(part) for part in each.parts]
        for each in stored.runs
    }


def operations(part: Part) -> int:
    sides = [side for each in part.slices for side in (each.result.read, each.result.write)]
    return sum(side.operations for side in sides if side is not None)


@pytest.mark.parametrize("number", [20, 48, 60, 100])
def test_a_block_that_was_cut_short_is_measured_whole_again(number: int, tmp_path: Path) -> None:
    engine = NoDiskEngine(0, interrupted_at(number))
    outcome = run(tmp_path / "cut", engine, blocks=3, side_by_side="true")
    assert isinstance(outcome.ended_by, Interrupted)
    assert resume(outcome.directory) is not None
    uncut = run(tmp_path / "uncut", blocks=3, side_by_side="true")
    assert numbers(read(outcome.directory)) == numbers(read(uncut.directory))


@pytest.mark.timeout(300)
def test_studies_killed_at_any_moment_end_in_the_same_numbers(tmp_path: Path) -> None:
    child = multiprocessing.get_context("spawn").Process(
        target=killed_studies, args=(tmp_path / "killed", 12, 5, "true")
    )
    child.start()
    child.join(240)
    assert child.exitcode == 0
    expected = numbers(read(run(tmp_path / "uncut", side_by_side="true").directory))
    ended = [path.parent for path in (tmp_path / "killed").glob("*/*/study.json")]
    assert ended and all(numbers(read(each)) == expected for each in ended)


def test_of_folders_without_room_the_systems_are_named(tmp_path: Path) -> None:
    """ "2 of the systems are on the file system of /mnt/a" was said of one folder and its twin."""
    size = ["storage.size=64TiB"]
    study = load_study("demo-user", size, ["gone=/nowhere/at/all"], f"path:{tmp_path}", seed=1)
    name = study.systems[0].name
    assert hindrance(study) == (
        f"{name}, {name} again take 128 TiB at once on the file system of {tmp_path},"
        " more than is free there"
    )
