"""The answer of a study of churn: what a fuller, older system keeps of a fresh copy's rate.

"At 95 % full, reads keep 82 % of a fresh copy's rate on ext4 (78 to 86) and 64 % on xfs (60 to 68);
writes 88 % on ext4 (80 to 96); too noisy to tell writes on xfs." It is about the highest level,
which is named before anything is measured.
"""

from __future__ import annotations

from collections.abc import Sequence

from fsgauge.kinds.churn.analysis.model import Churn, Damage
from fsgauge.kinds.churn.factors import ChurnFactors, Side
from fsgauge.record.records import Cell
from fsgauge.stats.kept import MOST_NAMED, NOUNS, Kept, Level, kept_sentences
from fsgauge.stats.sentence import DECIDED
from fsgauge.stats.verdict import BLOCKS_FOR_A_VERDICT
from fsgauge.stats.wording import left_out, listed
from fsgauge.units import format_size

LACKING_SHARE = 0.03
"""Of a fresh copy's bytes: an aged tree that lacks more of them is another tree."""
NO_SEEKS = "; not a hard disk, so seeks cost nothing"
CLEAR_CHANGE = 1.2
"""Extents a file, aged over fresh, that are worth a word where rates decide nothing."""


def churn_answer(churn: Churn, primary: Sequence[Cell]) -> str:
    """The sentence, of the primary cells at the highest level that was measured; then whose aged
    tree lacks so much that its number is not one of ageing."""
    fill, sides = _lead(churn, primary)
    found = [d for side in sides for d in churn.damages if (d.side, d.fill_percent) == (side, fill)]
    if not found:
        return "No answer yet: no block has an aged system and its fresh copy."
    is_open = all(_kept(each).is_open for each in found)
    is_told = max(each.n for each in found) >= BLOCKS_FOR_A_VERDICT
    unclear = {(each.side, each.system) for each in found if _kept(each).is_open}
    level = Level(
        where=_at_level(churn, fill),
        of="a fresh copy's rate",
        sides={
            NOUNS[side]: kept
            for side in sides
            if (kept := [_kept(each) for each in found if each.side == side])
        },
        elsewhere=[
            (_at_level(churn, each.fill_percent), NOUNS[each.side], _kept(each))
            for each in churn.damages
            if each not in found and each.verdict in DECIDED and (each.side, each.system) in unclear
        ],
        margin_percent=found[0].margin_percent,
    )
    tail = NO_SEEKS if churn.seeks == "no" and "read" in sides else ""
    layouts = _layouts(churn, fill) if is_open and is_told else ""
    return f"{kept_sentences(level, tail)}{layouts}{_lacking(churn, fill)}"


def _kept(damage: Damage) -> Kept:
    return Kept(
        damage.system,
        damage.ratio,
        damage.edges,
        damage.n,
        damage.verdict,
        damage.detectable_percent,
        damage.barely,
    )


def _lacking(churn: Churn, fill: int) -> str:
    """Aged trees that lack files, because operations failed; "" where there are none."""
    fresh = {
        each.system: each.live_bytes
        for each in churn.trees
        if (each.fill_percent, each.wear) == (fill, "fresh")
    }
    short = [
        each
        for each in churn.trees
        if (each.fill_percent, each.wear) == (fill, "aged")
        and each.failed
        and each.live_bytes < (1 - LACKING_SHARE) * fresh.get(each.system, 0.0)
    ]
    if not short:
        return ""
    least = min(short, key=lambda each: each.live_bytes / fresh[each.system])
    names = listed([each.system for each in short[:MOST_NAMED]]) + left_out(len(short), MOST_NAMED)
    hold = "the aged tree holds" if len(short) == 1 else "aged trees hold as little as"
    return (
        f" No answer for {names}: operations of ageing failed, and {hold}"
        f" {format_size(int(least.live_bytes))} of the fresh copy's"
        f" {format_size(int(fresh[least.system]))}."
    )


def _at_level(churn: Churn, fill: int) -> str:
    """ "At 95 % full"; a folder is part of a file system, which is fuller or emptier."""
    if churn.folder_bytes is None:
        return f"At {fill} % full"
    return f"With {fill} % of {format_size(churn.folder_bytes)} used"


def _lead(churn: Churn, primary: Sequence[Cell]) -> tuple[int, list[Side]]:
    """The highest level of which a primary cell has a damage, and its primary sides."""
    asked = [
        (factors.fill_percent, factors.side)
        for factors in map(ChurnFactors.of, primary)
        if factors.side in churn.sides
    ]
    with_data = {(damage.fill_percent, damage.side) for damage in churn.damages}
    known = [each for each in asked if each in with_data] or asked
    fill = max((fill for fill, _ in known), default=0)
    return fill, [side for side in churn.sides if (fill, side) in known]


def _layouts(churn: Churn, fill: int) -> str:
    """What the layouts show all the same, on the system where most changed; "" where none did."""
    pairs = [
        (aged, fresh)
        for aged in churn.layouts
        if (aged.fill_percent, aged.wear) == (fill, "aged")
        and (fresh := churn.layout(aged.system, fill, "fresh")) is not None
    ]
    parts = []
    for name, field in (("files lie", "extents_per_file"), ("new files", "new_extents_per_file")):
        changed = [
            (aged.system, before.value, after.value)
            for aged, fresh in pairs
            if (after := getattr(aged, field)) is not None
            and (before := getattr(fresh, field)) is not None
        ]
        if not changed:
            continue
        system, before, after = max(changed, key=lambda each: each[2] / each[1])
        if after > CLEAR_CHANGE * before:
            parts.append(f"{name} in {after:.1f} extents, not {before:.1f}, on {system}")
    return f" Layouts did change: {listed(parts)}." if parts else ""
