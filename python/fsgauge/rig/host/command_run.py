"""One run of a user's program: its steps, its caches, its time, and nothing of it left.

`fsgauge.programs.supervisor` is the child that starts it. Each run has an empty folder of its own.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from fsgauge import __version__
from fsgauge.engine import wire
from fsgauge.engine.process import TimeLimit, end, hand_over, has_ended, lines
from fsgauge.errors import RigError
from fsgauge.machine.folder.marked_folder import remove_in
from fsgauge.machine.folder.places import who_can_replace
from fsgauge.plain_files.opening import closing
from fsgauge.plan.turns import job_for
from fsgauge.programs import child_environment, interpreter, start
from fsgauge.record.command import CommandJob, CommandRun, Found
from fsgauge.record.parts import in_one
from fsgauge.record.preconditioning import CellPreconditioning
from fsgauge.record.records import Cell, RunRecord
from fsgauge.rig.happenings import RunStarted
from fsgauge.rig.host.command_faults import fault_of, fault_of_folder, fault_of_step
from fsgauge.rig.host.facts import watch_device
from fsgauge.rig.host.turn_steps import TurnSystem
from fsgauge.rig.recording import run_record

_STEP_SECONDS = 1800.0
_SLACK_SECONDS = 300.0
_END_SECONDS = 15.0
_MOST_FOUND = 1_000_000


class Supervisor:
    """The child, as this process talks to it; raises RigError where it does not answer."""

    def __init__(self, process: subprocess.Popen[bytes], folder: str) -> None:
        self._process = process
        self._folder = folder

    def steps(self, steps: list[str]) -> str | None:
        if not steps:
            return None
        seconds = _STEP_SECONDS * len(steps)
        failed = self._ask({"steps": steps, "seconds": _STEP_SECONDS}, seconds)["failed"]
        return None if failed is None else str(failed)

    def timed(self, job: CommandJob) -> dict[str, Any]:
        seconds = job.time_limit_ns / 1e9
        order = job.model_dump(include={"program", "numbers", "written_back"})
        return self._ask({**order, "seconds": seconds}, seconds)

    def stop(self) -> None:
        """End what it has started, and itself: whoever waits for its answer learns that."""
        if self._process.stdin is not None:
            with suppress(OSError):
                self._process.stdin.close()

    def _ask(self, order: dict[str, Any], seconds: float) -> dict[str, Any]:
        pipes = self._process.stdin, self._process.stdout
        assert pipes[0] is not None and pipes[1] is not None  # noqa: S101 - PIPE at start
        limit = TimeLimit(seconds + _SLACK_SECONDS)
        line = json.dumps({**order, "folder": self._folder}).encode() + b"\n"
        hand_over(pipes[0], line, limit)
        for answer in lines(pipes[1], limit, lambda: has_ended(self._process)):
            found: dict[str, Any] = json.loads(answer)
            if "refused" in found:
                raise RigError(
                    f"the kernel refused what a run needs: {found['refused']}",
                    cause="the device or the file system reported an error",
                    next="dmesg | tail",
                )
            return found
        raise RigError(
            "what starts the program ended without an answer",
            cause="it was killed from outside (out of memory?), or the program killed it",
            next="dmesg | tail",
        )


@contextmanager
def supervised(folder: str) -> Iterator[Supervisor]:
    """A supervisor whose programs work in `folder`; nothing that they started is left after it."""
    process = start(
        interpreter("fsgauge.programs.supervisor"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        environment=child_environment(),
    )
    try:
        yield Supervisor(process, folder)
    finally:
        if process.stdin is not None:
            with suppress(OSError):
                process.stdin.close()  # it kills what it has started, and ends
        with suppress(subprocess.TimeoutExpired):
            process.wait(_END_SECONDS)
        end(process)


def run_command(
    made: TurnSystem, position: int, cell: Cell, preconditioning: CellPreconditioning | None
) -> RunRecord:
    """Measure one cell; a program that fails is recorded as what this run gave."""
    work, prepared = made.work, made.prepared
    job = _job(made, cell)
    begun_unix_ns = time.time_ns()
    result, command, fault, device, found, caches = None, None, None, None, None, ""
    with _own_folder(job.folder) as refused, supervised(job.folder) as supervisor:
        failed = None if refused else supervisor.steps(job.prepare)
        if refused is not None:
            fault = fault_of_folder(refused)
        elif failed is not None:
            fault = fault_of_step("prepare", failed, job.folder, work.study.storage)
        else:
            found = _found(job.folder)
            caches = "as the steps before left them"
            if not job.kept_caches:
                caches = work.systems.settle(prepared)[0]
        work.tell(RunStarted(made.turn, cell))  # of a failed step too: other hosts wait for it
        work.engine.prepared()
        with work.engine.together(job.time_limit_ns / 1e9 + _SLACK_SECONDS, supervisor.stop):
            if fault is None:
                begun_unix_ns = time.time_ns()
                with watch_device(prepared) as counted:
                    said = supervisor.timed(job)
                    device = counted()
                fault = fault_of(job, said, work.study.storage)
                if "not_started" not in said:
                    command = _command_run(said, found)
                    result = _result(said, begun_unix_ns) if fault is None else None
        if result is not None and (failed := supervisor.steps(job.finish)) is not None:
            fault = fault_of_step("finish", failed, job.folder, work.study.storage)
            result = None
    record = run_record(
        *(work.study, work.plan, made.turn, position, prepared.target),
        parts=in_one(work.systems.machine_name, result),
        fault=fault,
        caches=caches,
        started_unix_ns=begun_unix_ns,
        device=device,
        preconditioning=preconditioning,
        command=command,
    )
    work.tell(record)
    return record


def _job(made: TurnSystem, cell: Cell) -> CommandJob:
    """The cell's program, in a folder that is reached by its descriptor; RigError where that moved.
    The program's own words name it by its path, which `su` and servers of another user can follow
    too, unless another user can lead that path elsewhere."""
    work, folder = made.work, made.prepared.folder
    named, pinned = (
        job_for(work.study, work.plan, made.turn, cell, target)
        for target in (made.prepared.target, made.prepared.pinned)
    )
    if not isinstance(named, CommandJob) or not isinstance(pinned, CommandJob):
        raise TypeError("the load of this study is no program")
    if folder is None:
        return named
    try:
        cause, _ = who_can_replace(folder.path, {0, os.geteuid()})
    except OSError:
        raise folder.moved() from None
    return pinned if cause else named.model_copy(update={"folder": pinned.folder})


@contextmanager
def _own_folder(path: str) -> Iterator[OSError | None]:
    """An empty folder, removed with all that is in it; why the file system did not make it."""
    place = Path(path)
    try:
        above = os.open(place.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as error:
        yield error
        return
    with closing(above):
        refused = None
        try:
            os.mkdir(place.name, dir_fd=above)
        except OSError as error:
            refused = error
        try:
            yield refused
        finally:
            # A program may remove it itself. What a failed file system keeps, the next run meets.
            with suppress(OSError):
                remove_in(above, place.name, place.parent)


def _found(folder: str) -> Found | None:
    """What the steps made; None of more files than are worth counting."""
    files = size_bytes = 0
    for _, _, names, descriptor in os.fwalk(folder):
        files += len(names)
        if files > _MOST_FOUND:
            return None
        for name in names:
            with suppress(OSError):  # it is gone, or the file system has failed
                size_bytes += os.stat(name, dir_fd=descriptor, follow_symlinks=False).st_size
    return Found(files=files, size_bytes=size_bytes)


def _command_run(said: dict[str, Any], found: Found | None) -> CommandRun:
    of_result = {"began_ns", "elapsed_ns", "user_ns", "system_ns", "not_written"}
    own = {name: value for name, value in said.items() if name not in of_result}
    return CommandRun(**own, found=found)


def _result(said: dict[str, Any], started_unix_ns: int) -> wire.LoadResult:
    """Its time, and that of processors; a program has no operations that are known."""
    return wire.LoadResult(
        format=1,
        kind="load",
        engine=wire.Engine(version=__version__, profile="release", target="", commit=""),
        interface="psync",
        notes=[],
        ended="size_limit",
        started_unix_ns=started_unix_ns,
        warm_up_ns=0,
        elapsed_ns=said["elapsed_ns"],
        jobs=[],
        in_flight_mean=0.0,
        cpu=wire.ProcessorTime(user_ns=said["user_ns"], system_ns=said["system_ns"], threads=1),
        machine_cpu=wire.MachineProcessorTime(busy_ns=0, total_ns=0),
        intervals=[],
        common_start=_start_of(said["began_ns"], said["elapsed_ns"]),
        self_measure=wire.SelfMeasure(
            null_ns_per_operation=0.0,
            clock_ns_per_read=0.0,
            clock="clock_gettime",
            stamps="operation",
        ),
    )


def _start_of(began_ns: int, elapsed_ns: int) -> wire.CommonStart:
    return wire.CommonStart(
        start_at_ns=began_ns,
        armed_at_ns=began_ns,
        started_at_ns=began_ns,
        last_started_at_ns=began_ns,
        ended_at_ns=began_ns + elapsed_ns,
        real_time=False,
        spun=False,
        suspended_ns=0,
    )
