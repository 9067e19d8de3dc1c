"""Starts every process of the lab: found by its absolute path, in `/`, with a cleaned environment.

Interpreters of our own are isolated: no module of the working folder, of a variable or, for
root, of a home folder takes the place of one of Python's or ours.

Blocking signals is not enough to defer them: the kernel delivers to a thread of a library
(numpy, DuckDB) that blocks nothing, and Python runs the handler in the main thread. The kernel
forgets the parent-death signal of a process that changes its user. That needs a parent that
stays and takes it along (`unshare --pid --kill-child`).
"""

from __future__ import annotations

import ctypes
import errno
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import IO

from fsgauge.programs.finding import child_environment, find_program
from fsgauge.programs.libc import LIBC

_ENDING_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
Process = subprocess.Popen[bytes]
Stream = int | IO[bytes]
_ROOT = Path("/")
_AFTER_KILL_SECONDS = 5.0
_LAST_WORDS_BYTES = 1 << 16


def start(
    command: Sequence[str],
    *,
    stdin: Stream = subprocess.DEVNULL,
    stdout: Stream = subprocess.DEVNULL,
    stderr: Stream = subprocess.DEVNULL,
    environment: Mapping[str, str] | None = None,
    folder: Path = _ROOT,
    passed: Sequence[int] = (),
    user_id: int | None = None,
    group_ids: Sequence[int] = (),
    has_session: bool = False,
    dies_with_us: bool = False,
    arrange: Callable[[], None] | None = None,
) -> Process:
    """Start a program in a process group of its own, or a session if it `has_session`.

    `environment` is child_environment() unless another is given; `passed` descriptors stay open.
    `user_id` is a user and its group, with `group_ids` and no others, without capabilities. What
    `dies_with_us` is killed when the thread that started it ends. `arrange` is called in the child
    before it becomes the program, and may take no lock. A Ctrl-C that comes meanwhile is raised
    once the process can be ended, and ends it. FileNotFoundError where the program is not
    installed.
    """
    process = None
    steps = [killed_with_parent()] if dies_with_us else []
    steps += [arrange] if arrange is not None else []
    try:
        with _handled_afterwards():
            process = subprocess.Popen(
                [_found(command[0]), *command[1:]],
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                cwd=folder,
                env=child_environment() if environment is None else environment,
                pass_fds=passed,
                # A group, no session, where that is not asked for: a scheduler that shares by
                # session (sched(7), autogroup) would let engine and server take turns.
                process_group=None if has_session else 0,
                start_new_session=has_session,
                preexec_fn=(lambda: [step() for step in steps]) if steps else None,
                user=user_id,
                group=user_id,
                extra_groups=None if user_id is None else list(group_ids),
            )
    except BaseException:
        if process is not None:
            kill_group(process)
        raise
    return process


def run_to_end(
    command: Sequence[str],
    given: bytes = b"",
    *,
    seconds: float,
    stdin: Stream = subprocess.PIPE,
    environment: Mapping[str, str] | None = None,
    folder: Path = _ROOT,
) -> subprocess.CompletedProcess[bytes]:
    """Start a program, give it `given` or another `stdin`, and hear it to its end.
    subprocess.TimeoutExpired after `seconds`; it is killed then, and on every error."""
    process = start(
        command,
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        environment=environment,
        folder=folder,
    )
    try:
        output, error = process.communicate(given if process.stdin else None, timeout=seconds)
    except BaseException:
        kill_group(process)
        raise
    finally:
        close_pipes(process)
    return subprocess.CompletedProcess(list(command), process.returncode, output, error)


def end_process(process: Process, seconds: float) -> bool:
    """Close its pipes, wait so long, then kill it; whether it ended by itself. One that hangs in
    the kernel is left after a moment."""
    close_pipes(process)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        with suppress(subprocess.TimeoutExpired):
            process.wait(_AFTER_KILL_SECONDS)
        return False
    return True


def close_pipes(process: Process) -> None:
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()


def last_words(process: Process) -> str:
    """What has come on its error output: whoever else holds that open is not waited for."""
    if process.stderr is None:
        return ""
    os.set_blocking(process.stderr.fileno(), False)
    with suppress(OSError):
        return os.read(process.stderr.fileno(), _LAST_WORDS_BYTES).decode(errors="replace").strip()
    return ""


def interpreter(module: str, *arguments: str) -> list[str]:
    """The command that runs a module in a child of this interpreter, isolated."""
    return [*isolated(), "-m", module, *arguments]


def isolated() -> list[str]:
    """The beginning of a command of this interpreter. For root without the packages of a home
    folder and variables; for others, who may have installed fsgauge there, only without the working
    folder."""
    alone = os.geteuid() == 0 or bool(sys.flags.isolated)
    return [sys.executable, "-I" if alone else "-P"]


def _found(program: str) -> str:
    if Path(program).is_absolute():
        return program
    found = find_program(program) if os.sep not in program else None
    if found is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), program)
    return found


def kill_group(process: Process) -> None:
    """It and its children; what hangs in the kernel is left."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    with suppress(subprocess.TimeoutExpired):
        process.wait(_AFTER_KILL_SECONDS)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Signals that come within are handled after it; tools that undo begin with them blocked."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING_SIGNALS)
    try:
        with _handled_afterwards():
            yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _handled_afterwards() -> Iterator[None]:
    """Signals that come within are handled after it, and nothing is blocked. For a fork: Python
    drops what a handler raises while it prepares one (os.register_at_fork), and a Ctrl-C in that
    moment was lost."""
    came: list[int] = []

    def remember(number: int, _frame: FrameType | None) -> None:
        came.append(number)

    handlers = {}
    try:
        if threading.current_thread() is threading.main_thread():
            for number in _ENDING_SIGNALS:
                if (handler := signal.getsignal(number)) is not None:
                    handlers[number] = handler
                    signal.signal(number, remember)
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for each in dict.fromkeys(came):
            signal.raise_signal(each)


_PR_SET_PDEATHSIG = 1
# Found here, not in the child: another thread may have held the loader's lock when it was forked.
_PRCTL = LIBC.prctl
_PRCTL.argtypes = [ctypes.c_int] + [ctypes.c_ulong] * 4
_PRCTL.restype = ctypes.c_int


def killed_with_parent() -> Callable[[], None]:
    """What a child does before it becomes another program (`preexec_fn`)."""
    parent = os.getpid()

    def arrange() -> None:
        _PRCTL(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:  # it died before it could be arranged
            os._exit(1)

    return arrange


def how_it_ended(code: int) -> str:
    """Such as "exit code 1", "signal SIGKILL", "signal 40"."""
    if code >= 0:
        return f"exit code {code}"
    known = {each.value: each.name for each in signal.Signals}
    return f"signal {known.get(-code, -code)}"
