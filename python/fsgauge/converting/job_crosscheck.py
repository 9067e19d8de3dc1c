"""`crosscheck JOB --with fio`: the job by fio, its study by the engine, in turns on the same files.

Of the job stays what it draws and how it submits; where, when and for how long are the study's. All
groups are one run of either side, and each group is a cell with its ratios.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fsgauge import kinds
from fsgauge.converting.fio import convert_fio
from fsgauge.converting.fio_job import drawing
from fsgauge.converting.groups import SYSTEMS, Converted, at_lines_of_job
from fsgauge.converting.job_file import Section, read_job_file
from fsgauge.converting.writing import study_text
from fsgauge.crosscheck import cell_agreement, lent_here, require_path_here
from fsgauge.crosscheck.fio import fio_version, measurement, on_files, run_fio
from fsgauge.crosscheck.sitting import (
    Asked,
    CrosscheckRun,
    FioCheck,
    Sitting,
    Tool,
    sit,
    tools_in_order,
)
from fsgauge.engine.wire import FilesTarget, LoadJob, LoadResult
from fsgauge.errors import InputError, quoted
from fsgauge.plan.turns import load_for
from fsgauge.record.records import Cell, Turn
from fsgauge.rig.session import LentSystem
from fsgauge.store.files import slug
from fsgauge.study.model import Study
from fsgauge.study.parse import parse_study
from fsgauge.workload.folders import Place

_SAME = ("--fallocate=none", "--allow_file_create=0", "--invalidate=0", "--do_verify=0")
"""The files are there, caches are settled, and nothing is read back while time is measured."""
_TIMES = {"duration", "warm_up"}


@dataclass(frozen=True)
class Job:
    """A job file: what it becomes, and its sections, one for each group."""

    path: Path
    converted: Converted
    sections: list[Section]


def read_job(path: Path) -> Job:
    """Raises InputError where it would be another load, or fio does its work once and ends."""
    sections = read_job_file(path)
    try:
        job = Job(path, convert_fio(path), sections)
    except InputError as error:
        if "--without" in error.next:
            error.next = "a copy of the job file without these lines: both have to do the same"
        raise
    for _, (source, *_) in job.converted.plan.values():
        raise InputError(
            "a job that searches for a latency is not measured twice",
            location=source.location() if source else None,
            cause="fio raises the depth, and the load curve of a study the rate",
            next=f"fsgauge study from-fio {quoted(path)}; compare the rates that both find",
        )
    if "steady_window" in job.converted.workload:
        raise InputError(
            "a job that waits until it is steady is not measured twice",
            cause="either tool would begin at a moment of its own",
            next="a copy of the job file without its steadystate options",
        )
    for group, section in zip(job.converted.groups, sections, strict=True):
        if not group.is_plain:
            raise section.head.wrong(
                f"the section {section.name} does more than read and write",
                next=f"fsgauge study from-fio {quoted(path)} --check compares the requests",
                cause="fio does such work once on each file and ends; a study goes on for its time",
            )
    return job


def is_job(study: str) -> bool:
    """Whether the word for a study names a job file: studies are TOML."""
    return not study.endswith(".toml") and Path(study).is_file()


def study_of_job(job: Job, load: Callable[[str, str], Study]) -> Study:
    """The study as `load` gives it of a name and a text; InputError where that changes the load,
    or at the lines of the job."""
    text = study_text(job.converted, SYSTEMS)
    own = parse_study(text, job.path.name, job.path.stem)
    with at_lines_of_job(job.converted):
        study = load(f"{job.path.stem}.toml", text)
    if _without_times(study) != _without_times(own):
        raise InputError(
            "the load of the study is not that of the job file any more",
            cause="fio does what the job file says, whatever --set says",
            next="change the job file; --set workload.duration, workload.warm_up and"
            " workload.group.NAME.duration hold for both",
        )
    return study


def _without_times(study: Study) -> dict[str, Any]:
    """The load; options of the command may change its times, which are those of both."""
    load = study.workload.model_dump(exclude=_TIMES)
    return load | {"group": [{**each, "duration": None} for each in load.get("group", [])]}


def crosscheck_job(asked: Asked, job: Job) -> Path:
    """Run both and give the folder; refusals come before anything is touched."""
    require_path_here(asked)

    def on_system(begun: Sitting, system: str, lent: LentSystem) -> None:
        _system(begun, lent, job, begun.pairs_of(system))

    return sit(asked, FioCheck, lent_here, on_system, fio_version=fio_version())


def _system(begun: Sitting, lent: LentSystem, job: Job, turns: list[Turn]) -> None:
    lent.load_at_once(_loads(begun, turns[0], lent.target), lay_out=True)
    tools: tuple[Tool, Tool] = ("engine", "fio")
    orders = tools_in_order(len(turns), begun.plan.seed, tools)
    runs: dict[str, dict[Tool, list[CrosscheckRun]]] = {}
    for turn, order in zip(turns, orders, strict=True):
        for position, tool in enumerate(order):
            begun.told_run(turn, job.path.name, tool)
            for run in _run(begun, lent, job, turn, (position, tool)):
                name = f"{slug(run.cell.id)}-{run.pair:02d}-{run.position}-{run.tool}"
                begun.folder.write(run, run.system, name)
                runs.setdefault(run.cell.id, {}).setdefault(tool, []).append(run)
    for of_cell in runs.values():
        begun.keep_agreement(cell_agreement(of_cell))


def _run(
    begun: Sitting, lent: LentSystem, job: Job, turn: Turn, which: tuple[int, Tool]
) -> list[CrosscheckRun]:
    """Run all groups at once, by fio or by the engine; gives a record of each group."""
    position, tool = which
    cells, loads = _cells(begun, turn), _loads(begun, turn, lent.target)
    if tool == "engine" and any(load.verify for load in loads):
        lent.load_at_once(loads, lay_out=True)  # what fio wrote is not the engine's to verify
    caches = lent.settle()
    started_unix_ns = time.time_ns()
    found: list[tuple[LoadResult | None, dict[str, Any] | None]]
    if tool == "engine":
        found = [(result, None) for result in lent.load_at_once(loads)]
    else:
        told = job_command(job.sections, _loads(begun, turn, lent.pinned))
        longest_ns = max(load.start_after_ns + load.warm_up_ns + load.duration_ns for load in loads)
        document = run_fio(told, longest_ns)
        jobs = document["jobs"]
        # With more or fewer groups than sections each has all of them: `fio_numbers` refuses that.
        parts = [[each] for each in jobs] if len(jobs) == len(cells) else [jobs] * len(cells)
        found = [(None, {**document, "jobs": part}) for part in parts]
    return [
        CrosscheckRun(
            system=turn.system,
            cell=cell,
            pair=turn.block,
            position=position,
            tool=tool,
            job=load,
            command=job_command(job.sections, loads),
            caches=caches,
            started_unix_ns=started_unix_ns,
            result=result,
            fio=document,
        )
        for cell, load, (result, document) in zip(cells, loads, found, strict=True)
    ]


def _cells(begun: Sitting, turn: Turn) -> list[Cell]:
    """In the order of the sections, which is that of the groups."""
    return [cell for cell in begun.plan.cells if cell.id in turn.cells]


def _loads(begun: Sitting, turn: Turn, target: Place) -> list[LoadJob]:
    study = begun.asked.study
    found = [load_for(study, begun.plan, turn, cell, target) for cell in _cells(begun, turn)]
    return [load for load in found if isinstance(load, LoadJob)]


def job_command(sections: list[Section], loads: list[LoadJob]) -> list[str]:
    """fio's arguments: each section on the files of its group, for its group's time. InputError for
    more files than fio takes names."""
    command = ["fio", "--output-format=json", *measurement()]
    names = [section.name for section in sections]
    for place, (section, load) in enumerate(zip(sections, loads, strict=True)):
        alone = load.files_per_job is not None
        begins = ["--new_group"]
        if place and {"stonewall", "wait_for_previous"} & section.options.keys():
            begins.append("--stonewall")
        if (wait := section.options.get("wait_for")) is not None:
            begins.append(f"--wait_for=group{names.index(wait.value or '')}")
        for number in range(load.jobs if alone else 1):
            command += [f"--name=group{place}", "--group_reporting", *([] if number else begins)]
            command += [f"--{option.written}" for option in drawing(section)]
            command += [*_time(section, load), *_files(load, number, alone)]
    return command


def _time(section: Section, load: LoadJob) -> list[str]:
    words = ["--time_based", f"--runtime={load.duration_ns // 1000}us", f"--randseed={load.seed}"]
    if load.warm_up_ns:
        words.append(f"--ramp_time={load.warm_up_ns // 1000}us")
    if (delay := section.options.get("startdelay")) is not None:
        words.append(f"--startdelay={delay.value}")
    return words


def _files(load: LoadJob, number: int, alone: bool) -> list[str]:
    if not isinstance(load.target, FilesTarget):
        raise InputError("fio is compared on files", next=f"a study of kind {kinds.GROUPS}")
    count = load.files_per_job or load.target.count
    first, fewer = number * count if alone else 0, "fewer files in the job: nrfiles=256"
    jobs = [] if alone else [f"--numjobs={load.jobs}"]
    return [*jobs, *on_files(load.target, first, count, fewer), *_SAME]
