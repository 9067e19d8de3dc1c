"""The first Ctrl-C (or SIGTERM, SIGHUP) ends the study; later ones do not cut clean-up short."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

from fsgauge.errors import FsgaugeError, Interrupted

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass
class _Asked:
    """What the main thread was asked: `by` a signal, which waits while something is `whole`."""

    by: Interrupted | None = None
    waits: bool = False
    whole: int = 0


_asked = _Asked()


@contextmanager
def interruptible() -> Iterator[None]:
    """Within, the first signal raises Interrupted in the main thread, and later ones only speak."""

    def handle(number: int, _frame: FrameType | None) -> None:
        if _asked.by is not None:
            sys.stderr.write("already stopping: undoing mounts and devices first\n")
            return
        _asked.by = Interrupted(f"ended by {signal.Signals(number).name}")
        if _asked.whole:
            _asked.waits = True
        else:
            raise _asked.by

    earlier, _asked.by = _asked.by, None
    before = {number: signal.signal(number, handle) for number in _SIGNALS}
    try:
        with unwrapped():
            yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        _asked.by = earlier


@contextmanager
def undisturbed() -> Iterator[None]:
    """Within, a signal waits: Interrupted is raised at the end. For what must be done as a whole,
    in a moment: a record and the line of the journal that says what it holds."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    _asked.whole += 1
    try:
        yield
    finally:
        _asked.whole -= 1
        if _asked.waits and not _asked.whole and _asked.by is not None:
            _asked.waits = False
            raise _asked.by


@contextmanager
def unwrapped() -> Iterator[None]:
    """Gives Interrupted also where a library made another error of it, as pydantic does while it
    writes JSON."""
    try:
        yield
    except FsgaugeError:
        raise
    except Exception as error:
        if _asked.by is None:
            raise
        raise _asked.by from error


def missed(error: BaseException | None) -> None:
    """Interrupted was raised where Python could not pass it on: `undisturbed` raises it again."""
    if error is not None and error is _asked.by:
        _asked.waits = True


class Ending:
    def __init__(self) -> None:
        self.asked = False
        self._tell: Callable[[], None] = lambda: None

    def on_stop(self, tell: Callable[[], None]) -> None:
        """What is called; at once if the user has asked already."""
        self._tell = tell
        if self.asked:
            tell()

    def ask(self) -> None:
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
