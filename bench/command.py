"""A program timed by fsgauge's supervisor and by hyperfine: the same second."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from typing import Any

from scratch import Scratch
from side_by_side import Comparison, Failed, Measure, Sample, Skipped
from tool import run_tool

PROGRAM = ["sleep", "1"]
MOST = 1.005
"""What starting it may add to a program of one second: 5 ms."""


def hyperfine(scratch: Scratch) -> Comparison:
    """One run of each, in turns; hyperfine without a shell, as the supervisor starts it."""
    peer = shutil.which("hyperfine")
    if peer is None:
        raise Skipped("hyperfine is missing: apt-get install hyperfine")

    def theirs() -> Sample:
        said = scratch.directory / "hyperfine.json"
        words = [peer, "--shell=none", "--runs=1", f"--export-json={said}", " ".join(PROGRAM)]
        run_tool(words)
        return Sample({"seconds": float(json.loads(said.read_text())["results"][0]["mean"])})

    at_most = f"at most {MOST:g}"
    measure = Measure("seconds", "time", "s", at_most, lambda ratio, _: ratio <= MOST)
    return Comparison("hyperfine", [measure], lambda: _ours(scratch), theirs)


def _ours(scratch: Scratch) -> Sample:
    order: dict[str, Any] = {"program": PROGRAM, "folder": str(scratch.directory), "seconds": 60}
    order |= {"numbers": [], "written_back": False}
    with subprocess.Popen(
        [sys.executable, "-m", "fsgauge.programs.supervisor"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None and process.stdout is not None  # noqa: S101 - PIPE above
        process.stdin.write(json.dumps(order).encode() + b"\n")
        process.stdin.flush()
        answer = process.stdout.readline()
        process.stdin.close()
    if not answer:
        raise Failed("the supervisor ended without an answer")
    return Sample({"seconds": json.loads(answer)["elapsed_ns"] / 1e9})
