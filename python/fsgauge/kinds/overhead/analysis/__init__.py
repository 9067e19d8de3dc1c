"""What statistics say of a study of kind overhead beside ratios: how much its rates fluctuate, and
what it costs several hosts to use the same files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fsgauge.kinds.overhead.analysis.fluctuation import fluctuations
from fsgauge.kinds.overhead.analysis.model import FilesRatio, Overhead
from fsgauge.kinds.overhead.factors import OverheadFactors
from fsgauge.record.records import Cell
from fsgauge.stats.analysis import Analysis, Material
from fsgauge.stats.answer import plain_answer
from fsgauge.stats.contrast import Contrast, Value, in_blocks
from fsgauge.stats.evidence import Question
from fsgauge.stats.results import JudgedRatio
from fsgauge.stats.rig_limits import Place, RigLimit, rates_set_by
from fsgauge.stats.samples import Samples
from fsgauge.stats.sentence import DECIDED, comparisons_in
from fsgauge.stats.verdict import BLOCKS_FOR_A_VERDICT
from fsgauge.stats.wording import listed, number_words, range_words, remark, share_words
from fsgauge.units import format_size

_RATE = "iops"


class OverheadAnalysis(Analysis):
    """Fluctuation over time, held against the baseline's; the same files and separate ones."""

    own = Overhead

    def read(self, material: Material) -> Overhead | None:
        """None where no run was long enough for it."""
        found = fluctuations(material.samples, material.runs, material.equivalence_percent)
        plan = material.study.plan
        files = _files_ratios(
            plan.cells,
            material.samples,
            plan.systems,
            material.equivalence_percent,
            material.limits,
        )
        return Overhead(fluctuations=found, host_files=files) if found or files else None

    def answer(self, question: Question) -> str | None:
        """What the same files cost several hosts, and what those do over one, come first where the
        study has both; then how systems compare, as far as that is known."""
        found = Overhead.of(question)
        said = _files_answer(found.host_files, question.primary) if found is not None else None
        if said is None:
            return None
        judged = [each for cell in question.primary for each in comparisons_in(question, cell)]
        is_known = any(each.verdict in DECIDED for each in judged)
        compared = plain_answer(question) if question.others and is_known else ""
        return " ".join(filter(None, (said, question.over_hosts, compared)))


ANALYSIS = OverheadAnalysis()


def _files_ratios(
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


def _files_answer(ratios: Sequence[FilesRatio], primary: Sequence[Cell]) -> str | None:
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
