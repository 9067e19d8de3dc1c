"""How far a scan is, on standard error: one live line on a terminal, now and then a line elsewhere.

A scan that is over before anybody would wonder says nothing.
"""

from __future__ import annotations

import time
from typing import TextIO

from fsgauge.progress.audience import Audience
from fsgauge.wire import Event, ScanProgress

_QUIET_SECONDS = 1.0
_LINE_SECONDS = 10.0
_CLEAR = "\r\x1b[K"


class ScanTeller:
    """Takes the engine's events."""

    def __init__(self, stream: TextIO) -> None:
        self._audience = Audience(stream)
        self._live = stream.isatty()
        self._begun = time.monotonic()
        self._next = self._begun + (_QUIET_SECONDS if self._live else _LINE_SECONDS)
        self._shown = False

    def event(self, event: Event) -> None:
        """Say how far it is, if it is time to."""
        now = time.monotonic()
        if not isinstance(event, ScanProgress) or now < self._next:
            return
        words = progress_words(event, now - self._begun)
        self._audience.say(f"{_CLEAR}{words}" if self._live else f"{words}\n")
        self._shown = True
        self._next = now if self._live else now + _LINE_SECONDS

    def stopping(self) -> None:
        """The user asked to end."""
        start = _CLEAR if self._live and self._shown else ""
        self._audience.say(f"{start}ending with what there is; Ctrl-C again gives it up\n")

    def ended(self) -> None:
        """Leave no half line."""
        if self._live and self._shown:
            self._audience.say(_CLEAR)


def progress_words(progress: ScanProgress, seconds: float) -> str:
    """Files, of how many where that is known, extents, and for how long."""
    of = f" of {progress.of_files:,}" if progress.of_files else ""
    return f"{progress.files:,}{of} files, {progress.extents:,} extents, {seconds:.0f} s"
