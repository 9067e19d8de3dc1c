"""A loop in C with the calls of clients that write files, in one of two orders."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Literal

from file_work import FileWork, Pass, Took
from tool import run_tool

Order = Literal["turns", "files"]


class Files:
    """Writes files with one thread: a call of each client in turns, or one file after the other."""

    own_time = False
    goal = 1.0
    passes: tuple[Pass, ...] = ("write",)

    def __init__(self, program: Path, order: Order) -> None:
        self._program, self._order = program, order
        self.name = f"plain loop in C, {order}"

    def run(self, what: Pass, work: FileWork) -> Took:
        """Make the directories, then create, write and close every file."""
        del what
        sizes = [str(work.clients), str(work.files_per_client)]
        begin = time.perf_counter()
        finished = run_tool([str(self._program), self._order, str(work.directory), *sizes])
        wall_seconds = time.perf_counter() - begin
        return Took(wall_seconds, wall_seconds, finished.cpu_ns / 1e9, finished.peak_bytes)
