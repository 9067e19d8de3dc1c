"""Steps of a turn: carried out in order, recorded, read back, asked for where a block is whole."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fsgauge.engine.client import OnEvent
from fsgauge.engine.wire import AgeJob, AgeResult
from fsgauge.errors import InputError, RigError
from fsgauge.progress import Progress
from fsgauge.rig.host.facts import PreparedSystem
from fsgauge.run import Outcome, run_study
from fsgauge.store import StoredStudy, read_results
from fsgauge.store.abandon import whole_blocks
from fsgauge.store.query import asked
from fsgauge.study.model import Study, System
from fsgauge.study.parse import load_study
from fsgauge.workload.folders import AgedFolders
from fsgauge.workload.steps import FileStep
from tests.laboratory import NoDiskEngine, NoDiskRig, NoDiskSystems, answer_of
from tests.sealing import seal

MIB = 1 << 20


class Engine(NoDiskEngine):
    """Ages as it is told; `changes` are of the answer."""

    def __init__(self, refuses: InputError | None = None, **changes: Any) -> None:
        super().__init__(0)
        self.refuses, self.changes = refuses, changes

    def age(self, job: AgeJob, on_event: OnEvent | None = None) -> AgeResult:
        if self.refuses:
            raise self.refuses
        answer = answer_of("age", job.model_dump(mode="json"))
        made: dict[str, Any] = {"live_bytes": job.space_bytes, "errors": [], "notes": []}
        return AgeResult.model_validate(answer | made | self.changes)


class Systems(NoDiskSystems):
    """Gives an empty folder as each system, and remembers the steps."""

    def __init__(self, engine: Engine, folder: Path) -> None:
        super().__init__(engine)
        self.folder = folder
        self.steps: list[FileStep] = []
        self.working_set = replace(self.working_set, size_bytes=4 << 30)

    @contextmanager
    def prepare(self, study: Study, system: System) -> Iterator[PreparedSystem]:
        (self.folder / "aged").mkdir(parents=True, exist_ok=True)
        with super().prepare(study, system) as prepared:
            place = AgedFolders(
                directory=str(self.folder),
                file_size_bytes=8 * MIB,
                rate_file_bytes=MIB,
                allocation_chunk_bytes=MIB,
            )
            yield replace(prepared, target=place, layout=None)

    def wear(self, prepared: PreparedSystem, step: FileStep) -> int:
        self.steps.append(step)
        return 7

    def free_bytes(self, prepared: PreparedSystem) -> int:
        return 11 + len(self.steps)

    def layout_folder(self, prepared: PreparedSystem) -> str | None:
        assert isinstance(prepared.target, AgedFolders)
        return prepared.target.directory


def small_study() -> Study:
    """Two systems and two levels."""
    levels = 'workload.levels=["5 %", "15 %"]'
    return load_study("aging-full", [levels, "plan.blocks=2"], ["1 MiB", "2 MiB"], None, 7)


def run(results: Path, engine: Engine) -> tuple[Outcome, Systems, StoredStudy]:
    systems = Systems(engine, results / "system")
    outcome = run_study(
        small_study(),
        rig=NoDiskRig(engine, systems),
        results=results / "results",
        destroy=None,
        command=["fsgauge"],
        progress=Progress(),
    )
    return outcome, systems, read_results(outcome.directory)


def test_steps_are_recorded_in_order_and_read_back(tmp_path: Path) -> None:
    outcome, systems, stored = run(tmp_path, Engine())
    assert outcome.ended_by is None
    turns = len(stored.turns)
    words = ["clear", "age", "ballast", "delete", "clear", "delete", "delete"]
    assert [step.step for step in stored.steps] == words * turns
    assert [step.number for step in stored.steps] == list(range(7)) * turns
    assert len(systems.steps) == 6 * turns
    age = stored.steps[1]
    assert age.cell == "free-05-write" and age.job is not None and age.result is not None
    assert age.size_bytes == age.result.live_bytes == 20 * 8 * MIB
    assert stored.steps[0].size_bytes == 7 and stored.steps[0].free_bytes == 12


def test_what_ageing_left_is_scanned_and_so_is_every_write(tmp_path: Path) -> None:
    _, _, stored = run(tmp_path, Engine())
    mine = [(each.when, each.cell) for each in stored.scans if (each.block, each.turn) == (0, 0)]
    assert sorted(mine, key=str) == [
        ("after cell", "clean-write"),
        ("after cell", "free-05-write"),
        ("after cell", "free-15-write"),
        ("aged", None),
    ]
    assert whole_blocks(stored) == {0, 1}


@pytest.mark.parametrize("name", ["scan-aged.json", "scan-after-free-05-write.json"])
def test_a_block_that_lacks_a_scan_is_not_whole(name: str, tmp_path: Path) -> None:
    outcome, _, _ = run(tmp_path, Engine())
    next(iter(outcome.directory.glob(f"records/001-*/{name}"))).unlink()
    seal(outcome.directory)
    assert whole_blocks(read_results(outcome.directory)) == {0}


def test_a_step_of_another_turn_is_foreign(tmp_path: Path) -> None:
    outcome, _, _ = run(tmp_path, Engine())
    name = "step-00-free-05-write.json"
    first, second, *_ = sorted(outcome.directory.glob(f"records/*/{name}"))
    second.write_text(first.read_text())
    seal(outcome.directory)
    with pytest.raises(InputError, match=name):
        read_results(outcome.directory)


def test_steps_can_be_asked_for_in_sql(tmp_path: Path) -> None:
    outcome, _, stored = run(tmp_path, Engine())
    query = "select count(*), max(live_files) from steps where step = 'age'"
    with asked(outcome.directory, query) as answer:
        ((count, files),) = [row for batch in answer.batches() for row in batch]
    assert count == len(stored.turns) and files is not None


def test_files_that_were_not_made_whole_end_the_study(tmp_path: Path) -> None:
    errors = [
        {"operation": "append", "errno": 28, "text": "No space left", "count": 3}
        | {"first_operation": 9}
    ]
    outcome, _, stored = run(tmp_path, Engine(live_bytes=100 * MIB, errors=errors))
    assert isinstance(outcome.ended_by, RigError)
    words = outcome.ended_by.render()
    assert "left 100 MiB of 160 MiB" in words and "append: No space left, 3 times" in words
    assert "larger storage" in words
    assert [step.step for step in stored.steps] == ["clear", "age"]
    assert len(stored.runs) == 2


def test_errors_that_left_all_files_whole_do_not_end_it(tmp_path: Path) -> None:
    errors = [{"operation": None, "errno": 5, "text": "I/O error", "count": 1}]
    outcome, _, stored = run(tmp_path, Engine(errors=[errors[0] | {"first_operation": 1}]))
    assert outcome.ended_by is None
    age = stored.steps[1].result
    assert age is not None and age.errors[0].text == "I/O error"


def test_a_time_limit_says_so(tmp_path: Path) -> None:
    outcome, _, _ = run(tmp_path, Engine(live_bytes=0, ended="time_limit"))
    assert outcome.ended_by is not None and "time limit" in outcome.ended_by.render()


def test_what_is_refused_once_runs_are_measured_is_the_rigs_fault(tmp_path: Path) -> None:
    refusal = InputError("live files would take more than is available", next="give less")
    outcome, _, _ = run(tmp_path, Engine(refusal))
    assert isinstance(outcome.ended_by, RigError) and outcome.ended_by.exit_code == 3
    assert "could not be aged further" in outcome.ended_by.what
