"""t/io_uring, fio's peak tester: in no package, built from fio's source.

The environment variable FSGAUGE_BENCH_T_IO_URING names the binary.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from side_by_side import Skipped
from tool import run_tool

VARIABLE = "FSGAUGE_BENCH_T_IO_URING"
MULTIPLES = {"": 1.0, "K": 1e3, "M": 1e6}


def require() -> None:
    """Refuse to go on without the binary."""
    name = os.environ.get(VARIABLE)
    if not name:
        raise Skipped(f"{VARIABLE} does not name t/io_uring (apt-get source fio; make t/io_uring)")
    if not Path(name).exists():
        raise Skipped(f"{VARIABLE} names {name}, which does not exist")


def operations_per_second(path: str, depth: int, batch: int, seconds: int) -> float:
    """Run random 4 KiB reads; give the mean of its lines, one a second but in the last, without the
    first."""
    fixed = ["-b4096", "-p0", "-B1", "-F1", "-R1", "-X1", "-n1"]
    options = [f"-d{depth}", f"-s{batch}", f"-c{batch}", f"-r{seconds + 2}"]
    command = [os.environ[VARIABLE], *fixed, *options, path]
    rates = re.findall(r"^IOPS=([\d.]+)([KM]?)", run_tool(command).output, re.MULTILINE)
    numbers = [float(number) * MULTIPLES[multiple] for number, multiple in rates[1:]]
    return sum(numbers) / len(numbers)
