"""Rounds of a cell's own load: they end when five are steady, and never go on for ever."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, repeat
from types import SimpleNamespace
from typing import Any

import pytest

from fsgauge.engine.wire import BlockTarget, LoadJob, LoadResult
from fsgauge.plan.turns import job_for, make_plan
from fsgauge.record.command import CommandJob
from fsgauge.record.preconditioning import MOST_ROUNDS, CellPreconditioning
from fsgauge.record.records import RunRecord
from fsgauge.rig.host.turn import measure_at_once, precondition_cell
from fsgauge.study.parse import load_study
from fsgauge.workload.folders import ClientFolders
from tests.laboratory import NoDiskEngine

SNIA = "storage.precondition=snia"


class Disk:
    """An engine whose rounds have the given operations per second."""

    def __init__(self, rates: Iterator[float]) -> None:
        self.rates = rates
        self.jobs: list[LoadJob] = []

    def load(self, job: LoadJob) -> Any:
        self.jobs.append(job)
        seconds = job.duration_ns / 1e9
        done = SimpleNamespace(operations=next(self.rates) * seconds)
        return SimpleNamespace(read=None, write=done, elapsed_ns=job.duration_ns)


def conditioned(
    disk: Disk, *overrides: str, study: str = "overhead"
) -> tuple[CellPreconditioning | None, list[Any]]:
    chosen = load_study(study, list(overrides), storage="loop:1GiB", seed=1)
    plan = make_plan(chosen, size_bytes=1 << 30)
    turn, cell = plan.turns[0], plan.cells[0]
    job = job_for(chosen, plan, turn, cell, BlockTarget(path="/dev/x", size_bytes=1 << 29))
    told: list[Any] = []
    work: Any = SimpleNamespace(study=chosen, plan=plan, engine=disk, tell=told.append)
    return precondition_cell(work, turn, cell, [job]), told


def test_rounds_end_with_the_first_steady_window() -> None:
    disk = Disk(chain([900.0, 500.0, 300.0, 210.0], repeat(200.0)))
    done, told = conditioned(disk, SNIA)
    assert done is not None and done.reached
    assert done.rounds == pytest.approx([900.0, 500.0, 300.0, 210.0, *[200.0] * 4])
    assert done.range_share == pytest.approx(10 / 202)
    assert [each.what.rsplit(" ", 1)[1] for each in told] == [str(n) for n in range(1, 9)]


def test_rounds_have_different_places_and_count_from_their_start() -> None:
    disk = Disk(repeat(200.0))
    done, _ = conditioned(disk, SNIA)
    assert done is not None and len(done.rounds) == 5
    assert len({job.seed for job in disk.jobs}) == 5
    assert {job.warm_up_ns for job in disk.jobs} == {0}


def test_a_device_that_never_settles_is_given_up() -> None:
    disk = Disk(100.0 if number % 2 else 200.0 for number in range(1000))
    done, _ = conditioned(disk, SNIA)
    assert done is not None and not done.reached
    assert len(done.rounds) == len(disk.jobs) == MOST_ROUNDS
    assert done.range_share is not None and done.range_share > 0.2


def test_nothing_is_done_where_it_is_not_asked_for() -> None:
    disk = Disk(repeat(200.0))
    assert conditioned(disk) == (None, [])
    assert disk.jobs == []


def test_a_load_that_ends_with_its_work_is_not_repeated() -> None:
    disk = Disk(repeat(200.0))
    done, _ = conditioned(disk, SNIA, study="writers")
    assert done is not None and not done.reached
    assert done.rounds == [] and "ends with its work" in done.why_none
    assert disk.jobs == []


class Mixing(NoDiskEngine):
    """Keeps the loads of each job of a mix, and whether it only laid out their files."""

    def __init__(self) -> None:
        super().__init__(0.0)
        self.jobs: list[tuple[bool, list[LoadJob]]] = []

    def mix(
        self, loads: Sequence[LoadJob], _: object = None, *, lay_out: bool = False
    ) -> list[LoadResult]:
        self.jobs.append((lay_out, list(loads)))
        return [] if lay_out else [self.load(each) for each in loads]


def test_a_mix_is_preconditioned_by_all_of_its_groups_at_once() -> None:
    """Its runs were measured without any round, and nothing said so."""
    lines = [SNIA, "workload.steady_window=1s", "workload.warm_up=2s"]
    lines += [f"workload.group.{group}.file_sizes=64MiB" for group in ("backends", "log")]
    study = load_study("mix", lines, storage="loop:1GiB", seed=1)
    plan = make_plan(study, size_bytes=1 << 30)
    engine, told = Mixing(), list[Any]()
    place = ClientFolders(directory="/mnt", files_per_client=0, backup_files_per_client=0)
    systems = SimpleNamespace(settle=lambda _: ["dropped"], machine_name="here")
    work = SimpleNamespace(study=study, plan=plan, engine=engine, tell=told.append, systems=systems)
    made: Any = SimpleNamespace(
        work=work, turn=plan.turns[0], prepared=SimpleNamespace(target=place)
    )
    measure_at_once(made, plan.cells, [])
    records = [each for each in told if isinstance(each, RunRecord)]
    assert len(records) == len(plan.cells) == 3
    for record in records:
        assert record.preconditioning is not None and record.preconditioning.reached
        assert len(record.preconditioning.rounds) == 5
    (_, *rounds, (_, run)) = engine.jobs
    assert len(rounds) == 5
    assert all({load.warm_up_ns for load in loads} == {0} for _, loads in rounds)
    assert len({load.seed for _, loads in rounds for load in loads} | {run[0].seed}) > 5
    assert {load.steady_window_ns for load in run} == {10**9}


def test_a_program_is_not_repeated_either() -> None:
    job = CommandJob.model_construct(kind="command")
    work: Any = SimpleNamespace(study=load_study("overhead", [SNIA], storage="loop:1GiB", seed=1))
    unasked: Any = None
    done = precondition_cell(work, unasked, unasked, [job])
    assert done is not None and "ends with its work" in done.why_none
