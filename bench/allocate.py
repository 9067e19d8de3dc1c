"""The simulator's free space: its speed under churn at 80 % full, and what a petabyte takes.

An operation takes a piece or gives one back, in turns, pieces of 4 KiB to 4 MiB. The peer is the
same policy in plain Python, on a device that it can still manage; the larger devices have goals of
their own. All of it is one process on one core, without I/O.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from example import built
from peak import run_watched
from scratch import Scratch
from side_by_side import Comparison, Measure, Sample, expect
from tool import run_tool

HERE = Path(__file__).resolve().parent
PYTHON_BYTES = 1 << 36
# As many for both: the longer a device is used, the more pieces first fit passes over.
PYTHON_OPERATIONS = 100_000
OPERATIONS = 2_000_000


def sample(command: list[str], operations: int) -> Sample:
    """Rates by what a program prints: operations, seconds, seconds of processor time."""
    done, seconds, cpu_seconds = run_tool(command).output.split()
    expect(int(done), operations, "operations")
    return Sample({"rate": operations / float(seconds), "cpu": operations / float(cpu_seconds)})


def against_python(_: Scratch) -> Comparison:
    """First fit on 64 GiB, and the same in plain Python."""
    program = built("allocations")
    size = str(PYTHON_BYTES)

    def ours() -> Sample:
        command = [program, "first-fit", size, str(PYTHON_OPERATIONS)]
        return sample(command, PYTHON_OPERATIONS)

    def theirs() -> Sample:
        script = [sys.executable, str(HERE / "plain_allocator.py"), size, str(PYTHON_OPERATIONS)]
        return sample(script, PYTHON_OPERATIONS)

    measures = [
        Measure("rate", "rate", "operations/s", ">= 100", lambda ratio, _: ratio >= 100),
    ]
    return Comparison("first fit in plain Python", measures, ours, theirs)


def rate(policy: str, device_bytes: int, goal: float) -> Callable[[Scratch], Comparison]:
    """Operations a second of processor time, against a number."""

    def prepare(_: Scratch) -> Comparison:
        program = built("allocations")

        def ours() -> Sample:
            return sample([program, policy, str(device_bytes), str(OPERATIONS)], OPERATIONS)

        text = f">= {goal:,.0f} a second"
        measures = [
            Measure("cpu", "cpu", "operations/s", text, lambda ratio, _: ratio >= 1, limit=goal),
        ]
        return Comparison("goal", measures, ours, lambda: Sample({}))

    return prepare


def petabyte(_: Scratch) -> Comparison:
    """Peak memory of 1 PiB of blocks of 4 KiB, with two thousand files all over it."""
    program = built("petabyte")
    goal_bytes = 8e9

    def ours() -> Sample:
        return Sample({"peak": run_watched([program], "").peak_bytes})

    measures = [
        Measure(
            "peak", "memory", "bytes", "<= 8 GB", lambda ratio, _: ratio <= 1, limit=goal_bytes
        ),
    ]
    return Comparison("goal", measures, ours, lambda: Sample({}))
