"""The answer of a writers study: how many times one writer's writes several do, under 60 words.

"Two writers of 8 KiB to one file do 1.37 times the writes of one on xfs (1.30 to 1.44) and 1.02
times on ext4 (0.97 to 1.07, undecided); the device alone 1.93 times."
Where the study has several groups, it is about one, which it names, and adds the largest decided
difference between groups.

Scaling alone misleads, as a system that was slowest at every count may scale best. So how systems
compare at the most writers follows.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from fsgauge.kinds.writers.analysis.model import GroupRatio, Scaling
from fsgauge.kinds.writers.factors import WritersFactors
from fsgauge.record.records import Cell, RunRecord
from fsgauge.stats.between_systems import comparing_sentences
from fsgauge.stats.estimate import Estimate
from fsgauge.stats.evidence import Question
from fsgauge.stats.sentence import DECIDED, comparisons_in, ends, shortest
from fsgauge.stats.verdict import BLOCKS_FOR_A_VERDICT, is_too_wide
from fsgauge.stats.wording import (
    NAMED_SYSTEMS,
    factor_words,
    left_out,
    listed,
    named_systems,
    number_words,
    ratio_range,
)
from fsgauge.units import format_size

WIDE = 3.0
"""From this factor on an undecided interval is not worth a line in a sentence."""

Entry = tuple[str, Estimate]
"""A system and its change from the fewest writers to the most."""


def writers_answer(scaling: Scaling, primary: Sequence[Cell], margin_percent: float) -> str:
    """The sentence that heads the report of a valid writers study.

    It is about the most writers against the fewest, in the first primary cell's group: both were
    named before anything was measured. `margin_percent` is the change that does not matter.
    With one number of writers the answer is a comparison of systems: see answer.answer.
    """
    group = lead_group(scaling, primary)
    lines = [line for line in scaling.lines if line.group == group]
    changes = ((line.system, line.points[-1].change) for line in lines)
    found = [(system, change) for system, change in changes if change is not None]
    if not found:
        return "No answer yet: no block has a run of the fewest writers and of the most."
    points = lines[0].points
    fewest, most = points[0].writers, points[-1].writers
    known = [cell for cell in primary if cell.id == points[-1].cell]
    cell = next(iter([*known, *primary]), None)
    who = f"{number_words(most).capitalize()} {'writer' if most == 1 else 'writers'}"
    subject = f"{who} of {_what(scaling, cell, group)}"
    base = number_words(fewest)
    blocks = min(change.n for _, change in found)
    if blocks < BLOCKS_FOR_A_VERDICT and scaling.whole_blocks == 0:
        return "No answer yet: no block is complete, so nothing can be said of how writers scale."
    if blocks < BLOCKS_FOR_A_VERDICT:
        return _too_few(subject, base, blocks, found)
    systems = [
        (system, scaling.together(change) or change)
        for system, change in found
        if system != scaling.device
    ]
    device = next((change for system, change in found if system == scaling.device), None)
    groups = _between_groups(scaling)
    if not systems and device is not None:
        return f"{subject} do {_one(device, margin_percent, base)} on the device alone{groups}."
    causes = {line.system: line.limited_by for line in lines}
    if systems and all(
        (is_undecided(change, margin_percent) or is_too_wide(*change.edges)) and not causes[system]
        for system, change in systems
    ):
        names = [system for system, _ in systems]
        shown = named_systems(names)
        asked = f"{subject[:1].lower()}{subject[1:]} do more than {base} on {shown}"
        return f"Too noisy to tell whether {asked}{groups}."
    alone = ""
    if device is not None and not says_nothing(device, margin_percent):
        alone = f"; the device alone {factor_words(device.value, device.edges)} times"
    unclear = [each for each in systems if says_nothing(each[1], margin_percent)]
    is_wide = any(is_too_wide(*change.edges) for _, change in unclear)
    many = len(systems) > NAMED_SYSTEMS and any(each in unclear for each in ends(systems, _value))
    if is_wide or many:
        systems = [each for each in systems if each not in unclear]
        alone += f"; too noisy to tell on {named_systems([name for name, _ in unclear])}"
    return shortest(
        f"{subject} do {_systems(systems, margin_percent, base, named, causes)}{alone}{groups}."
        for named in range(NAMED_SYSTEMS, 0, -1)
    )


def one_load(runs: Sequence[RunRecord]) -> str:
    """ "two writers of one file"; "several writers of one file" where their numbers differ."""
    cells = [WritersFactors.of(run.cell) for run in runs]
    counts = {factors.writers for factors in cells}
    own = {factors.ranges == "own files" for factors in cells}
    number = number_words(counts.pop()) if len(counts) == 1 else "several"
    where = "" if len(own) > 1 else " of files of their own" if own.pop() else " of one file"
    return f"{number} writer{'' if number == 'one' else 's'}{where}"


def lead_group(scaling: Scaling, primary: Sequence[Cell]) -> str:
    """The group of the first primary cell; the first group where that has no data."""
    ids = {point.cell: line.group for line in scaling.lines for point in line.points}
    named = [ids[cell.id] for cell in primary if cell.id in ids]
    return named[0] if named else scaling.lines[0].group


def _what(scaling: Scaling, cell: Cell | None, group: str) -> str:
    """ "8 KiB to one file", "8 KiB to files of their own", "8 KiB (own files, buffered)"; "8 KiB to
    one file on each of four hosts"."""
    factors = WritersFactors.of(cell) if cell is not None else None
    size = factors.block_size_bytes if factors else scaling.block_size_bytes
    hosts = on_hosts(factors)
    varied = [way for way in group.split(", ") if not factors or way != factors.hosts_words]
    if any(varied):
        ways = [way for way in varied if way != format_size(size)]
        named = f" ({', '.join(ways)})" if ways else ""
        return f"{format_size(size)}{named}{hosts}"
    where = "files of their own" if factors and factors.ranges == "own files" else "one file"
    buffered = ", buffered," if factors and factors.access == "buffered" else ""
    return f"{format_size(size)} to {where}{buffered}{hosts}"


