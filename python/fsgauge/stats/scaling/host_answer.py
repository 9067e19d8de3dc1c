"""How many times one host's work several do, in a sentence of the answer.

"Four hosts do 3.12 times the random reads of one on ext4 (2.95 to 3.30) and 2.41 times on xfs (2.30
to 2.52)." It is about the first primary cell, as all of the answer is; where another one gains less
than that one can, what gains least is said as well: "; of the random writes 0.75 times on ext4".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fsgauge.record.factors import factors_of
from fsgauge.record.records import Cell
from fsgauge.stats.estimate import Estimate, ends, widened
from fsgauge.stats.limit import Place, RigLimit
from fsgauge.stats.results import HostScaling
from fsgauge.stats.rig_limits import rates_set_by
from fsgauge.stats.verdict import BLOCKS_FOR_A_VERDICT
from fsgauge.stats.wording import NAMED_SYSTEMS, listed, number_words, ratio_range


def hosts_sentence(
    scaling: Sequence[HostScaling], primary: Sequence[Cell], limits: Mapping[Place, RigLimit]
) -> str:
    """The sentence; "" where the study does not vary hosts, or too few blocks have both numbers."""
    cells = {cell.id: cell for cell in primary}
    groups: dict[str, list[HostScaling]] = {}
    for each in scaling:
        if each.points[-1].cell in cells:
            groups.setdefault(each.group, []).append(each)
    changes = {group: _changes(lines) for group, lines in groups.items()}
    leading, *others = changes or [""]
    if not leading or not changes[leading]:
        return ""
    told = [leading]
    least = min(
        filter(changes.__getitem__, others), key=lambda each: _least(changes[each]), default=""
    )
    if least and _least(changes[least]) < _lowest(changes[leading]):
        told.append(least)
    intervals = sum(len(changes[group]) for group in told)
    points = groups[leading][0].points
    clauses = []
    for group in told:
        cell = cells[groups[group][0].points[-1].cell]
        work = factors_of(cell).work
        of_one = f" the {work} of {number_words(points[0].hosts)}"
        causes = {each.system: _set_by(each, limits) for each in groups[group]}
        clause = _clause(changes[group], of_one if group == leading else "", intervals, causes)
        clauses.append(clause if group == leading else f"of the {work} {clause}")
    shared = factors_of(cells[points[-1].cell]).shared_words
    said = number_words(points[-1].hosts)
    hosts = f"{said[:1].upper()}{said[1:]} hosts do"
    return f"{hosts} {'; '.join(clauses)}{f', {shared}' if shared else ''}."


def _changes(lines: Sequence[HostScaling]) -> dict[str, Estimate]:
    """What the most hosts do over what the fewest do, by system; none where too few blocks say."""
    found = {each.system: each.points[-1].change for each in lines}
    known = {system: each for system, each in found.items() if each is not None}
    enough = known and min(each.n for each in known.values()) >= BLOCKS_FOR_A_VERDICT
    return known if enough else {}


def _least(changes: dict[str, Estimate]) -> float:
    return min(each.value for each in changes.values())


def _lowest(changes: dict[str, Estimate]) -> float:
    return min(each.value if each.low is None else each.low for each in changes.values())


def _set_by(line: HostScaling, limits: Mapping[Place, RigLimit]) -> str:
    """ ", set by a disk's IOPS limit" where the fewest and the most hosts met it; else ""."""
    fewest, most = (line.points[at].cell for at in (0, -1))
    cause = rates_set_by(limits, (fewest, line.system), (most, line.system))
    return f", set by {cause}" if cause else ""


def _clause(
    changes: dict[str, Estimate], of_one: str, intervals: int, causes: Mapping[str, str]
) -> str:
    """ "3.12 times the random reads of one on ext4 (2.95 to 3.30) and 2.41 times on xfs (...)"."""
    parts = [
        f"{change.value:.2f} times{of_one if at == 0 else ''} on {system}"
        f" ({_range(change, intervals)}{causes[system]})"
        for at, (system, change) in enumerate(_named(changes))
    ]
    between = len(changes) - len(parts)
    more = f", the {number_words(between)} others between" if between > 1 else ""
    more = ", the other between" if between == 1 else more
    return f"{listed(parts)}{more}"


def _named(found: dict[str, Estimate]) -> list[tuple[str, Estimate]]:
    """All, or of many the one that gains most and the one that gains least."""
    if len(found) <= NAMED_SYSTEMS:
        return list(found.items())
    return ends(list(found.items()))


def _range(change: Estimate, intervals: int) -> str:
    wide = widened(change, intervals)
    return ratio_range(wide.low, wide.high)
