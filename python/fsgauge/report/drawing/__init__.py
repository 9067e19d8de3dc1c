"""Charts are drawn by a child interpreter (`__main__.py`), which may end: then a page lacks a
chart, and says why.

One child draws all charts of a process. It takes some 30 ms for a picture, and 25 times as long
to make ready.
"""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from fsgauge.errors import escaped_below
from fsgauge.programs import Process, interpreter, start

_LONGEST_SECONDS = 60.0
_LARGEST_BYTES = 256 << 20
_PIECE_BYTES = 1 << 20
_MOST_CHILDREN = 3
"""After so many have ended by themselves, no further chart is tried."""
__all__ = ["NotDrawn", "begin", "svgs_of"]


class NotDrawn(Exception):
    """There is no picture; `why` goes on from "the chart is missing: "."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


def svgs_of(specifications: Sequence[dict[str, Any]]) -> list[str]:
    """The pictures of Vega-Lite specifications; raises NotDrawn. Names in them are escaped: the
    library ends its process at what it cannot print."""
    questions = [_question(each) for each in specifications]
    try:
        answers = _asked(questions)
    except OSError as error:
        _end()
        raise NotDrawn(f"the program that draws cannot be used: {error.strerror}") from error
    found = [json.loads(answer) for answer in answers]
    for each in found:
        if "svg" not in each:
            raise NotDrawn(" ".join(str(each["error"]).split()))
    return [str(each["svg"]) for each in found]


def begin() -> None:
    """Start the child that will be asked: it makes ready while the charts are made."""
    with suppress(NotDrawn, OSError):
        _child()


def _question(specification: dict[str, Any]) -> bytes:
    text = json.dumps(specification, ensure_ascii=False)
    if "\\" in text or not text.isprintable():
        text = json.dumps(escaped_below(specification))
    return text.encode() + b"\n"


_children: list[Process] = []
"""All that were started, the newest last; those before it have ended."""


def _asked(questions: Sequence[bytes]) -> list[bytes]:
    """An answer to each. All are asked at once, and while it is written what has been answered is
    read: neither side waits for the other."""
    child, answers = _child(), bytearray()
    assert child.stdin is not None and child.stdout is not None  # noqa: S101 - pipes
    left, missing = memoryview(b"".join(questions)), len(questions)
    deadline = time.monotonic() + _LONGEST_SECONDS
    try:
        os.set_blocking(child.stdin.fileno(), False)
        with selectors.DefaultSelector() as selector:
            selector.register(child.stdin, selectors.EVENT_WRITE)
            selector.register(child.stdout, selectors.EVENT_READ)
            while missing > 0 and (ready := selector.select(max(0.0, deadline - time.monotonic()))):
                for key, event in ready:
                    if event == selectors.EVENT_WRITE:
                        left = _written(key.fd, left)
                        if not left:
                            selector.unregister(child.stdin)
                        continue
                    piece = os.read(key.fd, _PIECE_BYTES)
                    answers += piece
                    missing -= piece.count(b"\n")
                    if not piece or len(answers) >= _LARGEST_BYTES:
                        raise NotDrawn(_how_it_ended(child))
        if missing > 0:
            raise NotDrawn(_how_it_ended(child))
    except BaseException:
        _end()  # one that is late would answer the next question with this picture
        raise
    return bytes(answers).splitlines()


def _written(pipe: int, left: memoryview) -> memoryview:
    """What is left once a pipe has taken what it takes now; nothing where its reader has ended."""
    try:
        return left[os.write(pipe, left) :]
    except BrokenPipeError:
        return left[:0]


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
