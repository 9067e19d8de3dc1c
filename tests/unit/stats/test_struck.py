"""What is said of runs that were struck on purpose; they are compared with nothing."""

from __future__ import annotations

from fsgauge.record.records import RunRecord
from fsgauge.record.strikes import Strike, Struck
from fsgauge.stats.read import read_study
from fsgauge.stats.struck import outcome_of, struck_of
from tests.synthetic import make_study
from tests.unit.stats.one_run import ONE_CELL, one_run

SLOW = Strike(kind="slow_disk", number=1, at_ns=10**9, for_ns=10**9, operations_per_second=50.0)


def struck(run: RunRecord, **changes: object) -> RunRecord:
    made = Struck(strike=SLOW, began_ns=10**9, ended_ns=2 * 10**9).model_copy(update=changes)
    return run.model_copy(update={"struck": [made]})


def test_a_rate_that_never_moved_is_the_same_before_during_and_after() -> None:
    run = one_run()
    (line,) = struck_of([struck(run)])
    assert line.fault == "node1, slow disk (50 IOPS), after 1 s, for 1 s"
    assert (line.began_ns, line.ended_ns) == (10**9, 2 * 10**9)


def test_a_fault_that_did_nothing_is_not_one_that_was_recovered_from() -> None:
    """It "was back at nine tenths of its rate 0 ns after the fault had ended"."""
    (line,) = struck_of([struck(one_run(), began_ns=4 * 10**9, ended_ns=6 * 10**9)])
    assert "was not slower while the fault lasted" in outcome_of(line)
    slow = line.model_copy(update={"before": 500.0, "during": 50.0, "recovered_ns": 0})
    assert "was back at nine tenths of its rate as soon as the fault had" in outcome_of(slow)


def test_a_run_that_was_ended_says_by_what_and_when_its_node_was_back() -> None:
    run = one_run().model_copy(update={"parts": []})
    (line,) = struck_of([struck(run, back_ns=5 * 10**9, words=["disk0 lost 3 writes of 7"])])
    said = outcome_of(line)
    assert "up again 3 s after its power was on" in said and "lost 3 writes of 7" in said


def test_a_fault_that_came_too_late_is_not_called_one() -> None:
    (line,) = struck_of([struck(one_run(), began_ns=None, ended_ns=None)])
    assert outcome_of(line) == "had ended before the fault began"


def test_nothing_that_is_compared_changes_by_them() -> None:
    made = make_study(**ONE_CELL | {"blocks": 3})
    plain = made.results()
    with_them = read_study(
        made.turns, made.runs, made.study, made.before, struck_runs=[struck(made.runs[0])]
    )
    assert with_them.comparisons == plain.comparisons
    assert with_them.sureness == plain.sureness and with_them.answer == plain.answer
    assert [each.code for each in with_them.findings if "fault" in each.code] == ["fault.struck"]
    assert len(with_them.struck) == 1
