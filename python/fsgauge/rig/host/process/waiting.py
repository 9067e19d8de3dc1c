"""Waiting for a program with a bound that holds: one in the kernel cannot be killed, only left.

subprocess waits without end for a child that it has killed. A umount that waits for a dead device
(state D) does not die, so it is given up: its number and what it waits for are said, and it is
looked for again whenever another program is started.
"""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

_PROC = Path("/proc")
_AFTER_KILL_SECONDS = 5.0
_LONGEST_TICK_SECONDS = 1.0
_PAUSE_SECONDS = 0.01
_PIECE_BYTES = 1 << 16
_MOST_BYTES = 16 << 20
"""Of each stream: no tool says more that anybody reads."""
_given_up: list[subprocess.Popen[bytes]] = []


@dataclass(frozen=True)
class Answer:
    """How a program ended, and what it printed."""

    exit_code: int
    output: bytes
    error: bytes


class NoEnd(Exception):
    """The program did not end in time; `words` say what is left of it, empty when it is gone."""

    def __init__(self, words: str) -> None:
        super().__init__(words)
        self.words = words


def wait_for(process: subprocess.Popen[bytes], seconds: float) -> Answer:
    """Hear it to its end; NoEnd past the time, when it and its children were killed."""
    _reap()
    deadline = time.monotonic() + seconds
    try:
        texts = _hear(process, deadline)
        code = _ended(process, deadline)
        if texts is not None and code is not None:
            return Answer(code, *texts)
    except BaseException:
        end_or_give_up(process)
        raise
    finally:
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()
    raise NoEnd(end_or_give_up(process))


def end_or_give_up(process: subprocess.Popen[bytes]) -> str:
    """Kill it with its children, and wait for a moment; gives what is left of it, in words."""
    if process.returncode is None:  # its number is its own as long as it was not waited for
        with suppress(ProcessLookupError, PermissionError):
            _kill(process.pid)
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
    """Its exit code, or None when it has not ended by then."""
    pause = _PAUSE_SECONDS / 100
    while (code := process.poll()) is None:
        if time.monotonic() >= deadline:
            return None
        time.sleep(pause)
        pause = min(2 * pause, _PAUSE_SECONDS)
    return code


def _kill(group: int) -> None:
    os.killpg(group, signal.SIGKILL)


def _reap() -> None:
    """Take leave of those that have ended since they were given up."""
    _given_up[:] = [process for process in _given_up if process.poll() is None]


def _state_of(pid: int) -> str:
    """As in: process 4711 was killed and is still there: state D (disk sleep), in io_schedule."""
    state = next(
        (
            line.partition(":")[2].strip()
            for line in _text(pid, "status").splitlines()
            if line.startswith("State:")
        ),
        "",
    )
    where = _text(pid, "stack").partition("\n")[0].partition("] ")[2] or _text(pid, "wchan")
    words = f"process {pid} was killed and is still there"
    words += f": state {state}" if state else ""
    return words + (f", in {where}" if where.strip("0 \n") else "")


def _text(pid: int, name: str) -> str:
    try:
        return (_PROC / str(pid) / name).read_text(errors="replace")
    except OSError:
        return ""
