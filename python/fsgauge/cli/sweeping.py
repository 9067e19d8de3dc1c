"""`fsgauge run`, `resume` and `plan` of a study with [sweep]: some points are tried to say how long
it takes, and each is run in a process of its own, which is this module."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

from fsgauge.errors import InputError, Interrupted, RigError
from fsgauge.exit_codes import ExitCode, gravest, of_report
from fsgauge.plan.around import Tried
from fsgauge.plan.cost import written_bytes
from fsgauge.plan.preview import PlanDescription
from fsgauge.progress.terminal import say
from fsgauge.rig.rig import Rig
from fsgauge.study.model import Study
from fsgauge.study.points import Point, points_of
from fsgauge.sweep.folder import Sweep, new_sweep, read_sweep
from fsgauge.units import count

if TYPE_CHECKING:
    from fsgauge.sweep.running import Failed


def run_sweep(study: Study, rig: Rig, results: Path) -> int:
    """Simulate every point of a new sweep and write its page; gives the exit code."""
    if rig.name != "simulator":
        raise InputError(
            f"[sweep] asks for years, and --rig {rig.name} has none",
            next="--rig simulator, or a study without [sweep]",
        )
    _require_no_race(study)
    for each in _points(study):
        rig.check(each, None)
    return _simulate(new_sweep(study, results))


def _require_no_race(study: Study) -> None:
    """InputError where each year might be left by another system: years follow all of them."""
    if study.plan.mode == "race":
        raise InputError(
            "systems leave a race, and a sweep follows each of them through all years",
            next="--set plan.mode=all; or fsgauge choose, which races the last year",
        )


def resume_sweep(directory: Path, *, accept_changed: bool = False) -> int:
    return _simulate(read_sweep(directory, to_go_on=True), accept_changed=accept_changed)


def page_of_sweep(directory: Path) -> tuple[str, ExitCode]:
    """Write a sweep's page from the points that are whole; gives its answer and the page, and what
    the points came to."""
    sweep = read_sweep(directory)
    return _written(sweep, [])[0], _points_code(sweep)


def _points_code(sweep: Sweep) -> ExitCode:
    """The gravest of what the points came to; 3 for one that is not whole."""
    reports = [point.report() for point in sweep.points]
    codes = [ExitCode.FAILED if report is None else of_report(report) for report in reports]
    return gravest(codes or [ExitCode.FAILED])


def sweep_words(study: Study) -> str:
    """ "8 points (0 to 5 years, 2 profiles) of 12 lives"; "" of no sweep."""
    if study.sweep is None:
        return ""
    years = [f"{each:g}" for each in sorted(study.sweep.years)]
    span = " to ".join(dict.fromkeys((years[0], years[-1])))
    profiles = len(study.sweep.profiles)
    more = f", {profiles} profiles" if profiles > 1 else ""
    return f"{count(len(_points(study)), 'point')} ({span} years{more}) of {_lives(study):,} lives"


def _lives(study: Study) -> int:
    """Of one point: each system in each block, the first twice."""
    return (len(study.systems) + 1) * study.plan.blocks


def sweep_lines(study: Study) -> list[str]:
    """What `fsgauge plan --verbose` says of it: points, lives, how many at a time."""
    if study.sweep is None:
        return []
    points, lives = len(_points(study)), _lives(study)
    years = ", ".join(f"{each:g}" for each in sorted(study.sweep.years))
    profiles = count(len(study.sweep.profiles), "profile")
    return [
        f"sweep     after {years} years; {profiles}; {points:,} points of {lives:,} turns:"
        f" {points * lives:,} lives, {os.cpu_count() or 1} points at a time",
        "          below is the plan of a point, with the study's own age and profile; time and"
        " bytes are those of all points",
    ]


def _points(study: Study) -> list[Study]:
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
        return _points_code(sweep)
    raise RigError(
        f"{len(failed)} of {len(sweep.points)} points failed",
        details=tuple(missing),
        cause="a model's device was full, or a point was ended from outside",
        next=resume,
    )


def _written(sweep: Sweep, failed: list[Failed]) -> tuple[str, list[str]]:
    """Write the page; gives the answer with the page's path, and the points that are missing."""
    from fsgauge.store.seals import understood
    from fsgauge.sweep.answer import results_of
    from fsgauge.sweep.page import write_sweep

    with understood(("report.json of a point has no checksum, so a change cannot be detected",)):
        results = results_of(sweep, failed)
        page = write_sweep(results, sweep.folder)
    return f"answer: {results.answer}\nreport: {page}", results.missing


