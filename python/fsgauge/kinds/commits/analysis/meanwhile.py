"""What it costs commits that something else is written meanwhile: the same cell with and without,
in one block."""

from __future__ import annotations

from collections.abc import Iterator

from fsgauge.kinds.commits.analysis.model import CommitsResults, Meanwhile
from fsgauge.kinds.commits.factors import CommitsFactors
from fsgauge.record.records import Cell, Plan
from fsgauge.stats.contrast import Contrast, Value, in_blocks
from fsgauge.stats.evidence import Question
from fsgauge.stats.samples import Samples
from fsgauge.stats.verdict import OPEN, is_too_wide
from fsgauge.stats.wording import NAMED_SYSTEMS, factor_words, left_out, ratio_range

_RATE = "iops"


def meanwhile(plan: Plan, samples: Samples, equivalence_percent: float) -> list[Meanwhile]:
    """Of every cell with something meanwhile that has a partner without, on every system."""
    contrasts = {
        (cell.id, alone.id, system): Contrast(
            Value(_RATE, cell.id, system), Value(_RATE, alone.id, system), family=cell.id
        )
        for cell, alone in _pairs(plan)
        for system in plan.systems
    }
    return [
        Meanwhile(cell=cell, alone=alone, system=system, **judged.numbers())
        for (cell, alone, system), judged in in_blocks(
            contrasts, samples, equivalence_percent
        ).items()
    ]


def _pairs(plan: Plan) -> Iterator[tuple[Cell, Cell]]:
    alone = {
        _but_meanwhile(factors): cell
        for cell in plan.cells
        if (factors := CommitsFactors.of(cell)).meanwhile == "nothing"
    }
    for cell in plan.cells:
        factors = CommitsFactors.of(cell)
        partner = alone.get(_but_meanwhile(factors))
        if factors.meanwhile != "nothing" and partner is not None:
            yield cell, partner


def _but_meanwhile(factors: CommitsFactors) -> str:
    return factors.model_copy(update={"meanwhile": "nothing"}).model_dump_json()


def meanwhile_sentence(question: Question) -> str:
    """ "While a checkpoint is written, a commit takes 6.1 times as long on ext4 (5.2 to 7.1)." for
    the first primary cell that has a partner; "" for none."""
    found = CommitsResults.of(question)
    primary = {cell.id for cell in question.primary}
    own = [each for each in found.meanwhile if each.alone in primary] if found else []
    if not own:
        return ""
    cells = {cell.id: cell for cell in question.cells}
    first = [each for each in own if each.cell == own[0].cell]
    what = CommitsFactors.of(cells[own[0].cell]).meanwhile_words.removeprefix(", ")
    said = [_on(each) for each in first[:NAMED_SYSTEMS]]
    return f"{what[0].upper()}{what[1:]}, {', '.join(said)}{left_out(len(first))}."


def _on(each: Meanwhile) -> str:
    if each.low is None or each.high is None or is_too_wide(each.low, each.high):
        return f"on {each.system} the noise is too large to say"
    edges = (1 / each.high, 1 / each.low)
    if each.verdict in OPEN:
        return (
            f"a commit on {each.system} cannot be told from one without it ({ratio_range(*edges)})"
        )
    times = factor_words(1 / each.ratio, edges)
    return f"a commit on {each.system} takes {times} times as long ({ratio_range(*edges)})"
