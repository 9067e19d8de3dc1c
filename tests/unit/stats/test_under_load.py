"""The share of wall time that the load runs, by the records' own clocks."""

from __future__ import annotations

import pytest

from fsgauge.record.records import RunRecord, TurnRecord
from fsgauge.stats.under_load import end_unix_ns, load_ns, under_load_percent
from tests.synthetic import make_study

MADE = make_study(patterns=("randread",), blocks=2)
SECOND = 1_000_000_000


def at(run: RunRecord, started_unix_ns: int) -> RunRecord:
    return run.model_copy(update={"started_unix_ns": started_unix_ns})


def begun(turn: TurnRecord, block: int, started_unix_ns: int) -> TurnRecord:
    return turn.model_copy(update={"block": block, "started_unix_ns": started_unix_ns})


def in_block(run: RunRecord, block: int, started_unix_ns: int) -> RunRecord:
    return at(run, started_unix_ns).model_copy(update={"block": block})


def test_a_run_in_one_go_is_its_warm_up_and_its_time() -> None:
    run = MADE.runs[0]
    assert run.result is not None
    assert load_ns(run) == run.result.warm_up_ns + run.result.elapsed_ns
    assert end_unix_ns(at(run, 5)) == 5 + load_ns(run)


def test_syncs_that_are_charged_count_and_a_failed_run_does_not() -> None:
    run = MADE.runs[0]
    (part,) = run.parts
    (whole,) = part.slices
    slices = [whole.model_copy(update={"sync_ns": 7}), whole]
    sliced = run.model_copy(update={"parts": [part.model_copy(update={"slices": slices})]})
    assert load_ns(sliced) == 2 * load_ns(run) + 7
    assert load_ns(run.model_copy(update={"parts": []})) == 0


def test_the_share_is_of_the_time_from_the_first_system_on() -> None:
    run, turn = MADE.runs[0], MADE.turns[0]
    took = load_ns(run)
    turns = [begun(turn, 0, 0), begun(turn, 1, 4 * took)]
    runs = [in_block(run, 0, 2 * took), in_block(run, 1, 7 * took)]
    assert under_load_percent(turns, runs) == pytest.approx(100 * 2 / 8)


def test_the_pause_of_a_study_that_was_resumed_does_not_count() -> None:
    run, turn = MADE.runs[0], MADE.turns[0]
    took = load_ns(run)
    turns = [begun(turn, 0, 0), begun(turn, 1, 1000 * took)]
    runs = [in_block(run, 0, took), in_block(run, 1, 1001 * took)]
    assert under_load_percent(turns, runs) == pytest.approx(50)


def test_nothing_measured_has_no_share() -> None:
    assert under_load_percent(MADE.turns, []) is None
    assert under_load_percent([], MADE.runs) is None
