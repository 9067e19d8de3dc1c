"""A child of fsgauge that starts programs of the user, times one of them, and outlives none.

Orders are lines of JSON on standard input, answers lines of JSON on standard output:

    {"steps": [...]}        lines for a shell, one after the other: {"failed": ...} or null
    {"program": [...]}      a program, timed: its exit code, times, numbers and last lines

Whatever these start is a descendant of this process and stays one: an orphan is given to it
(PR_SET_CHILD_SUBREAPER). All of them are killed when standard input ends, which it does however
fsgauge ends. What steps have started stays for the program, as a server does; what the program
leaves is named and killed.
"""

from __future__ import annotations

import ctypes
import json
import os
import random
import resource
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Set
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from fsgauge.programs.finding import child_environment, find_program
from fsgauge.programs.libc import LIBC
from fsgauge.programs.printed import MOST_OUTPUT_BYTES, Output, last_lines, read_numbers
from fsgauge.programs.starting import how_it_ended, start

MOST_LEFT = 20
PRINTED_TOO_MUCH = "printed more than"
_MOST_STEP_BYTES = 16 << 20
_PR_SET_CHILD_SUBREAPER = 36
_CLONE_NEWNS = 0x20000
_MS_REC_SLAVE = 0x4000 | 0x80000
_MNT_DETACH = 2
_MOUNTS = "/run/fsgauge/"
"""Of root's runs; their names need no escapes."""
_LOOK_SECONDS = 0.02
_SHELL = "/bin/sh"
_LOOK_SHARE = 100
"""Looking takes at most one part in so many of the time, however many threads there are."""
_GRACE_SECONDS = 0.2
_PAUSE_SECONDS = 0.01
_KILL_SECONDS = 10.0
_PIECE_BYTES = 1 << 16


class Abandoned(Exception):
    """Standard input has ended: fsgauge is gone, or wants no more."""


class PrintsTooMuch(Exception):
    """A step prints more than is kept of it."""


@dataclass
class Looks:
    """How often threads were looked at, and how often they did nothing but wait for storage."""

    count: int = 0
    waiting: int = 0
    is_known: bool = True
    paused_seconds: float = 0.0
    """From each look to the next."""

    def look(self) -> float:
        """Once; gives the seconds until the next."""
        begin = time.monotonic()
        try:
            states = {state for pid in descendants() for state in _states(pid)}
        except OSError:
            self.is_known = False
            return _LOOK_SECONDS
        self.count += 1
        self.waiting += "D" in states and "R" not in states
        pause = max(_LOOK_SECONDS, _LOOK_SHARE * (time.monotonic() - begin))
        self.paused_seconds += pause
        return pause

    def add_waiting(self, waited_ns: int) -> None:
        """The looks of a time that was all spent waiting; a part of one by chance."""
        pause = max(_LOOK_SECONDS, self.paused_seconds / max(self.count, 1))
        more = int(waited_ns / (pause * 1e9) + random.random())  # noqa: S311
        self.count, self.waiting = self.count + more, self.waiting + more


def descendants() -> set[int]:
    """Processes below this one; OSError where the kernel does not list children."""
    found: set[int] = set()
    pending = [os.getpid()]
    while pending:
        for child in _children(pending.pop()):
            if child not in found:
                found.add(child)
                pending.append(child)
    return found


def _children(pid: int) -> Iterator[int]:
    for thread in _threads(pid):
        try:
            yield from map(int, Path(f"/proc/{pid}/task/{thread}/children").read_bytes().split())
        except (ProcessLookupError, FileNotFoundError):
            if pid == os.getpid():
                raise
            continue


def _threads(pid: int) -> list[str]:
    try:
        return os.listdir(f"/proc/{pid}/task")  # noqa: PTH208 - looked at often
    except (ProcessLookupError, FileNotFoundError):
        return []


def _states(pid: int) -> Iterator[str]:
    for thread in _threads(pid):
        with suppress(ProcessLookupError, FileNotFoundError):
            said = Path(f"/proc/{pid}/task/{thread}/stat").read_bytes()
            state = chr(said.rpartition(b") ")[2][0])
            if state == "D" and _waits_for_child(pid, thread):
                state = "S"
            yield state


def _waits_for_child(pid: int, thread: str) -> bool:
    """Whether it is in vfork(2), which waits as storage does until the child is a program."""
    try:
        return "clone" in Path(f"/proc/{pid}/task/{thread}/wchan").read_text()
    except OSError:
        return False


def _name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text(errors="replace").strip()
    except OSError:
        return "?"


