"""A server that has imported fsgauge and forks for each command: real processes without a start.

    python -P tests/command_server.py DESCRIPTOR      a socket to take requests from

A request is a socket, over which come the command's words, folder and environment, with three
descriptors for its streams. The exit code goes back over it. When the one who asked closes it, the
command is killed. See commands.py.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import pkgutil
import runpy
import select
import signal
import socket
import sys
from contextlib import suppress

_LARGEST_BYTES = 1 << 20
_SLOW_TO_IMPORT = (
    "altair",
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


def _serve(requests: socket.socket) -> None:
    """Returns in the process of a command, with its words, folder, environment and streams."""
    while True:
        _reap()
        ready, descriptors, _, _ = socket.recv_fds(requests, 1, 1)
        if not ready:
            os._exit(0)
        with socket.socket(fileno=descriptors[0]) as asker:
            if os.fork() == 0:
                requests.close()
                if _attend(asker):
                    return
                os._exit(0)


def _reap() -> None:
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _attend(asker: socket.socket) -> bool:
    """True in the process of the command; False in the one that waited for it."""
    content, streams, _, _ = socket.recv_fds(asker, _LARGEST_BYTES, 3)
    while not content.endswith(b"\n"):
        piece = asker.recv(_LARGEST_BYTES)
        if not piece:
            return False
        content += piece
    request = json.loads(content)
    command = os.fork()
    if command == 0:
        asker.close()
        _become(request, streams)
        return True
    for stream in streams:
        os.close(stream)
    ended = os.pidfd_open(command)
    ready, _, _ = select.select([ended, asker], [], [])
    if ended not in ready:
        os.kill(command, signal.SIGKILL)
    _, status = os.waitpid(command, 0)
    with suppress(OSError):  # nobody waits for it any more
        asker.sendall(str(os.waitstatus_to_exitcode(status)).encode())
    return False


def _become(request: dict[str, object], streams: list[int]) -> None:
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    environment, words = request["environment"], request["words"]
    assert isinstance(environment, dict) and isinstance(words, list)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(str(request["folder"]))
    sys.argv = ["fsgauge", *words]
    sys.stdin = sys.__stdin__ = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stdout = sys.__stdout__ = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = sys.__stderr__ = open(  # noqa: SIM115
        2, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False
    )


if __name__ == "__main__":
    _import_all()
    gc.freeze()
    _serve(socket.socket(fileno=int(sys.argv[1])))
    # As `python -m fsgauge` would: at the top level, so that it ends as an interpreter does.
    runpy.run_module("fsgauge", run_name="__main__", alter_sys=True)
