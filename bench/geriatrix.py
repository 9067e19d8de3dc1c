"""geriatrix: in no package; where it matters, FSGAUGE_GERIATRIX names its binary.

https://github.com/saurabhkadekodi/geriatrix (Kadekodi, Nagarajan and Ganger, USENIX ATC 2018).
It allocates with posix_fallocate, writes no data, and looks a file up before it removes it.
"""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from side_by_side import Skipped
from tool import run_tool

VARIABLE = "FSGAUGE_GERIATRIX"


@dataclass(frozen=True)
class Aged:
    """What it did, and the processor time of all of it."""

    operations: int
    cpu_seconds: float


def require() -> str:
    """Give the binary's path; Skipped where there is none."""
    named = os.environ.get(VARIABLE)
    if named is None:
        raise Skipped(f"{VARIABLE} names no geriatrix: build it and name its binary")
    path = shutil.which(named)
    if path is None:
        raise Skipped(f"{VARIABLE} names {named}, which cannot be run")
    return path


def age(
    folder: Path,
    results: Path,
    *,
    sizes_bytes: list[int],
    directories: int,
    space_bytes: int,
    fill_percent: int,
    overwrites: int,
    ages: int = 5,
    no_io: bool = False,
) -> Aged:
    """Create and delete, one thread, until so many times the space was written; without I/O it
    keeps account of its files and calls nothing."""
    given = {
        "a": "\n".join([str(ages), *(f"{1 << age} 1" for age in range(ages))]),
        "s": "\n".join([str(len(sizes_bytes)), *(f"{size} 1" for size in sizes_bytes)]),
        "d": f"1\n1 1 {directories}",
    }
    command = [require(), "-n", str(space_bytes), "-u", str(fill_percent / 100), "-r", "1"]
    command += ["-m", str(folder), "-t", "1", "-i", str(overwrites), "-p", "0"]
    command += ["-f", "1" if no_io else "0"]
    # No goodness of fit, no question at the end, a minute at most.
    command += ["-c", "0", "-q", "0", "-w", "1", "-b", "posix"]
    for (option, text), found in zip(given.items(), "xyz", strict=True):
        path = results / f"geriatrix-{option}"
        path.write_text(text + "\n")
        command += [f"-{option}", str(path), f"-{found}", str(results / f"geriatrix-{found}")]
    finished = run_tool(command)
    (operations,) = re.findall(r"Total number of operations = (\d+)", finished.output)
    return Aged(int(operations), finished.cpu_ns / 1e9)
