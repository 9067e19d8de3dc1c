"""A server that has imported fsgauge and forks for each command: real processes without a start.

Charts are drawn for all of them by one child (drawing_server.py), or left blank: see commands.py.

    python -P tests/command_server.py DESCRIPTOR      a socket to take requests from

A request is a socket, over which come the command's words, folder and environment, with three
descriptors for its streams. The exit code goes back over it. When the one who asked closes it, the
command is killed. See commands.py.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import pkgutil
import runpy
import select
import signal
import socket
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Sized
from contextlib import suppress
from pathlib import Path

BLANK_PICTURES = "FSGAUGE_TEST_BLANK_PICTURES"
_LARGEST_BYTES = 1 << 20
_SLOW_TO_IMPORT = (
    "distributed",
    "duckdb",
    "scipy.optimize",
    "scipy.special",
    "scipy.stats",
)


def _import_all() -> None:
    import fsgauge

    for name in _SLOW_TO_IMPORT:
        importlib.import_module(name)
    for module in pkgutil.walk_packages(fsgauge.__path__, "fsgauge."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)


class _Lent:
    """The common child that draws, as fsgauge.report.drawing sees its own."""

    def __init__(self, drawing: socket.socket) -> None:
        self._ours, theirs = socket.socketpair()
        with theirs:
            socket.send_fds(drawing, [b"d"], [theirs.fileno()])
        with self._ours.dup() as asking:  # a descriptor for each, as pipes have
            self.stdin = asking.makefile("wb")
        self.stdout = self._ours.makefile("rb")

    def poll(self) -> None:
        """It lives."""

    def wait(self, timeout: float | None = None) -> int:
        return 0

    def kill(self) -> None:
        self._ours.shutdown(socket.SHUT_RDWR)


def _lend_what_draws() -> None:
    """For all commands: its start takes longer than most of them."""
    from fsgauge.report import drawing

    ours, theirs = socket.socketpair()
    program = Path(__file__).with_name("drawing_server.py")
    with theirs:
        words = [sys.executable, "-P", str(program), str(theirs.fileno())]
        subprocess.Popen(words, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL)
    drawing.start = lambda *_, **__: _Lent(ours)  # type: ignore[assignment]


def _blank_pictures(builds: Sized) -> list[str]:
    """In place of those that fsgauge.report.draw makes and draws."""
    blank = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" viewBox="0 0 9 9"></svg>'
    return [blank] * len(builds)


def leave_pictures_blank(put: Callable[[object, str, object], None] = setattr) -> None:
    from fsgauge.report import draw, drawing

    put(draw, "_render", _blank_pictures)
    put(drawing, "begin", lambda: None)


def _serve(requests: socket.socket) -> None:
    """Returns in the process of a command, with its words, folder, environment and streams."""
    commands: dict[int, tuple[int, socket.socket]] = {}
    """The process id and the asker of each command, by its pidfd."""
    while True:
        askers = {asker.fileno(): ended for ended, (_, asker) in commands.items()}
        ready, _, _ = select.select([requests, *commands, *askers], [], [])
        for descriptor in ready:
            if descriptor in commands:
                _say_how_it_ended(descriptor, *commands.pop(descriptor))
            elif (ended := askers.get(descriptor)) in commands:  # it waits no longer
                signal.pidfd_send_signal(ended, signal.SIGKILL)
                _say_how_it_ended(ended, *commands.pop(ended))
        if requests not in ready:
            continue
        word, descriptors, _, _ = socket.recv_fds(requests, 1, 1)
        if not word:
            os._exit(0)
        asker = socket.socket(fileno=descriptors[0])
        if (command := _begun(asker)) == 0:
            requests.close()
            for ended, (_, other) in commands.items():
                os.close(ended)
                other.close()
            return
        commands[os.pidfd_open(command)] = (command, asker)


def _begun(asker: socket.socket) -> int:
    """The process id of the command that is asked for; 0 in the command itself."""
    content, streams, _, _ = socket.recv_fds(asker, _LARGEST_BYTES, 3)
    while not content.endswith(b"\n") and (piece := asker.recv(_LARGEST_BYTES)):
        content += piece
    command = os.fork()
    if command == 0:
        asker.close()
        _become(json.loads(content), streams)
    else:
        for stream in streams:
            os.close(stream)
    return command


def _say_how_it_ended(ended: int, command: int, asker: socket.socket) -> None:
    _, status = os.waitpid(command, 0)
    os.close(ended)
    with asker, suppress(OSError):  # nobody waits for it any more
        asker.sendall(str(os.waitstatus_to_exitcode(status)).encode())


def _become(request: dict[str, object], streams: list[int]) -> None:
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    environment, words = request["environment"], request["words"]
    assert isinstance(environment, dict) and isinstance(words, list)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(str(request["folder"]))
    if BLANK_PICTURES in environment:
        leave_pictures_blank()
    sys.argv = ["fsgauge", *words]
    sys.stdin = sys.__stdin__ = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stdout = sys.__stdout__ = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = sys.__stderr__ = open(  # noqa: SIM115
        2, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False
    )


def _end(code: object) -> None:
    """As an interpreter ends, but for its modules: to take them down costs more than a command."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    if code is not None and not isinstance(code, int):
        print(code, file=sys.stderr)
        code = 1
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(int(code or 0) & 0xFF)


if __name__ == "__main__":
    _import_all()
    _lend_what_draws()
    gc.freeze()
    _serve(socket.socket(fileno=int(sys.argv[1])))
    try:
        runpy.run_module("fsgauge", run_name="__main__", alter_sys=True)
    except SystemExit as end:
        _end(end.code)
    except BaseException:
        traceback.print_exc()
        _end(1)
    _end(0)
