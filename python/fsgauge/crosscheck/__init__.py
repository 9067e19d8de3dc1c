"""The cross-check: the study's cells by the engine and by the installed fio, in turns.

Takes a study, gives agreements of every cell, and stores every run of both tools as it was. Each
system is made once; then, for each cell, pairs of runs on the very same files go ABBA (first by
lot), so that a linear drift cancels. Both runs of a pair have one seed. Where the engine submits
operations in batches, fio does so too, and each pair has a third run of fio with its default
submission: the difference is what batching gains.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from fsgauge.crosscheck.agreement import CellAgreement, agreements, explanation, processor_share
from fsgauge.crosscheck.fio import (
    Numbers,
    engine_batch,
    fio_command,
    fio_numbers,
    fio_version,
    require_equal_exists,
    run_fio,
)
from fsgauge.crosscheck.sitting import (
    Asked,
    CrosscheckRun,
    FioCheck,
    Listener,
    Sitting,
    Tool,
    sit,
    tools_in_order,
)
from fsgauge.engine.wire import ClientsJob, FilesTarget, LoadJob, LoadResult, OperationResult
from fsgauge.errors import InputError
from fsgauge.plan.turns import load_for, make_plan
from fsgauge.record.records import Cell, Turn
from fsgauge.rig.session import LentSystem, Session
from fsgauge.stats.metrics import values
from fsgauge.store.files import slug
from fsgauge.study.model import Study
from fsgauge.study.reached import is_served
from fsgauge.workload import method_of

__all__ = ["Asked", "Listener", "crosscheck"]


def crosscheck(asked: Asked) -> Path:
    """Run every cell with both tools and give the folder; refusals come first."""
    require_path_here(asked)
    _check_cells(asked.study)
    return sit(asked, FioCheck, lent_here, _system, fio_version=fio_version())


def require_path_here(asked: Asked) -> None:
    """InputError where files are not reached by a path of this machine, as fio reaches them."""
    if asked.rig.has_nodes:
        raise InputError(
            "fio is compared on this machine alone",
            next="without --rig; or --with bonnie++ --rig vm, for the study sharing",
        )
    if is_served(asked.study):
        raise InputError(
            "fio has no clients of SMB and NFS that would do the same",
            next="without --serve: the same engine over the path is checked",
        )


def lent_here(session: Session) -> None:
    """InputError where its systems are not on this machine."""
    if not session.lends_here:
        raise InputError(
            "this rig cannot be cross-checked",
            cause="its systems are not on this machine, where fio could use them",
            next="--rig host",
        )


def _check_cells(study: Study) -> None:
    """Every cell has an equal in fio, whatever the target will be."""
    method = method_of(study.workload)
    reason, bench = method.not_in_fio
    if reason:
        raise InputError(
            f"a study of kind {study.workload.kind} cannot be cross-checked",
            cause=reason,
            next="fsgauge crosscheck overhead --with fio checks the same engine;"
            " fsgauge crosscheck JOB.fio --with fio a job file of yours"
            + (f"; in the source tree, make bench {bench}" if bench else ""),
        )
    plan = make_plan(study, size_bytes=1 << 50)
    target = FilesTarget(directory="/", count=method.files, file_size_bytes=1 << 30)
    for cell in plan.cells:
        require_equal_exists(_plain(load_for(study, plan, plan.turns[0], cell, target)))


def _system(begun: Sitting, system: str, lent: LentSystem) -> None:
    """Reads, then mixes, then writes: as a study's turns have them."""
    cells = {cell.id: cell for cell in begun.plan.cells}
    for cell in begun.plan.turns[0].cells:
        _cell(begun, lent, cells[cell], begun.pairs_of(system))


def _cell(begun: Sitting, lent: LentSystem, cell: Cell, turns: list[Turn]) -> None:
    runs: dict[Tool, list[CrosscheckRun]] = {"engine": [], "fio": [], "fio-by-itself": []}
    tools: tuple[Tool, Tool] = ("engine", "fio")
    orders = tools_in_order(len(turns), begun.plan.seed + len(cell.id), tools)
    for turn, order in zip(turns, orders, strict=True):
        job = _plain(load_for(begun.asked.study, begun.plan, turn, cell, lent.target))
        for position, tool in enumerate(_with_fio_by_itself(job, turn, order)):
            begun.told_run(turn, cell.name, tool)
            run = _run(begun, lent, cell, turn, position, tool)
            name = f"{slug(cell.id)}-{run.pair:02d}-{run.position}-{run.tool}"
            begun.folder.write(run, run.system, name)
            runs[tool].append(run)
    begun.keep_agreement(cell_agreement(runs))


def cell_agreement(runs: Mapping[Tool, Sequence[CrosscheckRun]]) -> CellAgreement:
    """Of one cell on one system: all runs of each tool, in the order of the pairs."""
    first = runs["fio"][0]
    engine = [engine_numbers(run.result) for run in runs["engine"] if run.result]
    fio, own = (
        [fio_numbers(run.fio) for run in runs.get(tool, ()) if run.fio]
        for tool in ("fio", "fio-by-itself")
    )
    return CellAgreement(
        system=first.system,
        cell=first.cell.id,
        cell_name=first.cell.name,
        command=first.command,
        agreements=agreements(engine, fio),
        engine_processor_share=processor_share(engine),
        fio_processor_share=processor_share(fio),
        explanation=explanation(engine, fio),
        own_command=runs["fio-by-itself"][0].command if own else None,
        own_agreements=agreements(engine, own) if own else [],
    )


def _with_fio_by_itself(job: LoadJob, turn: Turn, order: tuple[Tool, Tool]) -> list[Tool]:
    """The pair and, where it differs, fio's default submission: last and first in turns."""
    if job.interface != "io_uring" or engine_batch(job) == 1:
        return list(order)
    return [*order, "fio-by-itself"] if turn.block % 2 == 0 else ["fio-by-itself", *order]


def _run(
    begun: Sitting, lent: LentSystem, cell: Cell, turn: Turn, position: int, tool: Tool
) -> CrosscheckRun:
    job, told = (
        _plain(load_for(begun.asked.study, begun.plan, turn, cell, target))
        for target in (lent.target, lent.pinned)
    )
    own = tool == "fio-by-itself"
    command = fio_command(job, own_batches=own)
    lasts_ns = job.warm_up_ns + job.duration_ns
    caches = lent.settle()
    started_unix_ns = time.time_ns()
    return CrosscheckRun(
        system=turn.system,
        cell=cell,
        pair=turn.block,
        position=position,
        tool=tool,
        job=job,
        command=command,
        caches=caches,
        started_unix_ns=started_unix_ns,
        result=lent.load(job) if tool == "engine" else None,
        fio=run_fio(fio_command(told, own_batches=own), lasts_ns) if tool != "engine" else None,
    )


def _plain(job: LoadJob | ClientsJob) -> LoadJob:
    """The job of a kind that fio can do; others were refused before."""
    if isinstance(job, LoadJob):
        return job
    raise TypeError("many clients have no equal in fio")


def engine_numbers(result: LoadResult) -> Numbers:
    """The engine's metrics as they are compared; latency from the start, as fio counts."""
    service = result.model_copy(
        update={"read": _service(result.read), "write": _service(result.write)}
    )
    busy_ns = result.cpu.user_ns + result.cpu.system_ns
    available_ns = result.elapsed_ns * result.cpu.threads
    return Numbers(values(service), busy_ns / max(available_ns, 1))


def _service(part: OperationResult | None) -> OperationResult | None:
    return part and part.model_copy(update={"response_latency": None})
