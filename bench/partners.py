"""How wide intervals are with systems side by side, over those one by one, in the same time.

Both designs measure the demo's cells on a loop file, in turns, each with as many blocks as fit into
the same wall time; a short run of each before says how long its blocks take. One number a pair: the
geometric mean of the widths (log of upper over lower bound) of all rates' ratios.
"""

from __future__ import annotations

import math
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from side_by_side import Failed

FEWEST_BLOCKS = 3
PILOT_BLOCKS = 2
DESIGNS = ("true", "false")


def width_ratios(pairs: int, seconds: float, systems: tuple[str, ...]) -> Iterator[float]:
    """The width side by side over the width one by one, a pair at a time, as they are measured."""
    if os.geteuid() != 0:
        raise Failed("loop devices need root: sudo make bench ONLY=partners-width")
    with tempfile.TemporaryDirectory(prefix="fsgauge-bench-", dir="/var/tmp") as scratch:
        results = Path(scratch)
        blocks = {design: _blocks_in(seconds, design, systems, results) for design in DESIGNS}
        for _ in range(pairs):
            found = {}
            for design in sorted(DESIGNS, key=lambda _: random.random()):
                begin = time.monotonic()
                folder = _measured(design, blocks[design], systems, results)
                found[design] = _width(folder)
                print(
                    f"    side_by_side={design}: {blocks[design]} blocks,"
                    f" {time.monotonic() - begin:.0f} s, mean width x{math.exp(found[design]):.3f}",
                    flush=True,
                )
            yield found["true"] / found["false"]


def _blocks_in(seconds: float, design: str, systems: tuple[str, ...], results: Path) -> int:
    """As many blocks as take that time, the study's beginning and end left out."""
    begin = time.monotonic()
    _measured(design, PILOT_BLOCKS, systems, results)
    a_block = (time.monotonic() - begin) / PILOT_BLOCKS
    return max(FEWEST_BLOCKS, round(seconds / a_block))


def _measured(design: str, blocks: int, systems: tuple[str, ...], results: Path) -> Path:
    """The results folder of the demo's cells in one design."""
    before = set(results.iterdir())
    command = [sys.executable, "-m", "fsgauge", "run", "demo", "--results", str(results), "--yes"]
    for system in systems:
        command += ["--system", system]
    for change in (f"plan.blocks={blocks}", f"plan.side_by_side={design}"):
        command += ["--set", change]
    subprocess.run(command, check=True, capture_output=True)
    (made,) = set(results.iterdir()) - before
    return made


def _width(folder: Path) -> float:
    """Geometric mean over cells and systems of log(high / low) of the ratio of rates."""
    from fsgauge.stats import read_study
    from fsgauge.store import read_results

    stored = read_results(folder)
    found = read_study(stored.turns, stored.runs, stored.study, stored.before)
    widths = [
        math.log(each.high / each.low)
        for each in found.comparisons
        if each.metric == "iops" and each.low and each.high
    ]
    return math.exp(sum(map(math.log, widths)) / len(widths))
