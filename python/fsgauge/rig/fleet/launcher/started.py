"""A host's process as a launcher started it: a child of the coordinator, held by its input."""

from __future__ import annotations

import os
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from typing import IO

from fsgauge.engine.process import how_it_ended
from fsgauge.programs import start
from fsgauge.rig.fleet.bootstrap import Bootstrap

_END_SECONDS = 20.0
_LAST_LINES = 3


class StartedHost:
    """A child whose standard input is the lease: once it is closed, the host's process ends."""

    def __init__(self, command: Sequence[str], bootstrap: Bootstrap) -> None:
        self._said: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed in `end`
        self._process = start(
            command,
            stdin=subprocess.PIPE,
            stderr=self._said,
            has_session=True,  # Ctrl-C is the coordinator's
        )
        line = bootstrap.model_dump_json().encode() + b"\n"
        threading.Thread(target=self._tell, args=(line,), daemon=True).start()

    @property
    def pid(self) -> int:
        """The child's process."""
        return self._process.pid

    def _tell(self, line: bytes) -> None:
        """In a thread: a pipe that no one reads would be waited for."""
        assert self._process.stdin is not None  # noqa: S101 - PIPE above
        try:
            self._process.stdin.write(line)
            self._process.stdin.flush()
        except OSError:
            return

    def why_ended(self) -> str | None:
        """Why it has ended, in its own words; None while it runs."""
        code = self._process.poll()
        if code is None:
            return None
        how = how_it_ended(code)
        said = self.last_words()
        return f"{said} ({how})" if said else f"its process ended ({how})"

    def last_words(self) -> str:
        """What it said last on its error output, in a line."""
        end = self._said.seek(0, os.SEEK_END)
        self._said.seek(max(0, end - 4000))
        lines = self._said.read().decode(errors="replace").strip().splitlines()
        return " ".join(line.strip() for line in lines[-_LAST_LINES:])[:400]

    def end(self, seconds: float = _END_SECONDS) -> bool:
        """Close its input and wait, then kill; whether it ended by itself."""
        gently = True
        if self._process.stdin is not None:
            try:
                self._process.stdin.close()
            except OSError:
                gently = False
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            gently = False
            self._process.kill()
            self._process.wait()
        self._said.close()
        return gently
