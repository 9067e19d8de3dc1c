"""Running a tool: its output, and the CPU time that it and its children took."""

from __future__ import annotations

import os
import subprocess
import tempfile
from dataclasses import dataclass

from side_by_side import Failed

# No run here takes longer than a few seconds.
LIMIT_SECONDS = 120


@dataclass(frozen=True)
class Finished:
    """A tool that ended well."""

    output: str
    cpu_ns: float
    peak_bytes: int


def run_tool(command: list[str], text: str = "") -> Finished:
    """Run a command with `text` on standard input; end with its words when it fails."""
    with tempfile.TemporaryFile("w+") as given, tempfile.TemporaryFile("w+") as out:
        given.write(text)
        given.seek(0)
        with subprocess.Popen(
            ["timeout", "--foreground", str(LIMIT_SECONDS), *command],
            stdin=given,
            stdout=out,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            assert process.stderr is not None  # noqa: S101 (a pipe was asked for)
            errors = process.stderr.read()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        output = out.read()
    if process.returncode != 0:
        raise Failed(
            f"{' '.join(command)[:300]}: exit {process.returncode}\n{errors}{output[-2000:]}"
        )
    # The kernel counts the peak in KiB; of a wrapper and its child it is the larger one.
    return Finished(output, (usage.ru_utime + usage.ru_stime) * 1e9, usage.ru_maxrss * 1024)
