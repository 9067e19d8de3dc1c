"""A stream whose reader may go away, as in `fsgauge run ... | head`: the study goes on."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TextIO


class Audience:
    """Says text to a stream until nobody listens any more."""

    def __init__(self, stream: TextIO) -> None:
        self._stream: TextIO | None = stream

    def say(self, text: str) -> None:
        """Write and flush; a broken pipe is the last thing that is tried."""
        if self._stream is None:
            return
        try:
            self._stream.write(text)
            self._stream.flush()
        except BrokenPipeError:
            # What is still buffered goes nowhere too, also when the interpreter ends.
            with Path(os.devnull).open("wb") as nowhere:
                os.dup2(nowhere.fileno(), self._stream.fileno())
            self._stream = None
