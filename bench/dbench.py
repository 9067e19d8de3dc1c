"""dbench 5: in no package with its smb and nfs; FSGAUGE_DBENCH5 names its binary where it matters.

https://github.com/sahlberg/dbench (5.0, commit a8e1c0f). A client is a process, and does what a
load file says, line by line: here the same files as the engine's clients, written and read once.

Its rate is its own. It counts bytes and time from the end of its warm-up; the times in the load
files let every client begin its files at that moment, when all sessions are set up and all folders
made. It ends when the last client is through.
"""

from __future__ import annotations

import math
import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from file_work import RECORD_BYTES
from side_by_side import Failed, Skipped, expect
from study_work import StudyWork
from tool import run_tool

VARIABLE = "FSGAUGE_DBENCH5"
# Sessions that come faster than this wait in a queue that holds 50, and then for seconds.
SESSIONS_PER_SECOND = 120
# Its processes wait for ever for a server that is gone: all end with the first one, or in time.
TOGETHER = ["timeout", "--signal=KILL", "110", "unshare", "--pid", "--fork", "--kill-child"]
LAST_LINE = re.compile(r"^ *\d+ +(\d+) +[\d.]+ MB/sec  execute", re.MULTILINE)
THROUGHPUT = re.compile(r"^Throughput ([\d.e+]+) MB/sec", re.MULTILINE)


@dataclass(frozen=True)
class Done:
    """What a run came to."""

    megabytes_per_second: float
    """Written and read together, by its own clock."""
    cpu_us_of_line: float
    """User and system time of all of its processes, from first to last: setting up, and what it
    does while it waits, are in it."""


@dataclass(frozen=True)
class Calls:
    """How a backend of dbench calls what a client does with a file."""

    good: str
    """The status that every call must have."""
    folder: str
    write: tuple[str, str, str]
    """What makes a file, writes one record and ends the writing."""
    read: tuple[str, str, str]
    """What opens a file, reads one record and ends the reading. NFS has no close, but two calls for
    an open: the second stands at the end."""


SMB = Calls(
    good="SUCCESS",
    folder='MKDIR "{path}"',
    write=('OPEN "{path}" 0x1a', 'WRITE "{path}" {offset} {length}', 'CLOSE "{path}"'),
    read=('OPEN "{path}" 0x01', 'READ "{path}" {offset} {length}', 'CLOSE "{path}"'),
)
NFS = Calls(
    good="0x00000000",
    folder='MKDIR3 "{path}"',
    write=('CREATE3 "{path}"', 'WRITE3 "{path}" {offset} {length} 0', 'COMMIT3 "{path}"'),
    read=('LOOKUP3 "{path}"', 'READ3 "{path}" {offset} {length}', 'ACCESS3 "{path}"'),
)


def binary() -> str:
    """Find dbench 5."""
    named = os.environ.get(VARIABLE)
    if named is None:
        raise Skipped(f"{VARIABLE} names no dbench 5, the one with smb and nfs")
    path = shutil.which(named)
    if path is None:
        raise Skipped(f"{VARIABLE} names {named}, which cannot be run")
    return path


def run(calls: Calls, backend: list[str], work: StudyWork, folder: Path, inside: list[str]) -> Done:
    """Do the work once.

    `folder` is for load files; `inside` is what the command begins with to reach the server.
    """
    warm_up_seconds = math.ceil(work.clients / SESSIONS_PER_SECOND) + 1
    loads = []
    for client in range(work.clients):
        file = folder / f"{client}.load"
        file.write_text("\n".join(load(calls, work, client, warm_up_seconds)) + "\n")
        loads.append(str(file))
    command = [*inside, *TOGETHER, binary(), *backend, f"--loadfile={','.join(loads)}"]
    command += ["--run-once", "--skip-cleanup", f"--warmup={warm_up_seconds}"]
    command += ["--timelimit=100", str(work.clients)]
    try:
        finished = run_tool(command)
    finally:
        for path in loads:
            Path(path).unlink(missing_ok=True)
    lines = load_lines(work)
    cpu_us_of_line = finished.cpu_ns / 1e3 / (lines * work.clients)
    return Done(rate(finished.output, lines), cpu_us_of_line)


def load(calls: Calls, work: StudyWork, client: int, begin_seconds: int) -> Iterator[str]:
    """Give the lines of a client's load file; dbench makes client1 the client's own name."""
    here = "/clients/client1"

    def line(call: str, path: str, at_seconds: float | None = None, offset: int = 0) -> str:
        begin = "" if at_seconds is None else f"{at_seconds:.3f} "
        words = call.format(path=path, offset=offset, length=RECORD_BYTES)
        return f"{begin}{words} {calls.good}"

    yield line(calls.folder, here, client / SESSIONS_PER_SECOND)
    begin: float | None = begin_seconds
    for first, each, last in (calls.write, calls.read):
        for number, size_bytes in enumerate(work.files_of_client):
            path = f"{here}/f{number}"
            yield line(first, path, begin)
            begin = None
            for offset in range(0, size_bytes, RECORD_BYTES):
                yield line(each, path, offset=offset)
            yield line(last, path)


def load_lines(work: StudyWork) -> int:
    """Count the lines of a load file."""
    return 1 + 2 * (2 * len(work.files_of_client) + work.records // work.clients)


def rate(output: str, lines: int) -> float:
    """Read its MB/s; end where not every client did every line."""
    last = LAST_LINE.findall(output)
    found = THROUGHPUT.search(output)
    if not last or found is None:
        raise Failed(f"dbench reports no throughput\n{output[-2000:]}")
    expect(int(last[-1]), lines, "lines were done by each client of dbench")
    return float(found[1])
