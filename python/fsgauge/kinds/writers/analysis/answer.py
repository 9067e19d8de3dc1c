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
from collections.abc import Sequence
from dataclasses import replace

from fsgauge.kinds.writers.analysis.model import GroupRatio, Scaling
from fsgauge.kinds.writers.factors import WritersFactors
from fsgauge.record.records import Cell, RunRecord
from fsgauge.stats.between_systems import comparing_sentences
from fsgauge.stats.evidence import Question
from fsgauge.stats.scaling.growth import Gain, gains_words
from fsgauge.stats.sentence import DECIDED, comparisons_in, shortest
from fsgauge.stats.verdict import BLOCKS_FOR_A_VERDICT, is_too_wide
from fsgauge.stats.wording import (
    NAMED_SYSTEMS,
    factor_words,
    left_out,
    named_systems,
    number_words,
    ratio_range,
    too_few,
)
from fsgauge.units import format_size

WIDE = 3.0
"""From this factor on an undecided interval is not worth a line in a sentence."""


def writers_answer(scaling: Scaling, primary: Sequence[Cell], margin_percent: float) -> str:
    """The sentence that heads the report of a valid writers study.

    It is about the most writers against the fewest, in the first primary cell's group: both were
    named before anything was measured. `margin_percent` is the change that does not matter.
    With one number of writers the answer is a comparison of systems: see answer.answer.
    """
    group = lead_group(scaling, primary)
    lines = [line for line in scaling.lines if line.group == group]
    found = [
        Gain(line.system, change, line.limited_by)
        for line in lines
        if (change := line.points[-1].change) is not None
    ]
    if not found:
        return "No answer yet: no block has a run of the fewest writers and of the most."
    fewest, most = lines[0].points[0], lines[0].points[-1]
    known = [cell for cell in primary if cell.id == most.cell]
    what = _what(scaling, next(iter([*known, *primary]), None), group)
    subject, base = f"{number_words(most.writers)} writers of {what}", number_words(fewest.writers)
    begun = f"{subject[:1].upper()}{subject[1:]}"
    blocks = min(each.change.n for each in found)
    if blocks < BLOCKS_FOR_A_VERDICT and scaling.whole_blocks == 0:
        return "No answer yet: no block is complete, so nothing can be said of how writers scale."
    if blocks < BLOCKS_FOR_A_VERDICT:
        did = [f"{each.change.value:.2f} times on {each.system}" for each in found[:NAMED_SYSTEMS]]
        seen = f"{begun} did, against {base}, {', '.join(did)}{left_out(len(found))}."
        return f"{too_few(blocks, 'scaling')} {seen}"
    judged = [_judged(scaling, each, margin_percent) for each in found]
    systems = [each for each in judged if each.system != scaling.device]
    device = next((each for each in judged if each.system == scaling.device), None)
    groups, of_one = _between_groups(scaling), f" the writes of {base}"
    if not systems and device is not None:
        alone = replace(device, system="the device alone")
        return f"{begun} do {gains_words([alone], of_one)}{groups}."
    if all(each.is_open for each in systems):
        names = named_systems([each.system for each in systems])
        return f"Too noisy to tell whether {subject} do more than {base} on {names}{groups}."
    also = ""
    if device is not None and not _is_noise(device):
        also = f"; the device alone {factor_words(device.change.value, device.change.edges)} times"
    if noisy := [each.system for each in systems if _is_noise(each)]:
        also += f"; too noisy to tell on {named_systems(noisy)}"
    clear = [each for each in systems if not _is_noise(each)]
    return shortest(
        f"{begun} do {gains_words(clear, of_one, named)}{also}{groups}."
        for named in range(NAMED_SYSTEMS, 0, -1)
    )


def _judged(scaling: Scaling, gain: Gain, margin_percent: float) -> Gain:
    """With the interval that holds for all systems at once; open where that contains 1, and more
    than what does not matter, or says nothing."""
    change = gain.change
    if gain.system != scaling.device:
        change = scaling.together(change) or change
    low, high = change.edges
    least = 1 - margin_percent / 100
    is_equal = low >= least and high <= 1 / least
    is_open = (low <= 1 <= high and not is_equal) or is_too_wide(low, high)
    return replace(gain, change=change, is_open=is_open and not gain.cause)


def _is_noise(gain: Gain) -> bool:
    """So wide that not even the interval tells a reader anything."""
    low, high = gain.change.edges
    return gain.is_open and high > WIDE * low


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


def rates_at_most(scaling: Scaling, question: Question) -> list[str]:
    """How systems compare at the most writers; [] where too few blocks say."""
    group = lead_group(scaling, question.primary)
    last = next(line.points[-1] for line in scaling.lines if line.group == group)
    cells = [cell for cell in question.cells if cell.id == last.cell]
    found = [entry for cell in cells for entry in comparisons_in(question, cell)]
    if not found or min(entry.n for entry in found) < BLOCKS_FOR_A_VERDICT:
        return []
    return comparing_sentences(question, cells)
