"""Runs that did a share of their work: all of it, or one of those who worked in them."""

from __future__ import annotations

from fsgauge.engine.wire import LoadResult
from fsgauge.record.parts import Part
from fsgauge.record.records import RunRecord


def did(run: RunRecord, share: float) -> RunRecord:
    """The run with this share of its operations, of whatever kind it is."""
    return run.model_copy(update={"parts": [part_did(part, share) for part in run.parts]})


def part_did(part: Part, share: float, machine: str | None = None) -> Part:
    """One machine's part with this share of its operations, under another name if one is given."""
    slices = [
        each.model_copy(update={"result": _result(each.result, share)}) for each in part.slices
    ]
    return part.model_copy(update={"slices": slices, "machine": machine or part.machine})


def one_did(run: RunRecord, worker: int, share: float) -> RunRecord:
    """The run in which one of its jobs did this share of its operations in the same time."""
    (part,) = run.parts
    (only,) = part.slices
    jobs = list(only.result.jobs)
    operations = round(jobs[worker].operations * share)
    jobs[worker] = jobs[worker].model_copy(update={"operations": operations})
    result = only.result.model_copy(update={"jobs": jobs})
    slices = [only.model_copy(update={"result": result})]
    return run.model_copy(update={"parts": [part.model_copy(update={"slices": slices})]})


def _result(result: LoadResult, share: float) -> LoadResult:
    changes: dict[str, object] = {}
    for side in ("read", "write"):
        done = getattr(result, side)
        if done is not None:
            counts = ("operations", "size_bytes")
            changes[side] = done.model_copy(
                update={name: round(getattr(done, name) * share) for name in counts}
            )
    changes["jobs"] = [
        job.model_copy(update={"operations": round(job.operations * share)}) for job in result.jobs
    ]
    if result.clients is not None:
        operations = [
            each.model_copy(update={"operations": round(each.operations * share)})
            for each in result.clients.operations
        ]
        files = round(result.clients.files * share)
        changes["clients"] = result.clients.model_copy(
            update={"operations": operations, "files": files}
        )
    return result.model_copy(update=changes)
