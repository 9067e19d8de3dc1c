"""Whether anybody wrote to a device through its node within a context (inotify(7)).

The kernel's own users, a file system that is mounted, go past the node and are not seen.
"""

from __future__ import annotations

import ctypes
import os
from types import TracebackType
from typing import Self

_MODIFIED, _CLOSED_AFTER_WRITING = 0x2, 0x8
_LONGEST_BYTES = 1 << 16
_LIBC = ctypes.CDLL(None, use_errno=True)


class WrittenThroughNode:
    """Watches from the start of the context; `descriptor` is an open one of the device."""

    def __init__(self, descriptor: int) -> None:
        self._node = f"/proc/self/fd/{descriptor}".encode()
        self._events = -1

    def __enter__(self) -> Self:
        self._events = _LIBC.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self._events < 0:
            raise _failed()
        wanted = _MODIFIED | _CLOSED_AFTER_WRITING
        if _LIBC.inotify_add_watch(self._events, self._node, wanted) < 0:
            error = _failed()
            os.close(self._events)
            raise error
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        os.close(self._events)

    def seen(self) -> list[str]:
        """In words, or empty."""
        try:
            os.read(self._events, _LONGEST_BYTES)
        except BlockingIOError:
            return []
        return ["a program had it open for writing"]


def _failed() -> OSError:
    number = ctypes.get_errno()
    return OSError(number, os.strerror(number), "inotify")
