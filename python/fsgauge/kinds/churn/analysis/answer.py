"""The answer of a study of churn: what a fuller, older system keeps of a fresh copy's rate.

"At 95 % full, ageing leaves reads 82 % of a fresh copy's rate on ext4 (78 to 86) and 64 % on xfs
(60 to 68); writes 88 % on ext4 (80 to 96) and 101 % on xfs (95 to 107, undecided)." It is about the
highest level, which is named before anything is measured.
"""

from __future__ import annotations

from collections.abc import Sequence

from fsgauge.kinds.churn.analysis.model import Churn, Damage
from fsgauge.kinds.churn.factors import ChurnFactors, Side
from fsgauge.record.records import Cell
from fsgauge.stats.sentence import DECIDED, shortest
from fsgauge.stats.verdict import BLOCKS_FOR_A_VERDICT, OPEN
from fsgauge.stats.wording import (
    left_out,
    listed,
    loss_shown,
    percent,
    percent_range,
    remark,
    too_few,
)
from fsgauge.units import exact_percent, format_size

MOST_NAMED = 4
LACKING_SHARE = 0.03
"""Of a fresh copy's bytes: an aged tree that lacks more of them is another tree."""
NO_SEEKS = "; not a hard disk, so seeks cost nothing"
CLEAR_CHANGE = 1.2
"""Extents a file, aged over fresh, that are worth a word where rates decide nothing."""


def churn_answer(churn: Churn, primary: Sequence[Cell]) -> str:
    """The sentence, of the primary cells at the highest level that was measured; then whose aged
    tree lacks so much that its number is not one of ageing."""
    fill, sides = _lead(churn, primary)
    return _answer(churn, fill, sides) + _lacking(churn, fill)


def _answer(churn: Churn, fill: int, sides: list[Side]) -> str:
    of_level = [damage for damage in churn.damages if damage.fill_percent == fill]
    by_side = {side: [each for each in of_level if each.side == side] for side in sides}
    found = {side: damages for side, damages in by_side.items() if damages}
    if not found:
        return "No answer yet: no block has an aged system and its fresh copy."
    everything = [damage for damages in found.values() for damage in damages]
    blocks = max(damage.n for damage in everything)
    if blocks < BLOCKS_FOR_A_VERDICT:
        return _too_few(blocks, _at_level(churn, fill), found)
    if all(damage.verdict in OPEN for damage in everything):
        said = _nothing_seen(_at_level(churn, fill), found)
        return said + _decided_elsewhere(churn, found) + _layouts(churn, fill)
    if all(damage.verdict == "equivalent" for damage in everything):
        return (
            f"{_at_level(churn, fill)}, the aged system is as fast as a fresh copy in"
            f" {listed([NOUNS[side] for side in found])} within"
            f" {exact_percent(everything[0].margin_percent)}, on"
            f" {listed(_names(everything))}."
        )
    level = _at_level(churn, fill)
    said = shortest(
        [
            *(
                f"{_sentence(level, found, named)}{tail}."
                for named in (MOST_NAMED, 3, 2, 1)
                for tail in (NO_SEEKS if churn.seeks == "no" and "read" in found else "", "")
            ),
            f"{_sentence(level, dict([next(iter(found.items()))]), 1)}.",
        ]
    )
    return said + _decided_elsewhere(churn, found)


def _lacking(churn: Churn, fill: int) -> str:
    """Aged trees that lack files, because operations failed; "" where there are none."""
    if not any(damage.fill_percent == fill for damage in churn.damages):
        return ""
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


def _decided_elsewhere(churn: Churn, found: dict[Side, list[Damage]]) -> str:
    """What the tables decide of systems that the sentence leaves undecided: the first of it."""
    everything = [damage for damages in found.values() for damage in damages]
    open_ = {(each.side, each.system) for each in everything if each.verdict in OPEN}
    other = [
        damage
        for damage in churn.damages
        if damage.verdict in DECIDED
        and damage not in everything
        and (damage.side, damage.system) in open_
    ]
    if not other:
        return ""
    damage = other[0]
    where = _at_level(churn, damage.fill_percent)
    more = f", one of {len(other)} such rates" if len(other) > 1 else ""
    return (
        f" Decided elsewhere: {where[:1].lower()}{where[1:]}, {NOUNS[damage.side]} keep"
        f" {percent(damage.ratio, damage.edges)} on {damage.system} ({_interval(damage)}){more}."
    )


def _at_level(churn: Churn, fill: int) -> str:
    """ "At 95 % full"; a folder is part of a file system, which is fuller or emptier."""
    if churn.folder_bytes is None:
        return f"At {fill} % full"
    return f"With {fill} % of {format_size(churn.folder_bytes)} used"


NOUNS: dict[Side, str] = {"read": "reads", "write": "writes"}


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


def _sentence(level: str, found: dict[Side, list[Damage]], named: int) -> str:
    parts: list[str] = []
    for side, damages in found.items():
        shown = _chosen(damages, named)
        of = " of a fresh copy's rate" if not parts else ""
        words = [
            f"{percent(damage.ratio, damage.edges)}{of if at == 0 else ''} on {damage.system}"
            f" ({_interval(damage)})"
            for at, damage in enumerate(shown)
        ]
        more = len(damages) - len(shown)
        parts.append(f"{NOUNS[side]} {listed(words)}" + (f", {more} more" if more else ""))
    return f"{level}, ageing leaves {'; '.join(parts)}"


def _chosen(damages: Sequence[Damage], named: int) -> list[Damage]:
    """In the study's order; of many, the ones that suffer most and least."""
    if len(damages) <= named:
        return list(damages)
    ordered = sorted(damages, key=lambda damage: damage.ratio)
    chosen = ordered[:1] if named == 1 else [*ordered[: named - 1], ordered[-1]]
    return [damage for damage in damages if damage in chosen]


def _nothing_seen(level: str, found: dict[Side, list[Damage]]) -> str:
    everything = [damage for damages in found.values() for damage in damages]
    losses: dict[str, float] = {}
    for damage in everything:
        least = damage.detectable_loss_percent
        if least is not None:
            losses[damage.system] = max(losses.get(damage.system, 0.0), least)
    shown = f": {loss_shown(losses)}" if losses else ""
    return (
        f"Undecided: {level[:1].lower()}{level[1:]}, no damage by ageing showed in"
        f" {listed([NOUNS[side] for side in found])} on {listed(_names(everything))}{shown}."
    )


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


def _too_few(blocks: int, level: str, found: dict[Side, list[Damage]]) -> str:
    parts = [
        f"{NOUNS[side]} at "
        + listed([f"{percent(damage.ratio)} on {damage.system}" for damage in damages[:MOST_NAMED]])
        for side, damages in found.items()
    ]
    more = left_out(max(map(len, found.values()), default=0), MOST_NAMED)
    return f"{too_few(blocks, 'damage')} {level}, against a fresh copy: {'; '.join(parts)}{more}."


def _names(damages: Sequence[Damage]) -> list[str]:
    return list(dict.fromkeys(damage.system for damage in damages))


def _interval(damage: Damage) -> str:
    return f"{percent_range(*damage.edges)}{remark(damage.verdict, barely=damage.barely)}"
