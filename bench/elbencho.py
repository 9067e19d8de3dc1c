"""elbencho: in no package; where it matters, FSGAUGE_ELBENCHO names its binary.

https://github.com/breuner/elbencho
"""

from __future__ import annotations

import csv
import os
import shutil
import time
from pathlib import Path

from file_work import FILE_BYTES, RECORD_BYTES, FileWork, Pass, Took
from side_by_side import Skipped, expect
from tool import run_tool

VARIABLE = "FSGAUGE_ELBENCHO"
OPTIONS = {"write": ["--mkdirs", "--write"], "read": ["--read"]}


class Files:
    """Writes and reads files with a thread a client; keeps no latencies, as it does by itself."""

    name = "elbencho"
    own_time = True
    goal = 1.5
    passes: tuple[Pass, ...] = ("write", "read")

    def __init__(self, results: Path) -> None:
        named = os.environ.get(VARIABLE)
        if named is None:
            raise Skipped(f"{VARIABLE} names no elbencho; fio and fs_mark stand for it")
        path = shutil.which(named)
        if path is None:
            raise Skipped(f"{VARIABLE} names {named}, which cannot be run")
        self._path = path
        self._rows = results / "elbencho.csv"

    def run(self, what: Pass, work: FileWork) -> Took:
        """Run one pass; its own time begins when the directories are made."""
        self._rows.unlink(missing_ok=True)
        command = [self._path, *OPTIONS[what], "--nolive", f"--csvfile={self._rows}"]
        command += [f"--threads={work.clients}", "--dirs=1", f"--files={work.files_per_client}"]
        command += [f"--size={FILE_BYTES}", f"--block={RECORD_BYTES}", str(work.directory)]
        begin = time.perf_counter()
        finished = run_tool(command)
        wall_seconds = time.perf_counter() - begin
        with self._rows.open(newline="") as rows:
            (row,) = [row for row in csv.DictReader(rows) if row["operation"] == what.upper()]
        expect(int(row["entries [last]"]), work.files, f"files that elbencho {what}s")
        own_seconds = float(row["time ms [last]"]) / 1e3
        return Took(own_seconds, wall_seconds, finished.cpu_ns / 1e9, finished.peak_bytes)
