"""The answer: "git clone takes 41 s on ext4 and 39 s on xfs (0.95 times, 0.93 to 0.98)."

Then its own numbers, and what it waits for: what another system can change at most. What the study
judges by comes first.
"""

from __future__ import annotations

from collections.abc import Sequence

from fsgauge.kinds.command.analysis.model import Command, OwnNumberResult, Waits
from fsgauge.record.factors import factors_of
from fsgauge.record.records import Cell
from fsgauge.stats.evidence import Question
from fsgauge.stats.results import JudgedRatio
from fsgauge.stats.sentence import comparisons_in
from fsgauge.stats.verdict import OPEN
from fsgauge.stats.wording import factor_words, listed, ratio_range
from fsgauge.units import format_duration, rounded

_MOST_NUMBERS = 3
_SOME = 0.01


def answer(question: Question) -> str | None:
    """Of the first primary cell; None where nothing was measured to its end."""
    own, cell = Command.of(question), question.primary[0]
    times = own.of_cell(cell.id) if own is not None else []
    if own is None or not times:
        return None
    factors = factors_of(cell)
    name = factors.place if len(question.cells) > 1 else factors.work
    numbers = _numbers(own, cell.id)
    waiting = _waiting(question, times)
    if own.primary != "time" and numbers:
        (called, first), *numbers = numbers
        said = [f"{called} of {name}: {first}.", _takes("It", question, cell, times)]
    else:
        said = [_takes(name, question, cell, times)]
    said += [f"Its {called}: {words}." for called, words in numbers]
    return " ".join([*said, waiting])


def _takes(who: str, question: Question, cell: Cell, times: Sequence[Waits]) -> str:
    ratios = {each.system: each for each in comparisons_in(question, cell)}
    words = []
    for each in times:
        time = f"{format_duration(round(each.time.value))} on {each.system}"
        entry = ratios.get(each.system)
        words.append(time if entry is None else f"{time} ({_ratio(entry)})")
    return f"{who} takes {listed(words)}."


def _ratio(entry: JudgedRatio) -> str:
    """ "0.95 times, 0.93 to 0.98"; of one that decides nothing it is said."""
    edges = entry.edges
    if entry.low is None or entry.high is None:
        return "one block decides nothing"
    ratio = f"{factor_words(entry.ratio, edges)} times, {ratio_range(*edges)}"
    return f"{ratio}, undecided" if entry.verdict in OPEN else ratio


def _waiting(question: Question, times: Sequence[Waits]) -> str:
    """Of the baseline; of the others where theirs is another one."""
    shares = {each.system: each.waiting for each in times if each.waiting is not None}
    if question.baseline not in shares:
        return "It is too short to see what share of its time it waits for storage."
    first = shares[question.baseline]
    others = [
        f"{_percent(share)} on {system}"
        for system, share in shares.items()
        if system != question.baseline and abs(share - first) > max(0.05, 0.25 * first)
    ]
    also = f" on {question.baseline}, {listed(others)}" if others else ""
    return (
        f"It waits for storage {_percent(first)} of its time{also}; the rest it computes or waits"
        " for something else."
    )


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share >= _SOME else "less than 1 %"


def _numbers(own: Command, cell: str) -> list[tuple[str, str]]:
    """ "tps" and "1,230 on ext4", the one that the study judges by first."""
    names = list(dict.fromkeys(each.name for each in own.numbers))
    names.sort(key=lambda name: name != own.primary)
    lines = []
    for name in names[:_MOST_NUMBERS]:
        found = [each for each in own.numbers if (each.name, each.cell) == (name, cell)]
        words = [_number(each) for each in found]
        if words:
            lines.append((name, listed(words)))
    return lines


def _number(each: OwnNumberResult) -> str:
    said = f"{rounded(each.value.value)} {each.unit}".strip() + f" on {each.system}"
    return said if each.ratio is None else f"{said} ({_ratio(each.ratio)})"
