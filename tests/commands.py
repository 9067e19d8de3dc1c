"""`fsgauge` as a process of its own, without the start of an interpreter: see command_server.py.

An interpreter takes a second of processor time to import what a command needs, and the tests run
thousands. Those that are about the start itself, streams, limits or signals start one.

With FSGAUGE_TEST_BLANK_PICTURES in its environment a command's pictures are empty: to draw them is
half of a report's work. Those that start an interpreter, and those of tests/rigs, draw.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from tests.hints import broken, hints_of

_SERVER = Path(__file__).with_name("command_server.py")
_OF_THE_START = ("PYTHON", "LC_", "LANG", "DASK_")
"""Variables that are read when an interpreter begins, or when dask is imported."""


def fsgauge(
    *words: str, folder: Path, environment: Mapping[str, str], seconds: float
) -> subprocess.CompletedProcess[str]:
    """Run a command and wait; raises TimeoutExpired as subprocess.run does."""
    if _differs_at_the_start(environment):
        stdin = subprocess.DEVNULL
        return interpreted(*words, seconds=seconds, cwd=folder, env=environment, stdin=stdin)
    with (
        Path(os.devnull).open("rb") as nothing,
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as err,
    ):
        streams = (nothing.fileno(), out.fileno(), err.fileno())
        code = exit_code(words, folder, environment, streams, seconds)
        texts = [_text(stream.fileno()) for stream in (out, err)]
    wrong = [found for text in texts for hint in hints_of(text) if (found := broken(hint))]
    assert not wrong, f"a hint names what is not there: {wrong} in {texts}"
    return subprocess.CompletedProcess(["fsgauge", *words], code, *texts)


def interpreted(
    *words: str, seconds: float = 580, **options: Any
) -> subprocess.CompletedProcess[str]:
    """The same in an interpreter of its own; `options` are those of subprocess.run."""
    command = [sys.executable, "-m", "fsgauge", *words]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=seconds, check=False, **options
    )


def _differs_at_the_start(environment: Mapping[str, str]) -> bool:
    names = {name for name in {*environment, *os.environ} if name.startswith(_OF_THE_START)}
    return any(environment.get(name) != os.environ.get(name) for name in names)


def exit_code(
    words: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    streams: tuple[int, int, int],
    seconds: float,
) -> int:
    """The same with descriptors as its standard streams."""
    request = {"words": list(words), "folder": str(folder), "environment": dict(environment)}
    content = json.dumps(request).encode() + b"\n"
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            socket.send_fds(_server(), [b"r"], [theirs.fileno()])
        socket.send_fds(ours, [content[:1]], streams)
        ours.sendall(content[1:])
        ours.settimeout(seconds)
        try:
            answer = ours.recv(16)
        except TimeoutError:
            raise subprocess.TimeoutExpired(words, seconds) from None
    if not answer:
        raise RuntimeError("the server of commands has ended")
    return int(answer)


@cache
def _server() -> socket.socket:
    """One for each process of tests; it ends with it, for then its socket is closed."""
    ours, theirs = socket.socketpair()
    with theirs:
        subprocess.Popen(
            [sys.executable, "-P", str(_SERVER), str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},  # what forks has one thread
            stdin=subprocess.DEVNULL,
        )
    return ours


def _text(descriptor: int) -> str:
    os.lseek(descriptor, 0, os.SEEK_SET)
    with open(descriptor, "rb", closefd=False) as content:
        return content.read().decode().replace("\r\n", "\n").replace("\r", "\n")