def kill_all(spared: Set[int] = frozenset()) -> None:
    """Everything below this process but `spared`, and what it starts meanwhile."""
    until = time.monotonic() + _KILL_SECONDS
    while (alive := _alive(spared)) and time.monotonic() < until:
        for pid in alive:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(_PAUSE_SECONDS)


def _alive(spared: Set[int]) -> set[int]:
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    found = set()
    for pid in descendants() - spared:
        if set(_states(pid)) - {"Z", "X"}:
            found.add(pid)
    return found


def _left_behind(before: set[int]) -> list[str]:
    until = time.monotonic() + _GRACE_SECONDS
    while (alive := _alive(before)) and time.monotonic() < until:
        time.sleep(_PAUSE_SECONDS)
    names = sorted(_name(pid) for pid in alive)[:MOST_LEFT]
    kill_all(before)
    return names


def wait_for(
    process: subprocess.Popen[bytes],
    seconds: float,
    outputs: Mapping[int, Output],
    look: Callable[[], float] | None = None,
) -> tuple[int | None, resource.struct_rusage | None, int]:
    """Its exit code (None: ended by the limit), what it used, and the monotonic time of its end.
    Raises Abandoned when standard input ends meanwhile."""
    ends = time.monotonic() + seconds
    # The first look comes at a random moment, so that short programs are looked at as fairly.
    next_look = time.monotonic() + random.random() * _LOOK_SECONDS  # noqa: S311 - no secret
    pidfd = os.pidfd_open(process.pid)
    with selectors.DefaultSelector() as selector:
        for descriptor in (0, pidfd, *outputs):
            selector.register(descriptor, selectors.EVENT_READ)
        try:
            while True:
                now = time.monotonic()
                if now >= ends:
                    return None, None, time.monotonic_ns()
                if look is not None and now >= next_look:
                    next_look = time.monotonic() + look()
                pause = ends if look is None else min(ends, next_look)
                ready = {key.fd for key, _ in selector.select(max(0.0, pause - time.monotonic()))}
                if pidfd in ready:
                    ended_ns = time.monotonic_ns()
                    _, status, used = os.wait4(process.pid, 0)
                    process.returncode = os.waitstatus_to_exitcode(status)
                    return process.returncode, used, ended_ns
                for descriptor in ready & set(outputs):
                    if not (piece := os.read(descriptor, _PIECE_BYTES)):
                        selector.unregister(descriptor)
                    outputs[descriptor].add(piece)
                if 0 in ready and not os.read(0, 1):
                    raise Abandoned
        finally:
            os.close(pidfd)


def carry_out_steps(steps: list[str], folder: str, seconds: float) -> str | None:
    """Each in a shell; what failed and its last lines, or None. What they start stays."""
    for step in steps:
        # No pipe: a server that a step leaves would write into one that nothing reads.
        said = os.memfd_create("step")
        try:
            shell = [_SHELL, "-c", step]
            try:
                process = start(shell, stdout=said, stderr=said, folder=Path(folder))
            except OSError as error:
                return f"{step} could not start in {folder}: {error.strerror}"
            try:
                code, _, _ = wait_for(process, seconds, {}, partial(_require_few, said))
            except PrintsTooMuch:
                kill_all()
                how = f"{PRINTED_TOO_MUCH} {_MOST_STEP_BYTES >> 20} MiB"
            else:
                if code == 0:
                    continue
                how = "did not end in time" if code is None else f"ended with {how_it_ended(code)}"
            end = os.pread(said, _PIECE_BYTES, max(0, os.fstat(said).st_size - _PIECE_BYTES))
            lines = last_lines(end.decode(errors="replace"))
            return "\n".join([f"{step} {how}", *lines[-5:]])
        finally:
            os.close(said)
    return None


def _require_few(said: int) -> float:
    """PrintsTooMuch: what is said is kept in memory. Gives the seconds until the next look."""
    if os.fstat(said).st_size > _MOST_STEP_BYTES:
        raise PrintsTooMuch
    return _LOOK_SECONDS


