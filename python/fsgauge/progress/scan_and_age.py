"""Progress of a scan or of ageing on standard error: a live line on a terminal, else plain lines.
What is over within a second prints nothing."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from fsgauge.engine.wire import AgeProgress, Event, ScanProgress
from fsgauge.errors import escaped
from fsgauge.programs.interruption import Ending, ending_gently
from fsgauge.programs.streams import display
from fsgauge.progress.lines import Audience
from fsgauge.units import format_size

_QUIET_SECONDS = 1.0
_LINE_SECONDS = 10.0
_CLEAR = "\r\x1b[K"


class StageProgress:
    """Takes stages, if there are several, and the engine's events; knows whether Ctrl-C came."""

    def __init__(self, stream: TextIO, ending: Ending | None = None) -> None:
        self._ending = ending or Ending()
        self._audience = Audience(display(stream))
        self._live = stream.isatty()
        self._shown = False
        self._stage = ""
        self._begun = self._next = 0.0
        self.quiet_seconds = _QUIET_SECONDS if self._live else _LINE_SECONDS
        self._begin()

    def stage(self, words: str) -> None:
        """What begins now; on a terminal it is shown at once."""
        self._stage = f"{words}: "
        self._begin()
        if self._live:
            self.say(words)

    def event(self, event: Event) -> None:
        """Show the progress, at most every ten seconds where it is not a terminal."""
        now = time.monotonic()
        if now < self._next:
            return
        if isinstance(event, ScanProgress):
            words = scan_words(event, now - self._begun)
        elif isinstance(event, AgeProgress):
            words = age_words(event)
        else:
            return
        self.say(self._stage + words)
        self._next = now if self._live else now + _LINE_SECONDS

    @property
    def asked(self) -> bool:
        return self._ending.asked

    def stoppable(self, stop: Callable[[], None]) -> None:
        """The next Ctrl-C stops the job that begins now; its result so far is kept."""

        def tell() -> None:
            self.ended()
            self._audience.say("stopping and keeping the result; Ctrl-C again discards it\n")
            stop()

        self._ending.on_stop(tell)

    def ended(self) -> None:
        if self._live and self._shown:
            self._audience.say(_CLEAR)
            self._shown = False

    def _begin(self) -> None:
        self._begun = time.monotonic()
        self._next = self._begun + self.quiet_seconds

    def say(self, words: str) -> None:
        words = escaped(words)
        self._audience.say(f"{_CLEAR}{words}" if self._live else f"{words}\n")
        self._shown = True


@contextmanager
def stages() -> Iterator[StageProgress]:
    """Progress on standard error; the first Ctrl-C stops the job and keeps its result."""
    with ending_gently() as ending:
        progress = StageProgress(sys.stderr, ending)
        try:
            yield progress
        finally:
            progress.ended()


@contextmanager
def step(words: str, stream: TextIO | None = None) -> Iterator[None]:
    """Work without events: its words after a second on a terminal, else after ten, as a line."""
    progress = StageProgress(sys.stderr if stream is None else stream)
    timer = threading.Timer(progress.quiet_seconds, progress.say, [words])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        progress.ended()


def scan_words(progress: ScanProgress, seconds: float) -> str:
    if progress.stage == "free_space":
        return f"free space, {seconds:.0f} s"
    if progress.stage == "names":
        return f"{progress.files:,} files read, looking for names, {seconds:.0f} s"
    of = f" of {progress.of_files:,}" if progress.of_files else ""
    return f"{progress.files:,}{of} files, {progress.extents:,} extents, {seconds:.0f} s"


def age_words(progress: AgeProgress) -> str:
    share = "" if progress.share is None else f"{100 * progress.share:.0f} %, "
    failed = f", {progress.failed:,} failed" if progress.failed else ""
    return (
        f"{share}{progress.operations:,} operations, {format_size(progress.written_bytes)} written,"
        f" {progress.live_files:,} files of {format_size(progress.live_bytes)}{failed},"
        f" {progress.elapsed_ns / 1e9:.0f} s"
    )
