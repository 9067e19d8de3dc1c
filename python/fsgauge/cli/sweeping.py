"""`fsgauge run`, `resume` and `plan` of a study with [sweep]."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from fsgauge.errors import InputError, Interrupted, RigError
from fsgauge.progress.terminal import say

if TYPE_CHECKING:
    from fsgauge.study.model import Study
    from fsgauge.sweep.folder import Sweep
    from fsgauge.sweep.running import Failed


def run_sweep(study: Study, rig: str, results: Path) -> int:
    """Simulate every point of a new sweep and write its page; gives the exit code."""
    from fsgauge.rig.registry import rig_named
    from fsgauge.sweep.folder import new_sweep

    if rig != "simulator":
        raise InputError(
            f"[sweep] asks for years, and --rig {rig} has none",
            next="--rig simulator, or a study without [sweep]",
        )
    for each in _points(study):
        rig_named(rig, say).check(each, None)
    return _simulate(new_sweep(study, results))


def resume_sweep(directory: Path, *, accept_changed: bool = False) -> int:
    """Simulate what is left of a sweep and write its page."""
    from fsgauge.sweep.folder import read_sweep

    return _simulate(read_sweep(directory, to_go_on=True), accept_changed=accept_changed)


def page_of_sweep(directory: Path) -> str:
    """Write a sweep's page from the points that are whole; gives its answer and the page."""
    from fsgauge.sweep.folder import read_sweep

    return _written(read_sweep(directory), [])[0]


def sweep_lines(study: Study) -> list[str]:
    """What `fsgauge plan` says of it: points, lives, how many at a time."""
    if study.sweep is None:
        return []
    points = _points(study)
    turns = (len(study.systems) + 1) * study.plan.blocks
    years = ", ".join(f"{each:g}" for each in sorted(study.sweep.years))
    profiles, at_a_time = len(study.sweep.profiles), os.cpu_count() or 1
    return [
        f"sweep     after {years} years; {profiles} profile{'' if profiles == 1 else 's'};"
        f" {len(points)} points of {turns} turns: {len(points) * turns} lives, {at_a_time} points"
        " at a time",
        "          below is the plan of a point, with the study's own age and profile; time and"
        " bytes are those of all points",
    ]


def _points(study: Study) -> list[Study]:
    from fsgauge.study.points import points_of

    return [each.study for each in points_of(study, study.sweep)] if study.sweep else []


def _simulate(sweep: Sweep, *, accept_changed: bool = False) -> int:
    from fsgauge.sweep.running import run_points

    resume = f"fsgauge resume {shlex.quote(str(sweep.directory))}"
    try:
        failed = run_points(sweep, say, accept_changed=accept_changed)
    except Interrupted as error:
        error.next = resume
        raise
    said, missing = _written(sweep, failed)
    sys.stdout.write(f"{said}\n")
    if not failed:
        return 0
    raise RigError(
        f"{len(failed)} of {len(sweep.points)} points came to no end",
        details=tuple(missing),
        next=resume,
    )


def _written(sweep: Sweep, failed: list[Failed]) -> tuple[str, list[str]]:
    """Write the page; gives the answer with the page's path, and the points that are missing."""
    from fsgauge.store.seals import understood
    from fsgauge.sweep.lines import results_of
    from fsgauge.sweep.page import write_sweep

    with understood(("report.json of a point has no checksum, so a change cannot be detected",)):
        results = results_of(sweep, failed)
        page = write_sweep(results, sweep.folder)
    return f"answer: {results.answer}\nreport: {page}", results.missing
