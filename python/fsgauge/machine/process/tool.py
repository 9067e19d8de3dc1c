"""Runs a program of the system (mkfs, mount, losetup), bounded in time and dying with this process.

Where programs are found, and how they are started, is in fsgauge.programs. subprocess waits forever
for a child that it has killed, but a umount that waits for a dead device (state D) does not die. It
is given up: its number and what it waits for are reported, and it is reaped when another program is
started.
"""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import time
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from fsgauge.errors import RigError
from fsgauge.machine.facts.pseudo_files import fields_of, text_of
from fsgauge.machine.process.answered_calls import Answer, AnsweredCalls
from fsgauge.programs import Process, child_environment, start
from fsgauge.programs.finding import find_program as find_tool
from fsgauge.programs.starting import close_pipes

__all__ = ["NotInTime", "Said", "find_tool", "must_run", "run_tool", "stretch_limits", "stretched"]

LATE = "did not end within"
"""Words of each error of that."""
_times = [1.0]


def stretch_limits(times: float) -> None:
    """From now on every limit of this process is so many times as long: in a machine that is
    emulated on a busy one, what hangs cannot be told from what is slow any sooner."""
    _times[0] = times


def stretched(seconds: float) -> float:
    """A limit of a quiet machine, as it is here."""
    return seconds * _times[0]


class NotInTime(RigError):
    """A program did not end in the time that it was given."""


@dataclass(frozen=True)
class Said:
    command: tuple[str, ...]
    exit_code: int
    output: str
    error: str

    @property
    def words(self) -> str:
        return (self.error or self.output).strip()


def run_tool(
    command: list[str], *, seconds: float = 60.0, answer: Answer | None = None, name: str = ""
) -> Said:
    """Run a program to its end; RigError when it is missing or does not end in time, by its `name`
    where the command is no name for it.

    `seconds` are those of a quiet machine (stretch_limits). `answer` answers its calls
    (answered_calls.py); what that raises is raised once it has ended.
    """
    program = find_tool(command[0])
    if program is None:
        raise RigError(
            f"the program {command[0]} is not installed", next="fsgauge doctor names the package"
        )
    seconds = stretched(seconds)
    try:
        with AnsweredCalls(answer) if answer else nullcontext() as calls:
            process = _begun([program, *command[1:]], calls)
            code, *texts = _waited_for(process, seconds)
    except NoEnd as late:
        raise NotInTime(
            f"{name or ' '.join(command)} {LATE} {seconds:.0f} s",
            details=(late.words,) if late.words else (),
            cause="the storage stopped responding, or is far slower than expected",
            next="dmesg | tail",
        ) from None
    output, error = (each.decode(errors="replace").replace("\r\n", "\n") for each in texts)
    return Said(tuple(command), code, output, error)


def must_run(command: list[str], *, what: str, seconds: float = 60.0) -> Said:
    """Run a program that has to succeed; RigError with its own message otherwise."""
    said = run_tool(command, seconds=seconds)
    if said.exit_code != 0:
        raise RigError(
            what, details=(" ".join(command), *said.words.splitlines()[-5:]), next="fsgauge doctor"
        )
    return said


def _begun(command: list[str], calls: AnsweredCalls | None) -> Process:
    process = start(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        environment=child_environment(LC_ALL="C"),
        dies_with_us=True,
        arrange=calls.arrange if calls is not None else None,
    )
    if calls is not None:
        try:
            calls.begin()
        except BaseException:
            end_or_give_up(process)
            raise
    return process


_PROC = Path("/proc")
_AFTER_KILL_SECONDS = 5.0
_LONGEST_TICK_SECONDS = 1.0
_PAUSE_SECONDS = 0.01
_PIECE_BYTES = 1 << 16
_MOST_BYTES = 16 << 20
"""The most that is kept of each output stream."""
_given_up: list[subprocess.Popen[bytes]] = []


class NoEnd(Exception):
    """The program did not end in time; `words` say what is left of it, empty when it is gone."""

    def __init__(self, words: str) -> None:
        super().__init__(words)
        self.words = words


def _waited_for(process: Process, seconds: float) -> tuple[int, bytes, bytes]:
    """NoEnd after `seconds`, with it and its children killed."""
    _given_up[:] = [each for each in _given_up if each.poll() is None]  # those that exited since
    deadline = time.monotonic() + seconds
    try:
        texts = _hear(process, deadline)
        code = _ended(process, deadline)
        if texts is not None and code is not None:
            return code, *texts
    except BaseException:
        end_or_give_up(process)
        raise
    finally:
        close_pipes(process)
    raise NoEnd(end_or_give_up(process))


def end_or_give_up(process: subprocess.Popen[bytes]) -> str:
    """Kill it with its children, and wait for a moment; gives what is left of it, in words."""
    if process.returncode is None:  # its number is its own as long as it was not waited for
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    if _ended(process, time.monotonic() + _AFTER_KILL_SECONDS) is not None:
        return ""
    _given_up.append(process)
    return _state_of(process.pid)


def _hear(process: subprocess.Popen[bytes], deadline: float) -> tuple[bytes, bytes] | None:
    """Both streams to their ends; None past the deadline."""
    assert process.stdout is not None and process.stderr is not None  # noqa: S101 - pipes
    heard: dict[IO[bytes], bytearray] = {process.stdout: bytearray(), process.stderr: bytearray()}
    with selectors.DefaultSelector() as selector:
        for stream in heard:
            selector.register(stream, selectors.EVENT_READ, heard[stream])
        while selector.get_map():
            remaining = deadline - time.monotonic()
            if remaining <= 0:
                return None
            for key, _ in selector.select(min(remaining, _LONGEST_TICK_SECONDS)):
                piece = os.read(key.fd, _PIECE_BYTES)
                if not piece:
                    selector.unregister(key.fileobj)
                elif len(key.data) < _MOST_BYTES:
                    key.data.extend(piece)
    return bytes(heard[process.stdout]), bytes(heard[process.stderr])


def _ended(process: subprocess.Popen[bytes], deadline: float) -> int | None:
    pause = _PAUSE_SECONDS / 100
    while (code := process.poll()) is None:
        if time.monotonic() >= deadline:
            return None
        time.sleep(pause)
        pause = min(2 * pause, _PAUSE_SECONDS)
    return code


def _state_of(pid: int) -> str:
    """As in: process 4711 was killed and is still there: state D (disk sleep), in io_schedule."""
    own = _PROC / str(pid)
    state = fields_of(own / "status").get("State")
    stack = text_of(own / "stack") or ""
    where = stack.partition("\n")[0].partition("] ")[2] or text_of(own / "wchan") or ""
    words = f"process {pid} was killed and is still there"
    words += f": state {state}" if state else ""
    return words + (f", in {where}" if where.strip("0") else "")
