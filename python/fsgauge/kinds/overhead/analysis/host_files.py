"""Several hosts on the same files, against the same hosts on separate ones, inside each block."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fsgauge.kinds.overhead.analysis.model import FilesRatio
from fsgauge.kinds.overhead.factors import OverheadFactors
from fsgauge.record.records import Cell
from fsgauge.stats.contrast import Contrast, Value, in_blocks
from fsgauge.stats.results import JudgedRatio
from fsgauge.stats.rig_limits import Place, RigLimit, rates_set_by
from fsgauge.stats.samples import Samples
from fsgauge.stats.verdict import BLOCKS_FOR_A_VERDICT
from fsgauge.stats.wording import listed, number_words, range_words, remark, share_words
from fsgauge.units import format_size

_RATE = "iops"


def files_ratios(
    cells: Sequence[Cell],
    samples: Samples,
    systems: Sequence[str],
    margin_percent: float,
    limits: Mapping[Place, RigLimit],
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
            system=system,
            same=same,
            separate=separate,
            ratio=JudgedRatio(**judged.numbers()),
            limited_by=rates_set_by(limits, (same, system), (separate, system)),
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
    """ "On the same files, two hosts do 98 % on gfs2 (95 to 101 %, undecided) of the random reads
    that they do on separate ones, at 4 KiB and depth 32; of the random writes 30 % on gfs2 (26 to
    34 %)."

    The first primary cell, and the one that loses most, if that loses more. None where too few
    blocks have both.
    """
    lines = {
        cell.id: found
        for cell in primary
        if (found := [each for each in ratios if each.same == cell.id])
        and min(each.ratio.n for each in found) >= BLOCKS_FOR_A_VERDICT
    }
    cells = [cell for cell in primary if cell.id in lines]
    if not cells:
        return None
    lead, *others = cells
    factors = OverheadFactors.of(lead)
    said = (
        f"On the same files, {number_words(factors.hosts or 0)} hosts do {_shares(lines[lead.id])}"
        f" of the {factors.work} that they do on separate ones, at {_size(factors)}"
    )
    worst = min(others, key=lambda cell: _least(lines[cell.id]), default=lead)
    if _least(lines[worst.id]) < _least(lines[lead.id]):
        its = OverheadFactors.of(worst)
        where = "" if _size(its) == _size(factors) else f" at {_size(its)}"
        said += f"; of the {its.work}{where} {_shares(lines[worst.id])}"
    return f"{said}."


def _shares(lines: Sequence[FilesRatio]) -> str:
    return listed(
        [
            f"{share_words(each.ratio.ratio, each.ratio.edges)} on {each.system} ({_bounds(each)})"
            for each in lines
        ]
    )


def _size(factors: OverheadFactors) -> str:
    return f"{format_size(factors.block_size_bytes)} and depth {factors.queue_depth}"


def _least(lines: Sequence[FilesRatio]) -> float:
    return min(each.ratio.ratio for each in lines)


def _bounds(found: FilesRatio) -> str:
    ratio = found.ratio
    said = range_words(*ratio.edges, ratio.ratio)
    if found.limited_by:
        return f"{said}, set by {found.limited_by}"
    return f"{said}{remark(ratio.verdict, barely=ratio.barely)}"