def timed(order: dict[str, Any]) -> dict[str, Any]:
    """One program from its start to its end; what it leaves is killed before this returns."""
    # What is done for the first time takes milliseconds: a process is started, and looked at.
    with suppress(OSError):
        start([_SHELL, "-c", ":"], folder=Path(order["folder"])).wait()
    before, looks = descendants(), Looks()
    folder, (name, *arguments) = Path(order["folder"]), order["program"]
    outputs = Output(), Output()
    # Looked for before the clock starts, as a shell would have it in its table.
    program = str(folder / name) if os.sep in name else find_program(name)
    environment = child_environment()
    # Opened before, as a program may remove the folder that it was given; this process ends soon.
    held = None
    if order["written_back"]:
        try:
            held = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
        except OSError as error:
            return {"not_started": f"{name}: {error.strerror}"}
    began_ns = time.monotonic_ns()
    try:
        process = start(
            [program or name, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            environment=environment,
            folder=folder,
            has_session=True,
        )
    except OSError as error:
        return {"not_started": f"{name}: {error.strerror}"}
    assert process.stdout is not None and process.stderr is not None  # noqa: S101 - PIPE above
    pipes = (process.stdout.fileno(), process.stderr.fileno())
    by_pipe = dict(zip(pipes, outputs, strict=True))
    code, used, ended_ns = wait_for(process, order["seconds"], by_pipe, looks.look)
    if code is None:
        kill_all(before)
    for pipe, output in by_pipe.items():
        os.set_blocking(pipe, False)
        with suppress(BlockingIOError):
            for _ in range(2 * MOST_OUTPUT_BYTES // _PIECE_BYTES):
                if not (piece := os.read(pipe, _PIECE_BYTES)):
                    break
                output.add(piece)
    left = [] if code is None else _left_behind(before)
    not_written = 0
    if held is not None and code is not None:
        written_ns, not_written = _written_back(held)
        looks.add_waiting(written_ns)
        ended_ns += written_ns
    values, unread = read_numbers(order["numbers"], outputs[0].text, outputs[1].text)
    return {
        "exit_code": code,
        "not_written": not_written,
        "began_ns": began_ns,
        "elapsed_ns": ended_ns - began_ns,
        "user_ns": round(used.ru_utime * 1e9) if used else 0,
        "system_ns": round(used.ru_stime * 1e9) if used else 0,
        "peak_memory_bytes": used.ru_maxrss << 10 if used else 0,
        "looks": looks.count if looks.is_known else 0,
        "waiting": looks.waiting if looks.is_known else 0,
        "left": left,
        "values": values,
        "unread": unread,
        "output": outputs[0].last,
        "errors": outputs[1].last,
    }


def _written_back(descriptor: int) -> tuple[int, int]:
    """What writing back an open folder's file system takes, in ns; the error's number, or 0."""
    begin_ns = time.monotonic_ns()
    failed = LIBC.syncfs(descriptor) != 0
    return time.monotonic_ns() - begin_ns, ctypes.get_errno() if failed else 0


def main() -> None:
    LIBC.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    # What a program mounts is gone with this process; what fsgauge unmounts is gone here too.
    has_own_mounts = os.geteuid() == 0 and LIBC.unshare(_CLONE_NEWNS) == 0
    if has_own_mounts:
        LIBC.mount(None, b"/", None, ctypes.c_ulong(_MS_REC_SLAVE), None)
    for asked in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # The end of standard input says it. A handler, which programs do not inherit as SIG_IGN.
        signal.signal(asked, lambda *_: None)
    try:
        while line := _line():
            order = json.loads(line)
            if has_own_mounts:
                _let_go_of_others(order["folder"])
            answer: object
            try:
                if "steps" in order:
                    failed = carry_out_steps(order["steps"], order["folder"], order["seconds"])
                    answer = {"failed": failed}
                else:
                    answer = timed(order)
            except OSError as error:  # such as no memory for another process
                answer = {"refused": str(error)}
            os.write(1, json.dumps(answer).encode() + b"\n")
    except (Abandoned, BrokenPipeError):
        pass
    finally:
        kill_all()


def _let_go_of_others(folder: str) -> None:
    """Where mounts are private, what another run unmounts would stay mounted here, and its device
    busy: fsgauge's file systems that the folder is not on are let go of."""
    for line in Path("/proc/self/mountinfo").read_text("utf-8", "replace").splitlines():
        words = line.split(" ")
        point = words[4]
        is_kept = any(each.startswith("master:") for each in words[6 : words.index("-")])
        is_other = point.startswith(_MOUNTS) and not Path(folder).is_relative_to(point)
        if is_other and not is_kept:
            LIBC.umount2(os.fsencode(point), _MNT_DETACH)


def _line() -> bytes:
    """Read byte by byte: a buffer would hide from the selector what is there."""
    line = bytearray()
    while piece := os.read(0, 1):
        if piece == b"\n":
            return bytes(line)
        line += piece
    return b""


if __name__ == "__main__":
    main()
    sys.exit(0)
