"""The first Ctrl-C (or SIGTERM, SIGHUP) ends the study; later ones do not cut clean-up short."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
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
            sys.stderr.write("already ending: undoing mounts and devices first\n")
            return
        asked = True
        raise Interrupted(f"ended by {signal.Signals(number).name}")

    before = {number: signal.signal(number, handle) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
