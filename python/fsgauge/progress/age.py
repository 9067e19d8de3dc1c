"""How far ageing is, on standard error: one live line on a terminal, now and then a line elsewhere.

A stage that is over before anybody would wonder says nothing.
"""

from __future__ import annotations

import time
from typing import TextIO

from fsgauge.progress.audience import Audience
from fsgauge.progress.scan import progress_words as scan_words
from fsgauge.units import format_size
from fsgauge.wire import AgeProgress, Event, ScanProgress

_QUIET_SECONDS = 1.0
_LINE_SECONDS = 10.0
_CLEAR = "\r\x1b[K"


class AgeTeller:
    """Takes stages and the engine's events."""

    def __init__(self, stream: TextIO) -> None:
        self._audience = Audience(stream)
        self._live = stream.isatty()
        self._shown = False
        self._stage = ""
        self._begun = self._next = time.monotonic()

    def stage(self, words: str) -> None:
        """What begins now; on a terminal it is seen at once."""
        self._stage = words
        self._begun = time.monotonic()
        self._next = self._begun + (_QUIET_SECONDS if self._live else _LINE_SECONDS)
        if self._live:
            self._say(words)

    def event(self, event: Event) -> None:
        """Say how far it is, if it is time to."""
        now = time.monotonic()
        if now < self._next:
            return
        if isinstance(event, ScanProgress):
            words = scan_words(event, now - self._begun)
        elif isinstance(event, AgeProgress):
            words = progress_words(event)
        else:
            return
        self._say(f"{self._stage}: {words}")
        self._next = now if self._live else now + _LINE_SECONDS

    def stopping(self) -> None:
        """The user asked to end."""
        self.ended()
        self._audience.say("ending with what there is; Ctrl-C again gives it up\n")

    def ended(self) -> None:
        """Leave no half line."""
        if self._live and self._shown:
            self._audience.say(_CLEAR)
            self._shown = False

    def _say(self, words: str) -> None:
        self._audience.say(f"{_CLEAR}{words}" if self._live else f"{words}\n")
        self._shown = True


def progress_words(progress: AgeProgress) -> str:
    """Share, operations, bytes, what lives, what failed."""
    share = "" if progress.share is None else f"{100 * progress.share:.0f} %, "
    failed = f", {progress.failed:,} failed" if progress.failed else ""
    return (
        f"{share}{progress.operations:,} operations, {format_size(progress.written_bytes)} written,"
        f" {progress.live_files:,} files of {format_size(progress.live_bytes)}{failed},"
        f" {progress.elapsed_ns / 1e9:.0f} s"
    )
