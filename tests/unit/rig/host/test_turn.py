"""Rounds of a cell's own load: they end when five are steady, and never go on for ever."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, repeat
from types import SimpleNamespace
from typing import Any

import pytest

from fsgauge.engine.wire import BlockTarget, LoadJob
from fsgauge.plan.turns import job_for, make_plan
from fsgauge.record.preconditioning import MOST_ROUNDS, CellPreconditioning
from fsgauge.rig.host.turn import precondition_cell
from fsgauge.study.parse import load_study

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
    return precondition_cell(work, turn, cell, job), told


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
