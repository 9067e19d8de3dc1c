"""What statistics say of a study of kind overhead beside ratios: how much its rates fluctuate, and
what it costs several hosts to use the same files."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from pydantic import Field

from fsgauge.engine.wire import LoadJob
from fsgauge.kinds.overhead.factors import OverheadFactors
from fsgauge.record.records import Cell, RunRecord
from fsgauge.record.series import Intervals
from fsgauge.stats.analysis import Analysis, Material
from fsgauge.stats.answer import plain_answer
from fsgauge.stats.contrast import Contrast, Value, in_blocks, judged_ratio
from fsgauge.stats.estimate import Estimate
from fsgauge.stats.evidence import Question
from fsgauge.stats.metrics import Reading
from fsgauge.stats.result_model import ResultModel
from fsgauge.stats.results import JudgedRatio, OwnResults
from fsgauge.stats.rig_limits import rates_set_by
from fsgauge.stats.samples import Samples, is_complete
from fsgauge.stats.sentence import DECIDED, comparisons_in
from fsgauge.stats.verdict import BLOCKS_FOR_A_VERDICT
from fsgauge.stats.wording import listed, number_words, range_words, remark, share_words
from fsgauge.units import format_size


class Fluctuation(ResultModel):
    """How much the rate of one system varied over time inside runs of one cell.

    `value` is the coefficient of variation of the rates of `intervals` intervals of `interval_ns`,
    a geometric mean over blocks. `operations` is the mean number in an interval; `counting` what
    as many operations at random times would vary by. `ratio` is to the baseline's in the same
    block, less is better; `noise` the baseline's second turn over its first.
    """

    cell: str
    system: str
    value: Estimate
    intervals: int
    interval_ns: int
    operations: float
    counting: float
    ratio: JudgedRatio | None
    noise: Estimate | None


class FilesRatio(ResultModel):
    """The rate of several hosts on the same files, in cell `same`, over their rate on separate
    ones, in cell `separate`. With `limited_by` the rig set both ("a disk's IOPS limit")."""

    system: str
    same: str
    separate: str
    ratio: JudgedRatio
    limited_by: str = Field(default="", exclude_if=lambda value: not value)


class Overhead(OwnResults):
    """What only overhead has; fluctuations are shares of 1."""

    fluctuations: list[Fluctuation]
    host_files: list[FilesRatio] = Field(default=[], exclude_if=lambda value: not value)


NAME = "fluctuation"
FEWEST_INTERVALS = 10
LEAST_SHARE = 0.01
"""Of the squared value, what counting is not let explain: a log needs something left."""
_RATE = "iops"


class OverheadAnalysis(Analysis):
    own = Overhead

    def read(self, material: Material) -> Overhead | None:
        found = fluctuations(material.samples, material.runs, material.equivalence_percent)
        files = _files_ratios(material)
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


def _files_ratios(material: Material) -> list[FilesRatio]:
    """Each system in each pair of cells that differ in nothing but the files; all one family."""
    plan = material.study.plan
    contrasts = {
        (system, same.id, separate.id): Contrast(
            Value(_RATE, same.id, system), Value(_RATE, separate.id, system)
        )
        for same, separate in _pairs(plan.cells)
        for system in plan.systems
    }
    judged = in_blocks(contrasts, material.samples, material.equivalence_percent)
    return [
        FilesRatio(
            system=system,
            same=same,
            separate=separate,
            ratio=JudgedRatio(**each.numbers()),
            limited_by=rates_set_by(material.limits, (same, system), (separate, system)),
        )
        for (system, same, separate), each in judged.items()
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


@dataclass(frozen=True)
class Series:
    """Rates of a run's whole measured intervals, per second, and operations in each."""

    run: RunRecord
    interval_ns: int
    rates: npt.NDArray[np.float64]
    operations: npt.NDArray[np.int64]


def fluctuations(
    study: Samples, runs: Sequence[RunRecord], equivalence_percent: float
) -> list[Fluctuation]:
    """How much rates vary over time inside a run; the coefficient of variation of its intervals.

    All runs of a cell in a block give as many intervals, the first ones: those of the run that
    has the fewest. Fewer than FEWEST_INTERVALS give no number.

    An interval of N operations varies by counting alone: not at all if they come evenly, by 1 /
    sqrt(N) if they come at random times. A faster system has more of them, and so would look
    steadier. So the squared value lies between the one that was seen and that less 1 / N; the
    middle of their logs is taken, and the rest is its reach, which widens intervals on both
    sides (see stats.samples). All ratios of a study are one family of comparisons.
    """
    plan = study.plan
    series = [each for each in map(series_of, runs) if each is not None]
    samples, counted = study.beside(), _fewest(series)
    for each in series:
        place = (each.run.block, each.run.cell.id)
        reading = reading_of(each.rates[: counted[place]], each.operations[: counted[place]])
        if reading is not None:
            key = (NAME, each.run.cell.id, each.run.system)
            samples.add(key, (each.run.block, each.run.again), reading)
    contrasts = {
        (cell, system): Contrast(Value(NAME, cell, system), Value(NAME, cell, plan.baseline))
        for cell, system in plan.places
        if system != plan.baseline
    }
    ratios = in_blocks(contrasts, samples, equivalence_percent)
    found = []
    for cell, system in plan.places:
        value = samples.number(NAME, cell, system)
        if value is None:
            continue
        of_system = [s for s in series if (s.run.cell.id, s.run.system) == (cell, system)]
        operations = statistics.fmean(float(each.operations.mean()) for each in of_system)
        own_noise = samples.noise_log_ratios(NAME, cell)
        found.append(
            Fluctuation(
                cell=cell,
                system=system,
                value=value,
                intervals=min(counted[each.run.block, cell] for each in of_system),
                interval_ns=of_system[0].interval_ns,
                operations=operations,
                counting=1 / math.sqrt(operations),
                ratio=judged_ratio(ratios.get((cell, system))),
                noise=samples.over_blocks(own_noise, reach=samples.noise_reach(NAME, cell))
                if system == plan.baseline
                else None,
            )
        )
    return found


def series_of(run: RunRecord) -> Series | None:
    """The whole intervals behind the warm-up without the last; None where a run has too few."""
    result, job = run.result, run.job
    if result is None or not is_complete(run) or not isinstance(job, LoadJob):
        return None
    intervals = Intervals.of(result.intervals)
    measured = np.flatnonzero(intervals.column("warm_up") == 0)[:-1]
    operations = intervals.done
    elapsed_ns = intervals.column("elapsed_ns")[measured]
    operations = operations[measured]
    if len(measured) < FEWEST_INTERVALS or not elapsed_ns.all() or not operations.any():
        return None
    return Series(run, job.interval_ns, operations * 1e9 / elapsed_ns, operations)


def reading_of(rates: npt.NDArray[np.float64], operations: npt.NDArray[np.int64]) -> Reading | None:
    """The coefficient of variation, and how far counting may have moved it; None if it is 0."""
    mean = float(rates.mean())
    if mean <= 0:
        return None
    squared = float(rates.var(ddof=1)) / mean**2
    if squared <= 0:
        return None
    least = max(squared - 1 / float(operations.mean()), LEAST_SHARE * squared)
    return Reading((squared * least) ** 0.25, math.log(squared / least) / 4)


def _fewest(series: Sequence[Series]) -> dict[tuple[int, str], int]:
    """By block and cell, the intervals of the run that has the fewest."""
    found: dict[tuple[int, str], int] = {}
    for each in series:
        place = (each.run.block, each.run.cell.id)
        found[place] = min(found.get(place, len(each.rates)), len(each.rates))
    return found
