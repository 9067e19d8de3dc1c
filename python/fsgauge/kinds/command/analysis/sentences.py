"""The answer: "git clone waits for storage 12 % of its time and takes 41 s on ext4, 58 s on btrfs
(1.41 times, 1.36 to 1.47)."

So the reader knows what another system can change at most. Then its own numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fsgauge.kinds.command.analysis.model import TIME, Command, OwnNumberResult, Waits
from fsgauge.record.factors import factors_of
from fsgauge.record.records import Cell
from fsgauge.stats.between_systems import comparing_sentences
from fsgauge.stats.evidence import Question
from fsgauge.stats.results import JudgedRatio
from fsgauge.stats.sentence import comparisons_in
from fsgauge.stats.verdict import BLOCKS_FOR_A_VERDICT, OPEN
from fsgauge.stats.wording import factor_words, listed, ratio_range, too_few
from fsgauge.units import format_duration, rounded

_MOST_NUMBERS = 3
_SOME = 0.01


def answer(question: Question) -> str | None:
    """Of the first primary cell; None where nothing was measured to its end.

    A program that is judged by a number of its own may run for a time that it is told: nothing is
    said of that.
    """
    own, cell = Command.of(question), question.primary[0]
    times = own.of_cell(cell.id) if own is not None else []
    if own is None or not times:
        return None
    factors = factors_of(cell)
    name = factors.place if len(question.cells) > 1 else factors.work
    shares = {each.system: each.waiting for each in times if each.waiting is not None}
    share = shares.get(question.baseline)
    also = _waits_otherwise(shares, share)
    on = f" on {question.baseline}" if also else ""
    if share is None:
        short = f"{name} is too short{on} to see what share of its time it waits for storage."
        waits, also = name, f"{short} {also}".strip()
    else:
        waits = f"{name} waits for storage {_percent(share)} of its time{on}"
    if own.primary == TIME:
        said = _takes(question, cell, times, f"{waits}{' and' if share is not None else ''} takes")
    else:
        said = [f"{waits}."] if share is not None else []
    return " ".join(filter(None, [*said, also, _numbers(own, cell.id)]))


def _takes(question: Question, cell: Cell, times: Sequence[Waits], start: str) -> list[str]:
    """How long it takes on each system, and what of it is told from noise."""
    found = comparisons_in(question, cell)
    if found and found[0].n >= BLOCKS_FOR_A_VERDICT:
        return comparing_sentences(question, [cell], start)
    words = [f"{format_duration(round(each.time.value))} on {each.system}" for each in times]
    return [f"{start} {listed(words)}.", *([too_few(found[0].n)] if found else [])]


def _ratio(entry: JudgedRatio) -> str:
    """ "0.95 times, 0.93 to 0.98"; of one that decides nothing, which word the tables have."""
    edges = entry.edges
    if entry.low is None or entry.high is None:
        return "one block decides nothing"
    ratio = f"{factor_words(entry.ratio, edges)} times, {ratio_range(*edges)}"
    return f"{ratio}, {entry.verdict}" if entry.verdict in OPEN else ratio


def _waits_otherwise(shares: Mapping[str, float], first: float | None) -> str:
    """On whom another share of the time is waited than `first`, the baseline's: "On xfs it waits
    60 % of its time and 30 % on btrfs." """
    others = [
        (system, _percent(share))
        for system, share in shares.items()
        if first is None or abs(share - first) > max(0.05, 0.25 * first)
    ]
    said = [f"On {system} it waits {share} of its time" for system, share in others[:1]]
    said += [f"{share} on {system}" for system, share in others[1:]]
    return f"{listed(said)}." if said else ""


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share >= _SOME else "less than 1 %"


def _numbers(own: Command, cell: str) -> str:
    names = list(dict.fromkeys(each.name for each in own.numbers))
    names.sort(key=lambda name: name != own.primary)
    asked = own.primary not in (TIME, *names)
    lines = [f"Its {own.primary} could not be read in any run."] * asked
    for name in names[:_MOST_NUMBERS]:
        found = [each for each in own.numbers if (each.name, each.cell) == (name, cell)]
        words = [_number(each) for each in found]
        if words:
            lines.append(f"Its {name}: {listed(words)}.")
    return " ".join(lines)


def _number(each: OwnNumberResult) -> str:
    said = f"{rounded(each.value.value)} {each.unit}".strip() + f" on {each.system}"
    return said if each.ratio is None else f"{said} ({_ratio(each.ratio)})"
