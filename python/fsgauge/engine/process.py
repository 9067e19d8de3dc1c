"""The engine's process, which may hang, talk without end, or live on: every wait here has a bound.

An engine that is to end is asked (SIGTERM) and then killed with all processes of its group, within
`GRACE_SECONDS` each. What the kernel does not let go is left to it. One with a lease ends when its
standard input is closed or silent: a thread here writes to that for as long as this process runs,
so an engine outlives neither a caller that was killed nor one that hangs.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, Self

from fsgauge.engine.wire import Lease
from fsgauge.errors import FsgaugeError, Interrupted, RigError
from fsgauge.programs.starting import close_pipes, how_it_ended, last_words

GRACE_SECONDS = 2.0
_LAST_WORD_SECONDS = 0.2
_PAUSE_SECONDS = 0.01
_PIECE_BYTES = 1 << 16
_LONGEST_LINE_BYTES = 256 << 20
_KILLED_BY: dict[int, tuple[str, str]] = {
    signal.SIGKILL: ("killed from outside (out of memory?)", "dmesg | tail"),
    signal.SIGXCPU: ("it has used the CPU time that it may use (ulimit -t)", "ulimit -t unlimited"),
    signal.SIGXFSZ: ("a limit on the size of files (ulimit -f)", "ulimit -f unlimited"),
}


@dataclass
class TimeLimit:
    """When a job counts as hung; earlier once its engine was asked to end."""

    seconds: float
    asked: bool = False

    def __post_init__(self) -> None:
        self._until = time.monotonic() + self.seconds

    @property
    def left(self) -> float:
        """Seconds left; negative past the limit."""
        return self._until - time.monotonic()

    def shorten(self, seconds: float) -> None:
        """Limit the time left, for a job that was asked to end."""
        self.asked = True
        if seconds < self.left:
            self.seconds, self._until = seconds, time.monotonic() + seconds

    def passed(self) -> FsgaugeError:
        return RigError(
            f"the engine did not end within {self.seconds:.0f} s"
            + (" after it was asked to" if self.asked else ""),
            cause="the storage stopped answering, or a kernel call hangs",
            next="dmesg | tail",
        )


def hand_over(stream: IO[bytes], text: bytes, limit: TimeLimit) -> None:
    """Write a job to an engine that may not read it; raises RigError past the limit. The stream
    does not block from then on."""
    os.set_blocking(stream.fileno(), False)
    pending = memoryview(text)
    with selectors.DefaultSelector() as selector:
        selector.register(stream, selectors.EVENT_WRITE)
        while pending:
            if limit.left <= 0:
                raise limit.passed()
            if selector.select(min(limit.left, 1.0)):
                try:
                    pending = pending[os.write(stream.fileno(), pending[:_PIECE_BYTES]) :]
                except BlockingIOError:
                    continue
                except BrokenPipeError:
                    return  # it ended before it read: its last event or its error output says why


def lines(
    stream: IO[bytes], limit: TimeLimit, has_ended: Callable[[], bool] = lambda: False
) -> Iterator[bytes]:
    """Whole lines as they arrive, until the stream or its writer ends; RigError past the limit.
    What its writer started may hold the stream open, so the end of the writer is asked for too. A
    line is gathered in one buffer and looked through once, however many pieces it comes in."""
    pending = bytearray()
    with selectors.DefaultSelector() as selector:
        selector.register(stream, selectors.EVENT_READ)
        while (remaining := limit.left) > 0:
            if not selector.select(min(remaining, 1.0)):
                if has_ended() and not selector.select(0):
                    return
                continue
            piece = os.read(stream.fileno(), _PIECE_BYTES)
            if not piece:
                return
            *whole, rest = piece.split(b"\n")
            for line in whole:
                pending += line
                yield bytes(pending)
                pending.clear()
            pending += rest
            if len(pending) > _LONGEST_LINE_BYTES:
                raise RigError(
                    f"the engine wrote a line of more than {_LONGEST_LINE_BYTES >> 20} MiB",
                    cause="a result larger than any job produces, or another program in its place",
                    next="fewer clients or files in one run; fsgauge doctor",
                )
    raise limit.passed()


def has_ended(process: subprocess.Popen[bytes]) -> bool:
    return _ended(process, 0.0) is not None


def silent_end(process: subprocess.Popen[bytes]) -> FsgaugeError:
    """The engine closed its output without a last word."""
    code = _ended(process, GRACE_SECONDS)
    said = tuple(last_words(process).splitlines()[-3:])
    if code is None:
        return RigError(
            "the engine closed its output, and goes on without a result",
            details=said,
            cause="another program in its place, or a fault of the engine itself",
            next="fsgauge doctor",
        )
    if code in (-signal.SIGINT, -signal.SIGTERM, 130):
        return Interrupted("the engine was interrupted")
    fault = ("killed from outside, or a fault of the engine itself", "dmesg | tail")
    cause, command = _KILLED_BY.get(-code, fault)
    return RigError(
        f"the engine ended without a result ({how_it_ended(code)})",
        details=said,
        cause=cause,
        next=command,
    )


def interrupt(process: subprocess.Popen[bytes]) -> None:
    """Ask it to end with what it has; it may have ended."""
    if process.returncode is None:  # its number is its own as long as it was not waited for
        with suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGINT)


def end(process: subprocess.Popen[bytes]) -> None:
    """Make sure that the process and what it started are gone, gently first."""
    try:
        if _ended(process, _LAST_WORD_SECONDS) is None:
            process.terminate()
            _ended(process, GRACE_SECONDS)
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
        with suppress(subprocess.TimeoutExpired):
            process.wait(GRACE_SECONDS)
        close_pipes(process)


def _ended(process: subprocess.Popen[bytes], seconds: float) -> int | None:
    """Its exit code, or None when it has not ended by then; it is not waited for, so that its
    number stays its group's."""
    until, pause = time.monotonic() + seconds, _PAUSE_SECONDS / 100
    options = os.WEXITED | os.WNOWAIT | os.WNOHANG
    while process.returncode is None:
        found = os.waitid(os.P_PID, process.pid, options)
        if found is not None:
            return found.si_status if found.si_code == os.CLD_EXITED else -found.si_status
        if time.monotonic() >= until:
            return None
        time.sleep(pause)
        pause = min(2 * pause, _PAUSE_SECONDS)
    return process.returncode


_HOLDS_IN_A_LIMIT = 4


class ControlPipe:
    """Holds the lease within its context; orders are written by whoever has them."""

    def __init__(self, stream: IO[bytes], lease: Lease) -> None:
        self._stream = stream
        self._pause_seconds = lease.silence_limit_ns / 1e9 / _HOLDS_IN_A_LIMIT
        self._ended = threading.Event()
        self._writing = threading.Lock()
        self._thread = threading.Thread(target=self._hold, name="lease", daemon=True)

    def start(self, start_at_ns: int) -> None:
        """Have an armed job begin at this moment of the machine's monotonic clock."""
        self._write(json.dumps({"kind": "start", "start_at_ns": start_at_ns}).encode() + b"\n")

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _hold(self) -> None:
        while not self._ended.wait(self._pause_seconds):
            self._write(b"\n")

    def _write(self, line: bytes) -> None:
        """An engine that has ended says so on its own output; one that does not read has enough.
        The pipe does not block, and takes a line whole or not at all (pipe(7), PIPE_BUF)."""
        with self._writing, suppress(BlockingIOError):
            try:
                os.write(self._stream.fileno(), line)
            except (BrokenPipeError, ValueError):
                self._ended.set()
