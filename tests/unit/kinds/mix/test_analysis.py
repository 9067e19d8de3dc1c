"""A group that the others leave nothing is a finding."""

from __future__ import annotations

from fsgauge.engine.wire import LoadResult, OperationResult
from fsgauge.kinds.mix.analysis import starves


def result(done: int, dropped: int) -> LoadResult:
    side = OperationResult.model_construct(operations=done, backlog_dropped=dropped)
    return LoadResult.model_construct(read=side, write=None)


def test_a_group_starves_that_does_nothing_or_less_than_half() -> None:
    assert starves(result(0, 0)) == "it did nothing in the measured time"
    assert starves(result(4, 6)) == "it did 4 of 10 operations that were due"
    assert starves(result(5, 5)) == ""
    assert starves(result(100, 0)) == ""