MOST_PROFILES = 3
"""That are tried; what others take is the mean of those."""
BESIDE_SECONDS = 3.0
"""Of a processor, for a point beside its lives and its trial: the program and its report. A point
of 64 MiB took 3.9 s in all, of which 0.9 were those."""

End = tuple[float, Tried]
"""A number of years and what a block takes after them."""


def of_sweep(description: PlanDescription, study: Study, rig: Rig) -> PlanDescription:
    """The plan of a sweep's study with time and bytes of all points; of no sweep, as it is."""
    if study.sweep is None or not rig.tries_blocks:
        return description
    _require_no_race(study)
    points = points_of(study, study.sweep)
    ends = [
        _tried([each for each in points if each.profile == profile], rig)
        for profile in study.sweep.profiles[:MOST_PROFILES]
    ]
    if not all(ends):
        return description
    of_profile = dict(zip(study.sweep.profiles, ends, strict=False))
    at_a_time = min(os.cpu_count() or 1, len(points))
    seconds = sum(
        fmean(_point_seconds(point, each) for each in _of(of_profile, point)) for point in points
    )
    expected = seconds / at_a_time
    tried = [block for each in ends for _, block in each]
    shortest, longest = _spread(tried)
    return description.model_copy(
        update={
            "expected_seconds": expected,
            "shortest_seconds": expected * shortest,
            "longest_seconds": None if longest is None else expected * longest,
            "time_basis": f"all {len(points)} points with their reports, {at_a_time} at a time on"
            f" idle processors; turns of {len(tried)} points were tried",
            "written_bytes_estimate": sum(
                written_bytes(each.study, rig.size_bytes(each.study), each.study.plan.blocks)
                for each in points
            ),
        }
    )


def _spread(tried: list[Tried]) -> tuple[float, float | None]:
    """What the range's ends are of the expected seconds; no longest where a trial has none."""
    shortest = max(block.shortest_seconds / block.seconds for block in tried)
    ends = [(block.longest_seconds, block.seconds) for block in tried]
    longest = [end / seconds for end, seconds in ends if end is not None]
    return shortest, max(longest) if len(longest) == len(ends) else None


def _tried(points: list[Point], rig: Rig) -> list[End]:
    """The first year of a profile and the last; empty for a study that is refused."""
    ends = [points[0], points[-1]][: len(points)]
    return [(each.years, block) for each in ends if (block := rig.tried(each.study)) is not None]


def _of(of_profile: dict[str, list[End]], point: Point) -> list[list[End]]:
    """The ends of a point's profile; of one that was not tried, those of all."""
    own = of_profile.get(point.profile)
    return [own] if own is not None else list(of_profile.values())


def _point_seconds(point: Point, ends: list[End]) -> float:
    """Of a processor: its blocks, the trial that its run begins with, and what is beside."""
    (first_years, first), (last_years, last) = ends[0], ends[-1]
    span = last_years - first_years
    share = (point.years - first_years) / span if span else 0.0

    def between(start: float, end: float) -> float:
        return start + share * (end - start)

    block_seconds = between(first.seconds, last.seconds)
    trial_seconds = between(first.trial_seconds, last.trial_seconds)
    return BESIDE_SECONDS + trial_seconds + point.study.plan.blocks * block_seconds


def main() -> None:
    """A point, in a process of its own: `run` or `resume`, in a folder that it gets open.

    The first word is the folder's descriptor, the second its path, which whoever owns a folder
    above it can give to another one. So the words that name it are made relative to the folder
    itself; records keep them as they are.
    """
    descriptor, folder, *words = sys.argv[1:]
    os.fchdir(int(descriptor))
    os.close(int(descriptor))
    sys.argv = ["fsgauge", *words]
    from fsgauge.cli import main as run_command_line

    run_command_line([_below(each, folder) for each in words])


def _below(word: str, folder: str) -> str:
    if word == folder:
        return "."
    return word.removeprefix(f"{folder}/")


if __name__ == "__main__":
    main()
