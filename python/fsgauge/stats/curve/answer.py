"""The sentence of a load curve: what each system serves below the limit.

"ext4 serves 41 k IOPS below 5 ms, xfs 44 k (1.07 times, 1.02 to 1.12)." Who has a bound and no
number there has a sentence of its own.
"""

from __future__ import annotations

import math

from fsgauge.record.factors import factors_of
from fsgauge.record.quantiles import quantile_words
from fsgauge.record.records import Cell
from fsgauge.stats.curve.blocks import limit_words
from fsgauge.stats.curve.model import Capacity, CurveResults
from fsgauge.stats.curve.point import HIGHEST
from fsgauge.stats.evidence import Question, part_of
from fsgauge.stats.results import Comparison
from fsgauge.stats.sentence import comparisons_in
from fsgauge.stats.verdict import BLOCKS_FOR_A_VERDICT, OPEN, is_too_wide
from fsgauge.stats.wording import NAMED_SYSTEMS, factor_words, left_out, number_words, ratio_range
from fsgauge.units import format_duration, format_rate


def curve_answer(question: Question) -> str | None:
    """The sentences of each primary load; None of a study without a curve."""
    found = CurveResults.of(question)
    if found is None:
        return None
    said = [_of_load(question, found, cell) for cell in question.primary]
    loads = [cell.id for cell in question.primary]
    helps = {each.helps: None for each in found.capacities if each.helps and each.load in loads}
    said += [f"Next, {', or '.join(helps)}."] if helps else []
    return " ".join(said) or None


def _of_load(question: Question, found: CurveResults, cell: Cell) -> str:
    of = [found.capacity(cell.id, system) for system in (question.baseline, *question.others)]
    known = [each for each in of if each is not None]
    limit = limit_words(found)
    measured = [each for each in known if each.number is not None]
    several = f" {_apart(question, cell)}" if len(question.primary) > 1 else ""
    of_load = f"in {several.strip()}, " if several else ""
    said = [_measured(question, cell, measured, limit, of_load)] if measured else []
    said += [_bound(each, found, cell, several) for each in known if each.number is None]
    return " ".join(filter(None, said))


def _apart(question: Question, cell: Cell) -> str:
    """What tells a load from the others: what is done, or where that is the same its whole name."""
    alike = [each for each in question.primary if factors_of(each).work == factors_of(cell).work]
    own = factors_of(cell)
    return own.work if len(alike) == 1 else own.asked or own.noun


def _measured(
    question: Question, cell: Cell, found: list[Capacity], limit: str, of_load: str
) -> str:
    """ "ext4 serves 41 k IOPS with p99 below 5 ms, xfs 44 k IOPS (1.07 times, 1.02 to 1.12)."."""
    first, *others = found
    ratios = {each.system: each for each in comparisons_in(question, cell)}
    shown = others[:NAMED_SYSTEMS]
    blocks = first.number.n if first.number else 0
    few = blocks < BLOCKS_FOR_A_VERDICT
    unit = factors_of(cell).rate_unit
    parts = [f"{first.system} serves {_rate(first, unit)} with {limit}"]
    parts += [
        f"{each.system} {_rate(each, unit)}{_ratio(ratios.get(each.system))}" for each in shown
    ]
    said = f"{', '.join(parts)}{left_out(len(others))}."
    sentence = f"{of_load[:1].upper()}{of_load[1:]}{said}"
    if few and others:
        sentence += f" {number_words(blocks).capitalize()} blocks can tell none of it from noise."
    return sentence


def _rate(each: Capacity, unit: str) -> str:
    return format_rate(each.number.value, unit) if each.number is not None else ""


def bound_words(each: Capacity, unit: str) -> str:
    """What is known of a capacity that is no number: "at least 55 k IOPS"."""
    if each.bound is None:
        return "not known"
    side = "at least" if each.state == "at least" else "less than"
    return f"{side} {format_rate(each.bound, unit)}"


def _ratio(entry: Comparison | None) -> str:
    """ " (1.07 times, 1.02 to 1.12)"; of a ratio that is not claimed, that it is not."""
    if entry is None or entry.low is None or entry.high is None or not entry.is_claimed:
        return ""
    interval = ratio_range(entry.low, entry.high)
    if is_too_wide(entry.low, entry.high):
        return " (too noisy to tell)"
    if entry.verdict in OPEN:
        return f" ({entry.verdict}: {interval})"
    if entry.verdict == "equivalent":
        return f" (equivalent, {interval})"
    return f" ({factor_words(entry.ratio, entry.edges)} times, {interval})"


def _bound(each: Capacity, found: CurveResults, cell: Cell, several: str) -> str:
    unit, of_load = factors_of(cell).rate_unit, several and f" of{several}"
    limit = format_duration(found.limit_ns)
    quantile = quantile_words(found.quantile)
    if each.bound is None:
        why = f": in {part_of(each.bound_blocks, each.blocks, 'block')} it was above it from the"
        why += " least rate on"
        why += ", though not in both turns" if each.bound_blocks == each.blocks else ""
        said = f"What {each.system} serves{of_load} below {limit} is not known"
        return f"{said}{why if each.state == 'unsteady' else ''}."
    if each.state == "at least":
        some = each.bound_blocks < each.blocks
        where = f"in {part_of(each.bound_blocks, each.blocks, 'block')} " if some else ""
        return (
            f"{each.system} serves {bound_words(each, unit)}: {where}{quantile} passed {limit} at"
            " no rate offered."
        )
    latency_ns = each.bound_latency_ns or 0.0
    is_more = math.isclose(latency_ns, HIGHEST * found.limit_ns)  # or the rate was not served
    latency = f"{'more than ' * is_more}{format_duration(latency_ns)}"
    return (
        f"On {each.system} even {format_rate(each.bound, unit)} have a {quantile} of {latency}:"
        f" nothing is served below {limit}."
    )
