"""The children that draw, as the pages see them: two for all charts of a process.

A chart is drawn wide and narrow. Each form has a child of its own, so that two processors draw.
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
_FORMS = 2
_MOST_CHILDREN = 3
"""After so many have ended by themselves, no further chart is tried."""


class NotDrawn(Exception):
    """There is no picture; `why` goes on from "the chart is missing: "."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


def svgs_of(specifications: Sequence[dict[str, Any]]) -> list[str]:
    """The pictures of Vega-Lite specifications, each drawn by a child of its own; raises NotDrawn.

    Names in them are escaped: the library ends its process at what it cannot print.
    """
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
    """Start the children that will be asked: they make ready while the charts are made."""
    with suppress(NotDrawn, OSError):
        for lane in range(_FORMS):
            _child(lane)


def _question(specification: dict[str, Any]) -> bytes:
    text = json.dumps(specification, ensure_ascii=False)
    if "\\" in text or not text.isprintable():
        text = json.dumps(escaped_below(specification))
    return text.encode() + b"\n"


_children: dict[int, list[Process]] = {}
"""Those of each form, of which the last may live."""


def _asked(questions: Sequence[bytes]) -> list[bytes]:
    """The answers, with a line's end each. All are asked at once, in steps: neither writing to one
    that does not read nor waiting for one keeps the others from their work."""
    children = [_child(lane) for lane in range(len(questions))]
    answers = [bytearray() for _ in questions]
    deadline = time.monotonic() + _LONGEST_SECONDS
    try:
        with selectors.DefaultSelector() as selector:
            for child, question, answer in zip(children, questions, answers, strict=True):
                assert child.stdin is not None and child.stdout is not None  # noqa: S101 - pipes
                os.set_blocking(child.stdin.fileno(), False)
                selector.register(child.stdin, selectors.EVENT_WRITE, memoryview(question))
                selector.register(child.stdout, selectors.EVENT_READ, answer)
            while selector.get_map():
                ready = selector.select(max(0.0, deadline - time.monotonic()))
                if not ready:
                    break
                for key, event in ready:
                    _step(selector, key, event)
    except BaseException:
        _end()
        raise
    lost = [c for c, a in zip(children, answers, strict=True) if not a.endswith(b"\n")]
    if lost:
        why = _how_it_ended(lost[0])
        _end()  # one that is late would answer the next question with this picture
        raise NotDrawn(why)
    return [bytes(answer) for answer in answers]


def _step(selector: selectors.BaseSelector, key: selectors.SelectorKey, event: int) -> None:
    """As much as one pipe takes or gives; it is left alone once all is said, or its child ended."""
    if event == selectors.EVENT_WRITE:
        try:
            left = key.data[os.write(key.fd, key.data) :]
        except BrokenPipeError:
            left = b""
        if left:
            selector.modify(key.fileobj, selectors.EVENT_WRITE, left)
        else:
            selector.unregister(key.fileobj)
        return
    piece = os.read(key.fd, _PIECE_BYTES)
    key.data.extend(piece)
    if not piece or piece.endswith(b"\n") or len(key.data) >= _LARGEST_BYTES:
        selector.unregister(key.fileobj)


def _child(lane: int) -> Process:
    """The one that lives, or another in its place; raises NotDrawn and OSError."""
    children = _children.setdefault(lane, [])
    if children and children[-1].poll() is None:
        return children[-1]
    if len(children) >= _MOST_CHILDREN:
        raise NotDrawn(f"the program that draws has ended {_MOST_CHILDREN} times before it")
    drawing = interpreter("fsgauge.report.drawing")
    child = start(drawing, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    children.append(child)
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
    """Nothing is left of those that were asked last."""
    for children in _children.values():
        if children and children[-1].poll() is None:
            children[-1].kill()
            children[-1].wait()
