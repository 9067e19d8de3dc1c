"""fs_mark: several at once, as one has 64 clients at most. https://github.com/josefbacik/fs_mark

A client is a process. Beside what it is told, each makes the file's directory again before each
file (one call of 19, which fails as the directory is there), and writes zeros from one buffer.
"""

from __future__ import annotations

import shlex
import shutil
import time
from pathlib import Path

from file_work import FILE_BYTES, RECORD_BYTES, FileWork, Pass, Took
from side_by_side import Skipped
from tool import run_tool

# MAX_THREADS of fs_mark.h is 64; 59 divides 590. A directory's name has at most 39 bytes there, so
# the names are relative.
CLIENTS_OF_ONE = 59


class Files:
    """Writes files: it cannot read them.

    Its files per second are a sum of rates of processes that did not run at the same time, so only
    the time of the whole tool is of use.
    """

    name = "fs_mark"
    own_time = False
    goal = 1.0
    passes: tuple[Pass, ...] = ("write",)

    def __init__(self, logs: Path) -> None:
        self._logs = logs

    def run(self, what: Pass, work: FileWork) -> Took:
        """Create, write and close; directories are there before."""
        del what
        if shutil.which("fs_mark") is None:
            raise Skipped("fs_mark is missing: apt-get install fsmark")
        commands = []
        for first in range(0, work.clients, CLIENTS_OF_ONE):
            folders = [
                f"c{client}" for client in range(first, min(first + CLIENTS_OF_ONE, work.clients))
            ]
            for folder in folders:
                (work.directory / folder).mkdir()
            words = ["fs_mark", "-t", str(len(folders)), "-n", str(work.files_per_client)]
            words += ["-s", str(FILE_BYTES), "-w", str(RECORD_BYTES), "-S", "0", "-k", "-L", "1"]
            words += [word for folder in folders for word in ("-d", folder)]
            words += ["-l", str(self._logs / f"fs_mark-{first}")]
            commands.append(f'{shlex.join(words)} & all="$all $!"')
        each_well = "for each in $all; do wait $each || exit 1; done"
        script = "\n".join([f"cd {shlex.quote(str(work.directory))}", *commands, each_well])
        begin = time.perf_counter()
        finished = run_tool(["sh", "-c", script])
        wall_seconds = time.perf_counter() - begin
        return Took(wall_seconds, wall_seconds, finished.cpu_ns / 1e9, finished.peak_bytes)
