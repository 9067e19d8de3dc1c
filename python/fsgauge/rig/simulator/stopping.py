"""An engine that is asked to stop after so long: what is tried has a bound."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer


@contextmanager
def stopped_after(seconds: float) -> Iterator[Callable[[Callable[[], None]], None]]:
    """Gives what an engine is started with to be asked to stop after so long."""
    timers: list[Timer] = []

    def start(stop: Callable[[], None]) -> None:
        timer = Timer(seconds, stop)
        timer.daemon = True
        timer.start()
        timers.append(timer)

    try:
        yield start
    finally:
        for timer in timers:
            timer.cancel()
