"""Ending early by the width of intervals: not too soon, not on significance, and it is said."""

from __future__ import annotations

from typing import Any

import pytest

from fsgauge.record.records import Cell, Turn
from fsgauge.stats import read_study
from fsgauge.stats.analysis import Interval
from fsgauge.stats.planned import FEWEST_BLOCKS, state_of, widest_percent
from fsgauge.stats.results import Results
from tests.synthetic import make_study
from tests.synthetic_churn import make_churn


def results(blocks: int, stop_interval: float | None, planned: int = 12) -> Results:
    study = make_study(seed=5, noise=0.01, blocks=planned)
    settings = {**study.study.study, "plan": {**study.study.study.get("plan", {})}}
    settings["plan"]["stop_interval"] = stop_interval
    record = study.study.model_copy(update={"study": settings})
    turns = [turn for turn in study.turns if turn.block < blocks]
    runs = [run for run in study.runs if run.block < blocks]
    return read_study(turns, runs, record, study.before)


def codes(found: Results) -> set[str]:
    return {finding.code for finding in found.findings}


def test_a_study_that_asked_ends_once_its_intervals_are_narrow() -> None:
    found = results(blocks=8, stop_interval=5.0)
    assert "plan.stopped" in codes(found)
    assert "runs.interrupted" not in codes(found)
    assert found.sureness.blocks_planned == 8


@pytest.mark.parametrize(
    ("blocks", "stop_interval"),
    [(FEWEST_BLOCKS - 1, 50.0), (8, 0.01), (8, None)],
    ids=["too few blocks", "too wide", "not asked"],
)
def test_otherwise_what_is_missing_is_missing(blocks: int, stop_interval: float | None) -> None:
    found = results(blocks, stop_interval)
    assert "plan.stopped" not in codes(found)
    assert "runs.interrupted" in codes(found)


@pytest.mark.parametrize(
    ("blocks", "stop_interval", "enough"),
    [(8, 5.0, True), (FEWEST_BLOCKS - 1, 50.0, False), (8, 0.01, False), (8, None, False)],
)
def test_the_state_is_that_of_the_results(
    blocks: int, stop_interval: float | None, *, enough: bool
) -> None:
    """What `run` asks for after each block is what the report says of the same records."""
    study = make_study(seed=5, noise=0.01, blocks=12)
    record = study.study.model_copy(
        update={"study": {**study.study.study, "plan": {"stop_interval": stop_interval}}}
    )
    state = state_of(record, [run for run in study.runs if run.block < blocks])
    assert (state.enough, state.blocks) == (enough, blocks)
    assert state.widest_percent is not None and 0 < state.widest_percent < 50
    assert ("plan.stopped" in codes(results(blocks, stop_interval))) == enough


def failing(block: int, cell: str) -> Any:
    def faults(turn: Turn, planned: Cell) -> bool:
        return (turn.block, turn.system, planned.id) == (block, "xfs", cell)

    return faults


SMALL: dict[str, Any] = {
    "patterns": ("randread",),
    "block_sizes": (4096,),
    "queue_depths": (1, 32),
    "noise": 0.01,
    "blocks": 12,
}
ASIDE, PRIMARY = "randread-4KiB-depth1", "randread-4KiB-depth32"


def cut(stop_interval: float, blocks: int, faults: Any) -> Results:
    study = make_study(**SMALL, seed=5, primary=[PRIMARY], faults=faults)
    settings = {**study.study.study.get("plan", {}), "stop_interval": stop_interval}
    record = study.study.model_copy(update={"study": {**study.study.study, "plan": settings}})
    runs = [run for run in study.runs if run.block < blocks]
    return read_study(study.turns, runs, record, study.before)


def test_a_failed_run_costs_its_own_block_alone_and_is_said() -> None:
    """The last whole block was dropped from measurements once, and comparisons kept it."""
    found = cut(10.0, 9, failing(2, PRIMARY))
    assert {"plan.stopped", "runs.failed"} <= codes(found)
    assert found.sureness.blocks_planned == 9
    of_xfs = [each for each in found.measurements if (each.system, each.cell) == ("xfs", PRIMARY)]
    assert {each.n for each in of_xfs if each.metric == "iops"} == {8}
    compared = [e for e in found.comparisons if (e.system, e.cell) == ("xfs", PRIMARY)]
    assert [(e.n, e.left_out) for e in compared if e.metric == "iops"] == [(8, [2])]


def test_a_run_of_another_cell_does_not_keep_a_study_from_ending() -> None:
    found = cut(10.0, FEWEST_BLOCKS, failing(2, ASIDE))
    assert {"plan.stopped", "runs.failed"} <= codes(found)
    assert found.sureness.blocks_complete == FEWEST_BLOCKS - 1


def test_a_block_that_lacks_a_run_is_none_of_the_fewest() -> None:
    found = cut(50.0, FEWEST_BLOCKS, failing(2, PRIMARY))
    assert "plan.stopped" not in codes(found)


def test_a_run_that_is_not_there_is_said_of_a_study_that_stopped() -> None:
    study = make_study(**SMALL, seed=5, primary=[PRIMARY])
    record = study.study.model_copy(
        update={"study": {**study.study.study, "plan": {"stop_interval": 10.0}}}
    )
    gone = [run for run in study.runs if run.block < 9][3:]
    found = read_study(study.turns, gone, record, study.before)
    assert {"plan.stopped", "runs.interrupted"} <= codes(found)
    (missing,) = [each for each in found.findings if each.code == "runs.interrupted"]
    assert missing.count == 3


def test_intervals_of_a_study_that_may_stop_are_wider() -> None:
    plain, stopping = results(12, None), results(12, 0.01)
    for one, other in zip(plain.comparisons, stopping.comparisons, strict=True):
        assert one.ratio == other.ratio
        assert one.high is not None and other.high is not None and other.high > one.high


def test_width_is_the_furthest_reach_of_a_primary_ratio() -> None:
    found = results(blocks=12, stop_interval=None)
    primary = [
        Interval(each.ratio, each.low, each.high)
        for each in found.comparisons
        if each.primary and each.metric == found.primary_metrics[each.cell]
    ]
    reach = widest_percent(primary)
    assert reach is not None
    for entry in found.comparisons:
        if entry.primary and entry.metric == found.primary_metrics[entry.cell]:
            assert entry.high is not None
            assert 100 * (entry.high / entry.ratio - 1) <= reach + 1e-9


@pytest.mark.parametrize(("stop_interval", "ends"), [(20.0, True), (0.01, False)])
def test_a_study_of_churn_ends_by_the_width_of_its_damages(
    stop_interval: float, *, ends: bool
) -> None:
    """Also one of a single system, which is compared with nothing but its own fresh copy."""
    made = make_churn(systems={"ext4": "ext4"}, fills=[80], blocks=FEWEST_BLOCKS + 1)
    settings = {**made.study.study, "plan": {"stop_interval": stop_interval}}
    record = made.study.model_copy(update={"study": settings})
    runs = [run for run in made.runs if run.block < FEWEST_BLOCKS]
    found = read_study(made.turns, runs, record, made.before, made.after, made.scans, made.steps)
    assert ("plan.stopped" in codes(found)) == ends
