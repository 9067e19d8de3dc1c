"""The child that draws, as the pages see it: one for all charts of a process."""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import time
from typing import Any

from fsgauge.errors import escaped_below
from fsgauge.programs import Process, interpreter, start

_LONGEST_SECONDS = 60.0
_LARGEST_BYTES = 256 << 20
_PIECE_BYTES = 1 << 20
_MOST_CHILDREN = 3
"""After so many have ended by themselves, no further chart is tried."""


class NotDrawn(Exception):
    """There is no picture; `why` goes on from "the chart is missing: "."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


def svg_of(specification: dict[str, Any]) -> str:
    """The picture of a Vega-Lite specification; raises NotDrawn.

    Names in it are escaped: the library ends its process at what it cannot print.
    """
    question = json.dumps(escaped_below(specification)).encode() + b"\n"
    try:
        answer = _asked(question)
    except OSError as error:
        _end()
        raise NotDrawn(f"the program that draws cannot be used: {error.strerror}") from error
    found = json.loads(answer)
    if "svg" not in found:
        raise NotDrawn(" ".join(str(found["error"]).split()))
    return str(found["svg"])


_children: list[Process] = []


def _asked(question: bytes) -> bytes:
    child = _child()
    assert child.stdin is not None and child.stdout is not None  # noqa: S101 - pipes
    deadline = time.monotonic() + _LONGEST_SECONDS
    try:
        _send(child.stdin.fileno(), question, deadline)
        answer = _line(child.stdout.fileno(), deadline)
    except BrokenPipeError:
        answer = b""
    except BaseException:
        _end()
        raise
    if not answer.endswith(b"\n"):
        raise NotDrawn(_how_it_ended(child))
    return answer


def _child() -> Process:
    """The one that lives, or another in its place; raises NotDrawn and OSError."""
    if _children and _children[-1].poll() is None:
        return _children[-1]
    if len(_children) >= _MOST_CHILDREN:
        raise NotDrawn(f"the program that draws has ended {_MOST_CHILDREN} times before it")
    drawing = interpreter("fsgauge.report.drawing")
    child = start(drawing, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    _children.append(child)
    return child


def _send(descriptor: int, question: bytes, deadline: float) -> None:
    """As much as it takes until then: a child that has stopped reading answers nothing either."""
    os.set_blocking(descriptor, False)
    left = memoryview(question)
    with selectors.DefaultSelector() as selector:
        selector.register(descriptor, selectors.EVENT_WRITE)
        while left and selector.select(max(0.0, deadline - time.monotonic())):
            left = left[os.write(descriptor, left) :]


def _line(descriptor: int, deadline: float) -> bytes:
    """What it answers, with the line's end; without it where the child has ended."""
    found = bytearray()
    with selectors.DefaultSelector() as selector:
        selector.register(descriptor, selectors.EVENT_READ)
        while not found.endswith(b"\n") and len(found) < _LARGEST_BYTES:
            if not selector.select(max(0.0, deadline - time.monotonic())):
                break
            piece = os.read(descriptor, _PIECE_BYTES)
            if not piece:
                break
            found += piece
    return bytes(found)


def _how_it_ended(child: Process) -> str:
    try:
        code = child.wait(1.0)
    except subprocess.TimeoutExpired:
        _end()
        return f"the program that draws took longer than {_LONGEST_SECONDS:.0f} s"
    how = f"exit code {code}" if code >= 0 else f"signal {-code}"
    return f"the program that draws ended without a picture ({how})"


def _end() -> None:
    """Nothing is left of the one that was asked last."""
    if _children and _children[-1].poll() is None:
        _children[-1].kill()
        _children[-1].wait()
