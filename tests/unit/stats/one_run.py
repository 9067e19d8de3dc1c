"""One honest run of one cell, and the same with a number that was changed."""

from __future__ import annotations

from typing import Any

from fsgauge.engine.wire import LoadResult
from fsgauge.record.records import RunRecord
from tests import synthetic

ONE_CELL: dict[str, Any] = {**synthetic.ONE_CELL, "blocks": 1}


def one_run(**changes: Any) -> RunRecord:
    """The first run of a study of one cell."""
    return synthetic.make_study(**ONE_CELL, **changes).runs[0]


def result_of(run: RunRecord) -> LoadResult:
    assert run.result is not None
    return run.result


def tampered(run: RunRecord, **changes: Any) -> LoadResult:
    """The same with other values."""
    return result_of(run).model_copy(update=changes)