def on_hosts(factors: WritersFactors | None) -> str:
    """ " on each of four hosts"; "" where the study does not vary them."""
    if factors is None or factors.hosts is None:
        return ""
    return (
        f" on each of {number_words(factors.hosts)} hosts" if factors.hosts > 1 else " on one host"
    )


def _systems(
    found: Sequence[Entry], margin_percent: float, base: str, named: int, causes: Mapping[str, str]
) -> str:
    shown = sorted(
        ends(found, _value, named=named),
        key=lambda each: is_undecided(each[1], margin_percent) and not causes[each[0]],
    )
    parts = [
        f"{factor_words(change.value, change.edges)} times"
        f"{f' the writes of {base}' if at == 0 else ''} on {system}"
        f" ({interval_words(change, margin_percent, causes[system])})"
        for at, (system, change) in enumerate(shown)
    ]
    between = len(found) - len(shown)
    if between:
        others = "other" if between == 1 else f"{number_words(between)} others"
        if named == 1:
            return f"{parts[0]}, the {others} less"
        return f"{' and '.join(parts)}, the {others} between"
    return listed(parts)


def _between_groups(scaling: Scaling) -> str:
    """The largest decided difference between two groups at the most writers; "" without one."""
    most = max(scaling.writer_counts)
    decided = [
        (row, row.judged)
        for row in scaling.between_groups
        if row.writers == most and row.judged is not None and row.judged.verdict in DECIDED
    ]
    if not decided:
        return ""
    row, judged = max(decided, key=lambda each: abs(math.log(each[1].ratio)))
    group, first = _apart(row)
    return (
        f"; {number_words(most)} with {group} do {factor_words(judged.ratio, _pick(row))} times"
        f" those with {first} on {row.system} ({ratio_range(*_pick(row) or (None, None))})"
    )


def _pick(row: GroupRatio) -> tuple[float, float] | None:
    low, high = row.pick_low, row.pick_high
    return None if low is None or high is None else (low, high)


def _apart(row: GroupRatio) -> tuple[str, str]:
    """What the two groups do not share: "own files" and "shared"."""
    pairs = list(zip(row.group.split(", "), row.first.split(", "), strict=True))
    apart = [(this, first) for this, first in pairs if this != first]
    return " ".join(this for this, _ in apart), " ".join(first for _, first in apart)


def _value(entry: Entry) -> float:
    return entry[1].value


def _one(change: Estimate, margin_percent: float, base: str) -> str:
    return (
        f"{factor_words(change.value, change.edges)} times the writes of {base}"
        f" ({interval_words(change, margin_percent)})"
    )


def interval_words(change: Estimate, margin_percent: float, cause: str = "") -> str:
    """ "1.30 to 1.44", and that it is undecided, or what of the rig set it."""
    low, high = change.edges
    if cause:
        return f"{ratio_range(low, high)}, set by {cause}"
    word = ", undecided" if is_undecided(change, margin_percent) else ""
    return f"{ratio_range(low, high)}{word}"


def is_undecided(change: Estimate, margin_percent: float) -> bool:
    """Whether the interval contains 1, and more than what does not matter."""
    low, high = change.edges
    return low <= 1 <= high and not _within(low, high, margin_percent)


def says_nothing(change: Estimate, margin_percent: float) -> bool:
    """So wide that not even the interval tells a reader anything, all the more where undecided."""
    low, high = change.edges
    return is_too_wide(low, high) or (is_undecided(change, margin_percent) and high > WIDE * low)


def _within(low: float, high: float, margin_percent: float) -> bool:
    smallest = 1 - margin_percent / 100
    return low >= smallest and high <= 1 / smallest


def _too_few(subject: str, base: str, blocks: int, found: Sequence[Entry]) -> str:
    number = f"{number_words(blocks)} complete {'block' if blocks == 1 else 'blocks'}"
    shown = ", ".join(
        f"{change.value:.2f} times on {system}" for system, change in found[:NAMED_SYSTEMS]
    )
    return (
        f"Undecided: {number} cannot tell scaling from noise. {subject} did, against {base},"
        f" {shown}{left_out(len(found))}."
    )


def rates_at_most(scaling: Scaling, question: Question) -> list[str]:
    """How systems compare at the most writers; [] where too few blocks say."""
    group = lead_group(scaling, question.primary)
    last = next(line.points[-1] for line in scaling.lines if line.group == group)
    cells = [cell for cell in question.cells if cell.id == last.cell]
    found = [entry for cell in cells for entry in comparisons_in(question, cell)]
    if not found or min(entry.n for entry in found) < BLOCKS_FOR_A_VERDICT:
        return []
    return comparing_sentences(question, cells)
