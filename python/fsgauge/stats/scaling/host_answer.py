"""How many times one host's work several do, in a sentence of the answer.

"Four hosts do 3.12 times the random reads of one on ext4 (2.95 to 3.30) and 2.41 times on xfs (2.30
to 2.52)." It is about the first primary cell, as all of the answer is.
"""

from __future__ import annotations

from collections.abc import Sequence

from fsgauge.factors import factors_of
from fsgauge.record import Cell
from fsgauge.stats.estimate import Estimate, ends, widened
from fsgauge.stats.results import HostScaling
from fsgauge.stats.verdict import BLOCKS_FOR_A_VERDICT
from fsgauge.stats.wording import NAMED_SYSTEMS, listed, number_words, ratio_range


def hosts_sentence(scaling: Sequence[HostScaling], primary: Sequence[Cell]) -> str:
    """The sentence; "" where the study does not vary hosts, or too few blocks have both numbers."""
    wanted = {cell.id for cell in primary}
    leading = next((each for each in scaling if each.points[-1].cell in wanted), None)
    if leading is None:
        return ""
    lines = [each for each in scaling if each.group == leading.group]
    changes = {each.system: each.points[-1].change for each in lines}
    found = {system: each for system, each in changes.items() if each is not None}
    if not found or min(each.n for each in found.values()) < BLOCKS_FOR_A_VERDICT:
        return ""
    fewest, most = leading.points[0].hosts, leading.points[-1].hosts
    cell = next(cell for cell in primary if cell.id == leading.points[-1].cell)
    parts = [
        f"{change.value:.2f} times"
        + (f" the {factors_of(cell).work} of {number_words(fewest)}" if at == 0 else "")
        + f" on {system} ({_range(change, len(found))})"
        for at, (system, change) in enumerate(_named(found))
    ]
    between = len(found) - len(parts)
    more = f", the {number_words(between)} others between" if between > 1 else ""
    more = ", the other between" if between == 1 else more
    said = number_words(most)
    return f"{said[:1].upper()}{said[1:]} hosts do {listed(parts)}{more}."


def _named(found: dict[str, Estimate]) -> list[tuple[str, Estimate]]:
    """All, or of many the one that gains most and the one that gains least."""
    if len(found) <= NAMED_SYSTEMS:
        return list(found.items())
    return ends(list(found.items()))


def _range(change: Estimate, systems: int) -> str:
    wide = widened(change, systems)
    return ratio_range(wide.low, wide.high)
