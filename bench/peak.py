"""The most memory that one process had, without that of the bench which started it.

What `wait4` tells contains the starter's own: on exec the kernel adds the old memory's peak to the
process's (fs/exec.c: exec_mmap, setmax_mm_hiwater_rss). VmHWM is of the new memory alone, so it is
read while the process runs.
"""

from __future__ import annotations

import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from side_by_side import Failed
from tool import LIMIT_SECONDS

BETWEEN_LOOKS_SECONDS = 0.001


@dataclass(frozen=True)
class Watched:
    """A process that ended well; what it took in its last millisecond was not seen."""

    output: str
    peak_bytes: int


def run_watched(command: list[str], text: str) -> Watched:
    """Run a command with `text` on standard input; end with its words when it fails."""
    peak_bytes = 0
    deadline = time.monotonic() + LIMIT_SECONDS
    with tempfile.TemporaryFile("w+") as given, tempfile.TemporaryFile("w+") as out:
        given.write(text)
        given.seek(0)
        with subprocess.Popen(
            command, stdin=given, stdout=out, stderr=subprocess.STDOUT
        ) as process:
            while process.poll() is None:
                peak_bytes = max(peak_bytes, peak_so_far(process.pid))
                if time.monotonic() > deadline:
                    process.kill()
                time.sleep(BETWEEN_LOOKS_SECONDS)
        out.seek(0)
        output = out.read()
    if process.returncode != 0:
        raise Failed(f"{' '.join(command)}: exit {process.returncode}\n{output[-2000:]}")
    if peak_bytes == 0:
        raise Failed(f"{command[0]} ended before its memory could be read")
    return Watched(output, peak_bytes)


def peak_so_far(pid: int) -> int:
    """VmHWM in bytes; 0 where the process has no memory any more."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    for line in status.splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return 0
