"""The journal: one line of JSON a step, appended and on disk before the next step begins.

Its file is also the folder's lock: who holds the journal writes the folder, one process at a time.
A line that a crash cut short stays as it is, ends with the next one's beginning, and is skipped.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from pathlib import Path

from fsgauge.errors import RigError
from fsgauge.store.files import cannot_write

NAME = "journal.ndjson"


class Journal:
    """The open, locked journal of a folder."""

    def __init__(self, directory: Path) -> None:
        """Open and lock; raises RigError where another process holds it or none can be made."""
        self._path = directory / NAME
        try:
            self._descriptor = os.open(self._path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
        except OSError as error:
            raise cannot_write(self._path, error) from error
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(self._descriptor)
            raise RigError(
                f"{directory} is in use by another fsgauge",
                cause="its study is running, or being resumed, at this moment",
                next=f"fuser -v {self._path}",
            ) from error
        self._torn = self._ends_torn()

    def append(self, event: str, **facts: object) -> None:
        """Add a line and have it on disk before returning; raises RigError."""
        line = json.dumps({"unix_ns": time.time_ns(), "event": event, **facts}) + "\n"
        pending = (("\n" if self._torn else "") + line).encode()
        self._torn = True
        try:
            while pending:
                pending = pending[os.write(self._descriptor, pending) :]
            os.fsync(self._descriptor)
        except OSError as error:
            raise cannot_write(self._path, error) from error
        self._torn = False

    def close(self) -> None:
        """Let the folder go."""
        os.close(self._descriptor)

    def _ends_torn(self) -> bool:
        size = os.fstat(self._descriptor).st_size
        return size > 0 and os.pread(self._descriptor, 1, size - 1) != b"\n"


def read_journal(directory: Path) -> list[dict[str, object]]:
    """Every whole line, in order; lines that a crash cut short are left out."""
    try:
        lines = (directory / NAME).read_bytes().split(b"\n")
    except OSError:
        return []
    return [document for line in lines if (document := _document(line)) is not None]


def _document(line: bytes) -> dict[str, object] | None:
    try:
        document = json.loads(line)
    except ValueError:
        return None
    return document if isinstance(document, dict) else None
