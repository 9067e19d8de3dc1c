"""Turns with faults on purpose: read apart, part of what is whole, in no view of the samples."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from fsgauge.record.strikes import Strike, Struck
from fsgauge.store import read_results
from fsgauge.store.abandon import whole_blocks
from fsgauge.store.query import asked
from tests.synthetic import SyntheticStudy, make_study
from tests.unit.stats.one_run import ONE_CELL

SLOW = Strike(kind="slow_disk", number=1, at_ns=0, for_ns=10**9)


def with_a_strike() -> SyntheticStudy:
    """The last block of three is struck in place of being compared."""
    made = make_study(**ONE_CELL | {"blocks": 3})
    last = made.study.plan.turns[-1].block
    plan = made.study.plan
    own = [turn for turn in plan.turns if turn.block != last]
    struck = [
        turn.model_copy(update={"strikes": [SLOW]}) for turn in plan.turns if turn.block == last
    ]
    study = made.study.model_copy(
        update={"plan": plan.model_copy(update={"turns": own, "struck": struck})}
    )
    was = Struck(strike=SLOW, began_ns=0, ended_ns=10**9)
    runs = [
        run.model_copy(update={"struck": [was]}) if run.block == last else run for run in made.runs
    ]
    return replace(made, study=study, runs=runs)


def test_they_are_read_apart_and_belong_to_what_is_whole(tmp_path: Path) -> None:
    stored = read_results(with_a_strike().write(tmp_path))
    assert {run.block for run in stored.runs} == {0, 1}
    assert {run.block for run in stored.struck_runs} == {2}
    assert {turn.block for turn in stored.turns} == {0, 1}
    assert whole_blocks(stored) == {0, 1, 2}


def test_no_view_of_the_samples_has_them(tmp_path: Path) -> None:
    with_a_strike().write(tmp_path)
    with asked(tmp_path, "select count(distinct block) from runs") as answer:
        ((blocks,),) = next(answer.batches())
    assert blocks == 2
