"""The first Ctrl-C (or SIGTERM, SIGHUP) ends the study; later ones do not cut clean-up short."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from fsgauge.errors import Interrupted

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def interruptible() -> Iterator[None]:
    """Within, the first signal raises Interrupted in the main thread, and later ones only speak."""
    asked = False

    def handle(number: int, _frame: FrameType | None) -> None:
        nonlocal asked
        if asked:
            sys.stderr.write("already stopping: undoing mounts and devices first\n")
            return
        asked = True
        raise Interrupted(f"ended by {signal.Signals(number).name}")

    before = {number: signal.signal(number, handle) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class Ending:
    """Whether the user asked to stop, and what is called then."""

    def __init__(self) -> None:
        self.asked = False
        self._tell: Callable[[], None] = lambda: None

    def on_stop(self, tell: Callable[[], None]) -> None:
        """What is called; at once if the user has asked already."""
        self._tell = tell
        if self.asked:
            tell()

    def ask(self) -> None:
        """The user asks to stop."""
        self.asked = True
        self._tell()


@contextmanager
def ending_gently() -> Iterator[Ending]:
    """Within, the first signal asks to stop and keep the result; the second ends at once."""
    ending = Ending()

    def handle(number: int, _frame: FrameType | None) -> None:
        if ending.asked:
            raise Interrupted(f"ended by {signal.Signals(number).name}, twice: nothing is kept")
        ending.ask()

    before = {number: signal.signal(number, handle) for number in _SIGNALS}
    try:
        yield ending
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
