"""What a writers study says first: each system's rate at the most writers, and who is fastest.

"With two writers, xfs reaches 75 % of raw (73 to 77 %) and ext4 51 % (50 to 52 %): xfs is fastest."
Scaling alone misleads: a system that was slowest at every count may scale best.
"""

from __future__ import annotations

from collections.abc import Sequence

from fsgauge.kinds.writers.analysis.answer import lead_group, on_hosts
from fsgauge.kinds.writers.analysis.model import Scaling
from fsgauge.kinds.writers.factors import WritersFactors
from fsgauge.stats.answer import comparisons_in
from fsgauge.stats.question import Question
from fsgauge.stats.results import Comparison
from fsgauge.stats.verdict import BLOCKS_FOR_A_VERDICT
from fsgauge.stats.wording import (
    NAMED_SYSTEMS,
    listed,
    named_systems,
    never_varied,
    number_words,
    percent,
    percent_range,
    remark,
)

SMALL_SHARE = 0.095


def rates_first(scaling: Scaling, question: Question) -> str:
    """The sentence; "" where nothing can be said of two systems."""
    group = lead_group(scaling, question.primary)
    lines = [line for line in scaling.lines if line.group == group]
    last = lines[0].points[-1]
    cell = next((cell for cell in question.cells if cell.id == last.cell), None)
    found = comparisons_in(question, cell) if cell is not None else []
    if not found or min(entry.n for entry in found) < BLOCKS_FOR_A_VERDICT:
        return ""
    hosts = on_hosts(WritersFactors.of(cell)) if cell is not None else ""
    where = f"With {number_words(last.writers)} writers{hosts}"
    clear = [entry for entry in found if entry.verdict != "undecided"]
    unclear = [entry.system for entry in found if entry.verdict == "undecided"]
    untold = (
        f"too noisy to tell {named_systems(unclear)} from {question.baseline}" if unclear else ""
    )
    if not clear:
        return f"{where}, {untold}."
    ordered = sorted(clear, key=lambda entry: entry.ratio, reverse=True)
    many = len(ordered) > NAMED_SYSTEMS
    shown = [ordered[0], ordered[-1]] if many else ordered
    parts = [
        f"{entry.system} {'reaches ' if at == 0 else ''}{_share(entry.ratio)}"
        f"{f' of {question.baseline}' if at == 0 else ''} ({_bounds(entry, is_pick=many)})"
        for at, entry in enumerate(shown)
    ]
    between = f", {len(ordered) - 2} between" if many else ""
    return (
        f"{where}, {listed(parts)}{between}{f'; {untold}' if untold else ''}"
        f"{_winner(ordered) if not unclear else ''}."
    )


def _winner(ordered: Sequence[Comparison]) -> str:
    """Who is fastest, where its interval lies above that of the next."""
    if len(ordered) < 2:
        return ""
    first, second = ordered[0], ordered[1]
    if first.pick_low is None or second.pick_high is None or first.pick_low <= second.pick_high:
        return ""
    return f": {first.system} is fastest of these" if first.ratio < 1 else f": {first.system} wins"


def _bounds(entry: Comparison, *, is_pick: bool) -> str:
    is_pick = is_pick and entry.verdict != "equivalent"
    low, high = (entry.pick_low, entry.pick_high) if is_pick else (entry.low, entry.high)
    word = remark(entry.verdict, barely=entry.barely)
    return f"{_range(low or entry.ratio, high or entry.ratio)}{word}"


def _share(ratio: float) -> str:
    """As percent; of a small share two digits, since 1 % and 1.4 % are not the same."""
    return f"{100 * ratio:.2g} %" if ratio < SMALL_SHARE else percent(ratio)


def _range(low: float, high: float) -> str:
    if high < SMALL_SHARE and not never_varied(low, high):
        return f"{100 * low:.2g} to {100 * high:.2g} %"
    return percent_range(low, high, " %")
