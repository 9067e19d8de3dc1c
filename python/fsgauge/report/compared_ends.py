"""The two ends of a model's range, cell by cell: what a device may be, and no verdict on it.

With the longest times a model is never faster than with the shortest ones, so a difference is no
finding. What is worth reading is how wide the range is.
"""

from __future__ import annotations

from itertools import groupby

from fsgauge.report import words
from fsgauge.stats.evidence import count
from fsgauge.stats.folders.between import Between, Entry, SideFacts
from fsgauge.stats.folders.ends_of_range import TIMES
from fsgauge.stats.folders.free_space import FREE_SPACE
from fsgauge.stats.folders.same_conditions import LIMITS

MOST_IN_A_SENTENCE = 4
"""Ranges in the headline; the table has them all."""


def ends_sentence(between: Between) -> str:
    """ "ssd-sata, the range of its model: read, 80 % full: 373 to 386 MiB/s on ext4-6.18." """
    if between.ends is None:
        return ""
    entries = between.primary_entries("direct")
    if not entries:
        return "No primary cell is in both folders: see below."
    cells = [
        f"{between.cell(cell).name}: {', '.join(_range(between, entry) for entry in found)}"
        for cell, found in groupby(entries[:MOST_IN_A_SENTENCE], key=lambda entry: entry.cell)
    ]
    more = "; more below" if len(entries) > MOST_IN_A_SENTENCE else ""
    return f"{between.ends.model}, the range of its model: {'; '.join(cells)}{more}."


def ends_basis(between: Between) -> str:
    """What a ratio is, and why none is judged."""
    if between.ends is None:
        return ""
    a, b = between.ends.a, between.ends.b
    over = (
        "Ratios are B over A"
        if between.decides == "direct"
        else f"Ratios are of the ratio to {between.baseline} in B over the same in A"
    )
    return (
        f"A has the {a} times of the model, and B the {b}. {over}. Nothing is judged: with the"
        " longest times the model is never faster, and it does not say where in the range a device"
        " lies."
    )


def ends_repetition(between: Between) -> str:
    """Whether anything but the times differs between the sides."""
    ends = between.ends
    if ends is None:
        return ""
    if ends.seeds_a != ends.seeds_b:
        return (
            f"The seeds differ ({_listed(ends.seeds_a)} and {_listed(ends.seeds_b)}), so other"
            " files are in the difference too: simulate both ends with one --seed."
        )
    if between.a.blocks_complete != between.b.blocks_complete:
        return (
            "A and B do not have the same number of blocks, so other files are in the difference"
            " too: simulate both ends with as many."
        )
    return "Both have the same seed and the same files in the same places; the times alone differ."


def side_words(between: Between, side: SideFacts) -> str:
    """What a side is made of: "5 complete blocks in 1 sitting", or of a model with which times."""
    blocks = count(side.blocks_complete, "complete block")
    if side.blocks_words:
        one = len(side.folders) == 1
        blocks = side.blocks_words if one else f"{blocks} (of one folder: {side.blocks_words})"
    if between.ends is not None:
        end = between.ends.a if side is between.a else between.ends.b
        return f"{blocks} with the {end} times"
    return f"{blocks} in {count(side.sittings, 'sitting')}"


def differing(between: Between) -> list[str]:
    """What else differs; of two ends neither the times nor the day, which is no matter. Limits and
    free space have their values: what they did to a ratio cannot be told from the folders."""
    hidden = [
        f"{each.fact} {each.a} / {each.b}" if _has_values(each.fact) else each.fact
        for each in between.differences
        if not each.despite
    ]
    if between.ends is None:
        return hidden
    return [name for name in hidden if name not in (TIMES, "day")]


def _has_values(fact: str) -> bool:
    return fact == LIMITS or fact.endswith(f": {FREE_SPACE}")


def _range(between: Between, entry: Entry) -> str:
    """ "373 to 386 MiB/s on ext4-6.18"; one value where both ends read alike."""
    unit = between.metric(entry.metric).unit
    low, high = (words.value(each, unit) for each in sorted((entry.value_a, entry.value_b)))
    if low == high:
        return f"{high} on {entry.system}"
    number, _, of_low = low.partition(" ")
    ranged = f"{number if high.endswith(f' {of_low}') else low} to {high}"
    return f"{ranged} on {entry.system}"


def _listed(seeds: list[int]) -> str:
    return ", ".join(map(str, seeds))
