"""One honest run of one cell, and the same with a number that was changed."""

from __future__ import annotations

from typing import Any

from fsgauge.engine.wire import LoadResult
from fsgauge.record.records import RunRecord
from tests.synthetic import make_study

ONE_CELL: dict[str, Any] = {
    "patterns": ("randread",),
    "block_sizes": (4096,),
    "queue_depths": (32,),
    "blocks": 1,
}


def one_run(**changes: Any) -> RunRecord:
    """The first run of a study of one cell."""
    return make_study(**ONE_CELL, **changes).runs[0]


def result_of(run: RunRecord) -> LoadResult:
    assert run.result is not None
    return run.result


def tampered(run: RunRecord, **changes: Any) -> LoadResult:
    """The same with other values."""
    return result_of(run).model_copy(update=changes)
