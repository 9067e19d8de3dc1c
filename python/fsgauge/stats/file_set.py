"""How much data the runs worked on, and how they reached it, as the records say."""

from __future__ import annotations

from collections.abc import Sequence

from fsgauge.engine.wire import ClientsJob
from fsgauge.record.records import RunRecord, StepRecord, TurnRecord


def file_set_bytes(
    turns: Sequence[TurnRecord], runs: Sequence[RunRecord], steps: Sequence[StepRecord] = ()
) -> int | None:
    """The largest of the systems' file sets; None where no record says it.

    Laid out before the runs, left by ageing, or written by clients in a run of their own.
    """
    laid_out = [turn.layout.size_bytes for turn in turns if turn.layout is not None]
    aged = [step.size_bytes for step in steps if step.step == "age"]
    return max([*laid_out, *aged, *_written_by_clients(runs)], default=None)


def _written_by_clients(runs: Sequence[RunRecord]) -> list[int]:
    return [
        result.write.size_bytes
        for run in runs
        if isinstance(run.job, ClientsJob) and run.job.phase.kind == "write"
        if (result := run.result) is not None and result.write is not None
    ]


def reads_through_cache(run: RunRecord) -> bool:
    """Whether the run read files of this machine through its page cache."""
    result = run.result
    if result is None or result.read is None or result.read.operations == 0:
        return False
    if run.load is not None:
        return not run.load.direct and run.load.target.kind in ("files", "file", "block")
    return isinstance(run.job, ClientsJob) and run.job.target.kind == "path"
