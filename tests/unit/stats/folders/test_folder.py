"""A results folder as it is compared with others."""

from __future__ import annotations

from pathlib import Path

from fsgauge.stats.folders.folder import read_folder
from fsgauge.stats.folders.same_conditions import Side
from fsgauge.store import read_results
from tests.synthetic_race import BLOCKS, CONFIRM, measure


def test_of_a_race_the_blocks_that_confirm_are_compared(tmp_path: Path) -> None:
    """Those of the race chose who is in them, and their ratios are too large for it."""
    folder = read_folder(Side.of("race", read_results(measure(tmp_path).directory)))
    cell, fresh = folder.results.primary_cells[0], {*range(BLOCKS, BLOCKS + CONFIRM)}
    for system in folder.results.systems:
        assert set(folder.samples.block_logs("iops", cell, system)) == fresh, system
