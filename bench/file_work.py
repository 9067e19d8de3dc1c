"""The work of clients with files: so many clients, a directory each, so many files in each.

Every tool writes the same files, and reads them again while they are cached: files of 64 KiB, in
records of 4 KiB, nothing synced. What a run left is counted before its times are believed.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from side_by_side import expect

FILE_BYTES = 64 << 10
RECORD_BYTES = 4 << 10

Pass = Literal["write", "read"]


@dataclass(frozen=True)
class FileWork:
    """Clients and their files, in an empty directory."""

    directory: Path
    clients: int
    files_per_client: int

    @property
    def files(self) -> int:
        """All files."""
        return self.clients * self.files_per_client

    @property
    def records(self) -> int:
        """Writes of all files, or reads."""
        return self.files * (FILE_BYTES // RECORD_BYTES)

    def expect_files(self) -> None:
        """End where not every file was left, or not whole."""
        left = 0
        for path in self.directory.rglob("*"):
            if path.is_file():
                expect(path.stat().st_size, FILE_BYTES, f"bytes are in {path}")
                left += 1
        expect(left, self.files, f"files in {self.directory}")

    def remove_files(self) -> None:
        """Empty the directory, and let its file system have done with it."""
        for entry in self.directory.iterdir():
            shutil.rmtree(entry)
        descriptor = os.open(self.directory, os.O_RDONLY)
        os.fsync(descriptor)
        os.close(descriptor)


@dataclass(frozen=True)
class Took:
    """What one pass through all files took."""

    own_seconds: float
    """By the tool's own clock: first client's start to last client's end."""
    wall_seconds: float
    """The whole tool, with its start-up and end."""
    cpu_seconds: float
    """Of all of its processes, user and system."""
    peak_bytes: int


class FileTool(Protocol):
    """A tool that can do this work."""

    name: str
    own_time: bool
    """Whether its own clock covers all clients."""
    goal: float
    """How many of its files a second are wanted; 1 where it costs hardly more than the kernel."""
    passes: tuple[Pass, ...]
    """What it can do, in the order of doing it."""

    def run(self, what: Pass, work: FileWork) -> Took:
        """Create, write and close every file; or open, read and close every file."""
