"""Records of a study of a program: a time for each system, one start of it in each run."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from dataclasses import replace

from fsgauge.kinds.command.factors import CommandFactors
from fsgauge.record.command import CommandJob, CommandRun
from fsgauge.record.parts import Part, Slice
from fsgauge.record.records import RunRecord
from tests.synthetic import SyntheticStudy, make_study
from tests.synthetic.setting import MACHINE

CELL = CommandFactors(program="make").cell("make", "make")
TIMES_NS = {"raw": 10e9, "ext4": 10e9, "xfs": 9e9}


def make_commands(
    times_ns: Mapping[str, float] = TIMES_NS, *, blocks: int = 6, noise: float = 0.01
) -> SyntheticStudy:
    """The first system is the baseline; noise is the deviation of a run's log time."""
    frame = make_study(
        systems={name: name for name in times_ns},
        patterns=("randread",),
        block_sizes=(4096,),
        queue_depths=(1,),
        blocks=blocks,
    )
    chance = random.Random(20261129)
    runs = [
        took(run, times_ns[run.system] * math.exp(chance.gauss(0, noise))) for run in frame.runs
    ]
    return replace(frame.of_kind("command", [CELL], {"program": ["make"], "number": []}), runs=runs)


def took(run: RunRecord, elapsed_ns: float, machine: str = MACHINE) -> RunRecord:
    """The run as one of the program that took so long, on one machine."""
    job = CommandJob(program=["make"], folder="/run/x", time_limit_ns=600 * 10**9)
    parts = [part_took(run, elapsed_ns, machine)]
    update = {"cell": CELL, "job": job, "command": command_run(500, 50, 1 << 20), "parts": parts}
    return run.model_copy(update=update)


def command_run(looks: int, waiting: int, peak_memory_bytes: int) -> CommandRun:
    """A program that did what it was asked for, and printed nothing."""
    return CommandRun(
        exit_code=0,
        looks=looks,
        waiting=waiting,
        peak_memory_bytes=peak_memory_bytes,
        values={},
        unread={},
        left=[],
        output=[],
        errors=[],
    )


def part_took(run: RunRecord, elapsed_ns: float, machine: str = MACHINE) -> Part:
    """One machine's share: a program that took so long."""
    assert run.result is not None
    bare = dict.fromkeys(("read", "write", "sync", "clients", "integrity", "steady"))
    result = run.result.model_copy(
        update={**bare, "jobs": [], "intervals": [], "warm_up_ns": 0, "ended": "size_limit",
                "elapsed_ns": round(elapsed_ns)}
    )  # fmt: skip
    return Part(machine=machine, slices=[Slice(start_ns=0, result=result)])
