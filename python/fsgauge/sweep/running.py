"""The points of a sweep, as many at a time as there are processors; each is a run of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass

from fsgauge.errors import InputError
from fsgauge.plain_files import cannot_write
from fsgauge.plain_files.bounds import POINT_LOG_BYTES
from fsgauge.programs import Process, interpreter, start
from fsgauge.programs.interruption import interruptible
from fsgauge.sweep.folder import PlacedPoint, Sweep, years_words

_LOOK_SECONDS = 0.1
_END_SECONDS = 60.0
"""How long a run may take to end once it is asked to."""
_LAST_LINES = 6
_LOG = "log.txt"
_POINT = "fsgauge.cli.sweeping"


@dataclass(frozen=True)
class Failed:
    """A point that came to no end, and what its run said."""

    placed: PlacedPoint
    said: str


def run_points(
    sweep: Sweep, say: Callable[[str], None], *, accept_changed: bool = False
) -> list[Failed]:
    """Simulate what is not whole; gives what failed. An interruption ends all, and is raised."""
    waiting = [placed for placed in sweep.points if placed.report() is None]
    done, whole = len(sweep.points) - len(waiting), len(sweep.points)
    running: list[tuple[PlacedPoint, Process]] = []
    failed: list[Failed] = []
    with interruptible():
        try:
            while waiting or running:
                while waiting and len(running) < (os.cpu_count() or 1):
                    placed = waiting.pop(0)
                    running.append((placed, _started(placed, accept_changed)))
                time.sleep(_LOOK_SECONDS)
                for each in [each for each in running if each[1].poll() is not None]:
                    running.remove(each)
                    done, placed = done + 1, each[0]
                    is_whole = placed.report() is not None
                    if not is_whole:
                        failed.append(Failed(placed, _said(placed)))
                    name = f"{years_words(placed.point.years)}, {placed.point.profile}"
                    say(f"{done} of {whole}  {name}{'' if is_whole else '  failed'}")
        finally:
            _end([process for _, process in running])
    return failed


def _started(placed: PlacedPoint, accept_changed: bool) -> Process:
    """Begin a point, or go on with it, in the folder that was checked, wherever it is by now."""
    begun, directory = placed.results, str(placed.directory.absolute())
    words = ["run", str(placed.file.absolute()), "--rig", "simulator", "--results", directory]
    changed = ["--despite", "changed-records"] * accept_changed
    again = ["resume", str(begun and begun.absolute()), *changed]
    words = again if begun is not None else [*words, "--yes"]
    try:
        with (
            placed.sweep.opened() as sweep,
            sweep.below(placed.name) as folder,
            os.fdopen(folder.open_to_append(_LOG), "ab") as out,
            folder.descriptor_of("") as place,
        ):
            return start(
                interpreter(_POINT, str(place), directory, *words, "--quiet"),
                stdout=out,
                stderr=out,
                passed=[place],
                has_session=True,  # a terminal's Ctrl-C is passed on once, by _end
            )
    except OSError as error:
        raise cannot_write(placed.directory / _LOG, error) from error


def _end(running: list[Process]) -> None:
    for each in running:
        each.send_signal(signal.SIGINT)
    until = time.monotonic() + _END_SECONDS
    for each in running:
        try:
            each.wait(max(0.0, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            each.kill()
            each.wait()


def _said(placed: PlacedPoint) -> str:
    try:
        with placed.sweep.opened() as sweep:
            content = sweep.read(f"{placed.name}/{_LOG}", POINT_LOG_BYTES)
    except InputError as error:
        return error.what
    lines = content.decode("utf-8", errors="replace").splitlines()
    errors = [number for number, line in enumerate(lines) if line.startswith("error: ")]
    if not errors:
        return " ".join(lines[-_LAST_LINES:])
    helps = [line for line in lines[errors[-1] :] if line.startswith("next: ")]
    return "; ".join([lines[errors[-1]].removeprefix("error: "), *helps[:1]])
