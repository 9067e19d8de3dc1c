"""Several hosts on the same files, against the same hosts on separate ones, inside each block."""

from __future__ import annotations

from collections.abc import Sequence

from fsgauge.kinds.overhead.analysis.model import FilesRatio
from fsgauge.kinds.overhead.factors import OverheadFactors
from fsgauge.record import Cell
from fsgauge.stats.contrast import Contrast, Value, in_blocks
from fsgauge.stats.results import JudgedRatio
from fsgauge.stats.samples import Samples
from fsgauge.stats.verdict import BLOCKS_FOR_A_VERDICT
from fsgauge.stats.wording import listed, number_words, range_words, remark, share_words
from fsgauge.units import format_size

_RATE = "iops"


def files_ratios(
    cells: Sequence[Cell], samples: Samples, systems: Sequence[str], margin_percent: float
) -> list[FilesRatio]:
    """Each system in each pair of cells that differ in nothing but the files; all one family."""
    contrasts = {
        (system, same.id, separate.id): Contrast(
            Value(_RATE, same.id, system), Value(_RATE, separate.id, system)
        )
        for same, separate in _pairs(cells)
        for system in systems
    }
    return [
        FilesRatio(
            system=system, same=same, separate=separate, ratio=JudgedRatio(**judged.numbers())
        )
        for (system, same, separate), judged in in_blocks(
            contrasts, samples, margin_percent
        ).items()
    ]


def _pairs(cells: Sequence[Cell]) -> list[tuple[Cell, Cell]]:
    """Cells on the same files, each with its partner on separate ones."""
    of_cells = [(cell, OverheadFactors.of(cell)) for cell in cells]
    separate = {
        factors.model_copy(update={"host_files": "same"}): cell
        for cell, factors in of_cells
        if factors.host_files == "separate"
    }
    return [
        (cell, separate[factors])
        for cell, factors in of_cells
        if factors.host_files == "same" and factors in separate
    ]


def files_answer(ratios: Sequence[FilesRatio], primary: Sequence[Cell]) -> str | None:
    """ "On the same files, two hosts do 98 % of the random reads that they do on separate ones, at
    4 KiB and depth 32 (95 to 101 %, undecided)."; None where too few blocks have both."""
    cell = next((each for each in primary if any(each.id == r.same for r in ratios)), None)
    lines = [each for each in ratios if cell is not None and each.same == cell.id]
    if cell is None or min(each.ratio.n for each in lines) < BLOCKS_FOR_A_VERDICT:
        return None
    factors = OverheadFactors.of(cell)
    hosts = number_words(factors.hosts or 0)
    parts = [
        f"{share_words(each.ratio.ratio)} on {each.system} ({_bounds(each.ratio)})"
        for each in lines
    ]
    size = format_size(factors.block_size_bytes)
    return (
        f"On the same files, {hosts} hosts do {listed(parts)} of the {factors.work} that they do on"
        f" separate ones, at {size} and depth {factors.queue_depth}."
    )


def _bounds(found: JudgedRatio) -> str:
    low, high = found.low or found.ratio, found.high or found.ratio
    return f"{range_words(low, high, found.ratio)}{remark(found.verdict, barely=found.barely)}"
