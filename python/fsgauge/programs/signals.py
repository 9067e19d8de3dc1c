"""Signals: deferred while something is undone, and SIGKILL for children whose parent dies.

Blocking signals is not enough to defer them: the kernel delivers to a thread of a library (numpy,
DuckDB) that blocks nothing, and Python runs the handler in the main thread.

The kernel forgets the parent-death signal of a process that changes its user. That needs a parent
that stays and takes it along (`unshare --pid --kill-child`).
"""

from __future__ import annotations

import ctypes
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

_ENDING_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Signals that come within are handled after it; tools that undo begin with them blocked."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING_SIGNALS)
    try:
        with handled_afterwards():
            yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def handled_afterwards() -> Iterator[None]:
    """Signals that come within are handled after it, and nothing is blocked.

    For a fork: Python drops what a handler raises while it prepares one (os.register_at_fork), and
    a Ctrl-C in that moment was lost.
    """
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
_PRCTL = ctypes.CDLL(None, use_errno=True).prctl
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
