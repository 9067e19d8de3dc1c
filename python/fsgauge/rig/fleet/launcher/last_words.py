"""The end of what hosts say on their error output, however much they say.

One thread reads for all hosts: none of them waits for a reader, and nothing is written here.
"""

from __future__ import annotations

import os
import selectors
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

_KEPT_BYTES = 4000
_PIECE_BYTES = 1 << 16
_TICK_SECONDS = 0.5
_END_SECONDS = 0.5
"""What a process that has ended said last is read by then."""


class LastWords:
    """Of one process."""

    def __init__(self) -> None:
        self._kept = b""
        self._ended = threading.Event()

    @contextmanager
    def writing(self) -> Iterator[int]:
        """The end of a pipe that a child is given; it is closed here with the context."""
        reading, writing = os.pipe2(os.O_CLOEXEC)
        _reader().register(reading, selectors.EVENT_READ, self)
        try:
            yield writing
        finally:
            os.close(writing)

    def hear(self, descriptor: int) -> bool:
        """Take what has come; whether there may be more."""
        piece = os.read(descriptor, _PIECE_BYTES)
        self._kept = (self._kept + piece)[-_KEPT_BYTES:]
        if not piece:
            self._ended.set()
        return bool(piece)

    def wait(self) -> None:
        """Until the last word, for a moment: what the process started may hold the pipe open."""
        self._ended.wait(_END_SECONDS)

    @property
    def text(self) -> str:
        return self._kept.decode(errors="replace")


@cache
def _reader() -> selectors.BaseSelector:
    selector = selectors.EpollSelector()
    threading.Thread(target=_read, args=(selector,), name="last words", daemon=True).start()
    return selector


def _read(selector: selectors.BaseSelector) -> None:
    while True:
        for key, _ in selector.select(_TICK_SECONDS):
            if not key.data.hear(key.fd):
                selector.unregister(key.fd)
                os.close(key.fd)
