"""Slices of a cell: balanced rounds, an order by lot, jobs that differ in offsets alone."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsgauge.engine.wire import FilesTarget, LoadJob
from fsgauge.plan.slices import slice_jobs, slice_rounds
from fsgauge.plan.turns import job_for, make_plan
from fsgauge.study.parse import load_study
from fsgauge.workload import method_of
from fsgauge.workload.slicing import Slicing, slices_of

GIB = 1 << 30
SECOND_NS = 10**9
STUDY = load_study("overhead-full", ["plan.side_by_side=true"], seed=7)
PLAN = make_plan(STUDY, size_bytes=8 * GIB, side_by_side=True)
METHOD = method_of(STUDY.workload)
TARGET = FilesTarget(directory="/none", count=16, file_size_bytes=1 << 28)


def job(cell_number: int = 0) -> LoadJob:
    made = job_for(STUDY, PLAN, PLAN.turns[0], PLAN.cells[cell_number], TARGET)
    assert isinstance(made, LoadJob)
    return made


@given(st.integers(2, 9), st.integers(1, 10), st.integers(0, 50))
def test_every_round_has_every_system_and_every_second_one_goes_back(
    turns: int, pairs: int, block: int
) -> None:
    rounds = slice_rounds(PLAN, block, "cell", turns, 2 * pairs)
    assert all(sorted(order) == list(range(turns)) for order in rounds)
    assert all(order == before[::-1] for before, order in pairwise(rounds))


@given(st.integers(2, 9), st.integers(1, 10))
def test_a_linear_drift_cancels(turns: int, pairs: int) -> None:
    """The mean place in time is the same for all."""
    rounds = slice_rounds(PLAN, 0, "cell", turns, 2 * pairs)
    places: dict[int, list[int]] = {}
    for time, at in enumerate(at for order in rounds for at in order):
        places.setdefault(at, []).append(time)
    assert len({sum(times) for times in places.values()}) == 1


def test_each_block_and_cell_draws_its_own_order() -> None:
    orders = {
        tuple(slice_rounds(PLAN, block, cell, 4, 1)[0])
        for block in range(12)
        for cell in ("one", "two", "three")
    }
    assert len(orders) > 12
    assert slice_rounds(PLAN, 3, "one", 4, 2) == slice_rounds(PLAN, 3, "one", 4, 2)


def test_the_twin_goes_first_as_often_as_the_baseline() -> None:
    first = sum(
        slice_rounds(PLAN, block, "cell", 4, 1)[0].index(0)
        < slice_rounds(PLAN, block, "cell", 4, 1)[0].index(3)
        for block in range(1000)
    )
    assert 440 < first < 560


def test_slices_add_up_to_the_run() -> None:
    whole = job()
    slicing = METHOD.slicing(PLAN.cells[0])
    jobs = slice_jobs(whole, slicing)
    assert slicing.count == len(jobs.slices) == 10 and jobs.lead_in is None
    assert sum(each.duration_ns for each in jobs.slices) == whole.duration_ns
    assert [each.warm_up_ns for each in jobs.slices] == [whole.warm_up_ns, *[0] * 9]
    seeds = [each.seed for each in (*jobs.slices, whole)]
    assert len(set(seeds)) == len(seeds)
    same = {"seed": 0, "duration_ns": 1, "warm_up_ns": 0, "interval_ns": 1}
    assert {each.model_copy(update=same).model_dump_json() for each in (*jobs.slices, whole)} == {
        whole.model_copy(update=same).model_dump_json()
    }


def test_what_the_warm_up_wrote_is_no_slices_to_write_back() -> None:
    """It is a job before them, synced at nobody's cost."""
    whole, slicing = job(), Slicing(2, charges_sync=True, slice_ns=SECOND_NS)
    jobs = slice_jobs(whole, slicing)
    assert all(each.warm_up_ns == 0 for each in jobs.slices)
    assert jobs.lead_in is not None
    assert (jobs.lead_in.duration_ns, jobs.lead_in.warm_up_ns) == (whole.warm_up_ns, 0)
    assert jobs.lead_in.seed not in {each.seed for each in (*jobs.slices, whole)}


def test_a_whole_run_is_the_job_itself() -> None:
    whole = job()
    assert slice_jobs(whole, Slicing()).slices == [whole]
    assert slice_jobs(whole, Slicing()).lead_in is None


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ([], {"randread": (10, False), "randwrite": (2, True), "randrw": (2, True)}),
        (["workload.duration=30s"], {"randread": (60, False), "randwrite": (6, True)}),
        (["workload.duration=300ms"], {"randread": (1, False), "randwrite": (1, True)}),
        (["workload.direct=false"], {"randread": (1, False), "randwrite": (1, True)}),
        (["workload.rate=100 IOPS"], {"randread": (10, False), "randwrite": (2, False)}),
        (['workload.patterns=["read", "write"]'], {"read": (1, False), "write": (1, True)}),
    ],
)
def test_what_a_plain_load_is_cut_into(
    changes: list[str], expected: dict[str, tuple[int, bool]]
) -> None:
    study = load_study("overhead-full", changes, seed=7)
    method = method_of(study.workload)
    found = {}
    for cell in make_plan(study, size_bytes=8 * GIB).cells:
        slicing = method.slicing(cell)
        found[cell.factors["pattern"]] = (slicing.count, slicing.charges_sync)
    assert found.items() >= expected.items()


@given(st.integers(1, 10**12), st.integers(10**8, 10**10))
def test_slices_are_one_or_even_and_none_is_too_short(duration_ns: int, slice_ns: int) -> None:
    count = slices_of(duration_ns, slice_ns)
    assert count == 1 or count % 2 == 0
    assert count <= 2 or duration_ns / count > slice_ns / 2


def test_one_by_one_a_plan_says_nothing_of_it() -> None:
    plan = make_plan(load_study("overhead-full", seed=7), size_bytes=8 * GIB)
    assert "side_by_side" not in plan.model_dump()
    assert plan.turns == PLAN.turns
    assert PLAN.model_dump()["side_by_side"] is True
    assert PLAN.expected_seconds > plan.expected_seconds
