"""The answer: a headline with its interval, then sentences, or an honest word why not.

Takes what statistics found; gives text. What is decided comes first, an undecided ratio is never
said to be one, and every system is named. What other metrics and cells decide of a system that the
sentences leave open follows.
"""

from __future__ import annotations

from collections.abc import Sequence

from fsgauge.record.factors import factors_of
from fsgauge.record.records import Cell
from fsgauge.stats import wording
from fsgauge.stats.analysis import Analysis
from fsgauge.stats.asked_number import thing_of
from fsgauge.stats.between_systems import comparing_sentences
from fsgauge.stats.durability import caveats
from fsgauge.stats.evidence import Question
from fsgauge.stats.results import Comparison
from fsgauge.stats.rig_limits import limited_sentence
from fsgauge.stats.sentence import (
    comparisons_in,
    decided_elsewhere,
    hidden_from,
    noise_alone,
    place_of,
)
from fsgauge.stats.verdict import BLOCKS_FOR_A_VERDICT, OPEN
from fsgauge.stats.wording import in_lines, is_headline
from fsgauge.units import exact_percent, format_size


def not_vouched_for(reason: str) -> str:
    return f"Not valid: {reason} The numbers below are shown, not vouched for."


def answer(question: Question, analysis: Analysis) -> list[str]:
    """What heads the report, in lines: the headline, then what tables decide of what it leaves
    open, where a system that it names gives up durability, and where a private server was in
    between or aborted. Who did nothing or little is said first.

    Nothing follows "not valid".
    """
    names = [question.baseline, *question.others]
    if question.invalid_reason:
        return in_lines(not_vouched_for(question.invalid_reason), names)
    said = _answer(question, analysis)
    lines = in_lines(f"{question.idle} {said}".lstrip(), names)
    if question.idle and is_headline(" ".join(lines[:2])):
        lines[:2] = [" ".join(lines[:2])]
    lines += _not_compared(question)
    if analysis.compares_systems:
        lines += decided_elsewhere(
            question.comparisons,
            question.metrics,
            question.primary,
            question.cells,
            question.baseline,
        )
    lines += [
        each for each in (_limited(question), question.over_hosts) if each and each not in said
    ]
    lines += caveats(" ".join(lines), question.durability)
    return [*lines, *(f"{each}." for each in (question.served, question.server_aborts) if each)]


def _answer(question: Question, analysis: Analysis) -> str:
    if question.failed:
        return f"No answer: {question.failed.rstrip('.')}."
    said = analysis.answer(question)
    return plain_answer(question) if said is None else said


def plain_answer(question: Question) -> str:
    if not question.others:
        return question.over_hosts or noise_alone(question)
    if question.limited and not _primary(question):
        return _limited(question)
    if not _primary(question):
        return _none_compared(question)
    lead = next(cell for cell in question.primary if comparisons_in(question, cell))
    found = comparisons_in(question, lead)
    if found[0].n < BLOCKS_FOR_A_VERDICT:
        return _too_few(question, lead, found)
    return " ".join(
        [*comparing_sentences(question, question.primary), *_free_of_cost(question, lead)]
    )


def _not_compared(question: Question) -> list[str]:
    """Who has too few operations for the metric, where others have enough: it may be the worst; and
    whose runs all failed."""
    compared = {entry.system for _, entry in _primary(question)}
    told = compared | {each.system for each in question.limited}
    absent = [system for system in question.others if system not in told]
    failed = [system for system in absent if system in question.failing and not question.failed]
    few = [each for each in absent if each not in question.failing]
    is_told = bool(compared and question.few_operations and not question.nothing)
    whys = (few if is_told else [], "too few operations"), (failed, "no run came to its end")
    return [
        f"{wording.named_systems(names)} {'is' if len(names) == 1 else 'are'} not compared: {why}."
        for names, why in whys
        if names
    ]


def _none_compared(question: Question) -> str:
    if question.few_operations and not question.nothing:
        advice = "" if question.idle else f" {question.next_step}"
        return f"No answer. {question.few_operations}{advice}"
    if question.nothing:
        return f"So nothing can be compared with {question.baseline}."
    if question.blocks_complete == 0:
        return "No answer yet: no block is complete."
    return (
        f"No answer: at {place_of(question.primary[0])} no block has a run of {question.baseline}"
        " and of another system."
    )


def _limited(question: Question) -> str:
    """How many of the ratios that are asked for the rig sets."""
    asked = {cell.id for cell in question.primary}
    limited = [
        each
        for each in question.limited
        if each.cell in asked and each.metric == question.metrics[each.cell]
    ]
    return limited_sentence(limited, len(_primary(question)))


def _too_few(question: Question, lead: Cell, found: Sequence[Comparison]) -> str:
    *others, last = found[: wording.NAMED_SYSTEMS]
    shown = [f"{entry.system} at {wording.share_words(entry.ratio)}" for entry in others]
    shown.append(f"{last.system} at {wording.share_of(last.ratio, question.baseline)}")
    named = f"{wording.listed(shown)}{wording.left_out(len(found))}"
    where = f"In {thing_of(question, lead)}"
    shows = "it shows" if found[0].n == 1 else "they show"
    return f"{wording.too_few(found[0].n)} {where} {shows} {named}."


def _primary(question: Question) -> list[tuple[Cell, Comparison]]:
    return [(cell, each) for cell in question.primary for each in comparisons_in(question, cell)]


def _free_of_cost(question: Question, lead: Cell) -> list[str]:
    """From which block size on nothing is lost, where all else is as in the first cell."""
    wanted = factors_of(lead).all_but_size
    column = sorted(
        (cell for cell in question.cells if factors_of(cell).all_but_size == wanted),
        key=lambda cell: factors_of(cell).operation_bytes,
    )
    free: list[tuple[Cell, list[Comparison]]] = []
    for cell in reversed(column):
        found = comparisons_in(question, cell)
        calm = all(entry.verdict in ("equivalent", *OPEN) for entry in found)
        if cell in question.primary or not found or not calm:
            break
        free.append((cell, found))
    return _free_from(question, free) if free else []


def _free_from(question: Question, free: Sequence[tuple[Cell, list[Comparison]]]) -> list[str]:
    entries = [entry for _, found in free for entry in found]
    size = format_size(factors_of(free[-1][0]).operation_bytes)
    where = f"From {size} on" if len(free) > 1 else f"At {size}"
    count = len(question.others)
    none = {1: "it does not differ", 2: "neither differs"}.get(count, "none differs")
    if all(entry.verdict == "equivalent" for entry in entries):
        margin = max(entry.margin_percent for entry in entries)
        return [f"{where} {none} by more than {exact_percent(margin)}."]
    hidden = hidden_from(entries)
    return (
        [f"{where} no difference could be seen ({wording.least_shown(hidden)})."] if hidden else []
    )
