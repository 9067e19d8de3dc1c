"""The control pipe of an engine with a lease: its standard input, which stays open after the job.

The engine ends when the pipe is closed or silent. A thread here writes to it for as long as this
process runs, so an engine outlives neither a caller that was killed nor one that hangs.
"""

from __future__ import annotations

import json
import os
import threading
from contextlib import suppress
from typing import IO, Self

from fsgauge.engine.wire import Lease

_HOLDS_IN_A_LIMIT = 4


class ControlPipe:
    """Holds the lease within its context; orders are written by whoever has them."""

    def __init__(self, stream: IO[bytes], lease: Lease) -> None:
        self._stream = stream
        self._pause_seconds = lease.silence_limit_ns / 1e9 / _HOLDS_IN_A_LIMIT
        self._ended = threading.Event()
        self._writing = threading.Lock()
        self._thread = threading.Thread(target=self._hold, name="lease", daemon=True)

    def start(self, start_at_ns: int) -> None:
        """Have an armed job begin at this moment of the machine's monotonic clock."""
        self._write(json.dumps({"kind": "start", "start_at_ns": start_at_ns}).encode() + b"\n")

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _hold(self) -> None:
        while not self._ended.wait(self._pause_seconds):
            self._write(b"\n")

    def _write(self, line: bytes) -> None:
        """An engine that has ended says so on its own output; one that does not read has enough.

        The pipe does not block, and takes a line whole or not at all (pipe(7), PIPE_BUF).
        """
        with self._writing, suppress(BlockingIOError):
            try:
                os.write(self._stream.fileno(), line)
            except (BrokenPipeError, ValueError):
                self._ended.set()
