"""What systems keep of a rate at one level, in sentences: of their clean rate, of a fresh copy's.

"At 95 % full, reads keep 82 % of a fresh copy's rate on ext4 (78 to 86) and 64 % on xfs (60 to 68);
writes 88 % on ext4 (80 to 96); too noisy to tell writes on xfs."
A kind says where that is, what is done there and of which rate.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from fsgauge.stats.sentence import shortest
from fsgauge.stats.verdict import BLOCKS_FOR_A_VERDICT, OPEN
from fsgauge.stats.wording import (
    NAMED_SYSTEMS,
    Edges,
    left_out,
    listed,
    loss_shown,
    named_systems,
    percent,
    percent_range,
    remark,
    too_few,
)
from fsgauge.units import exact_percent

MOST_NAMED = 4
NOUNS = {"read": "reads", "write": "writes"}


@dataclass(frozen=True)
class Kept:
    """What one system keeps, and the smallest effect that would have shown on it."""

    system: str
    ratio: float
    edges: Edges
    n: int
    verdict: str
    detectable_percent: float | None = None
    barely: bool = False

    @property
    def is_open(self) -> bool:
        return self.verdict in OPEN

    def told(self, of: str = "") -> str:
        """ "82 % of a fresh copy's rate on ext4 (78 to 86)"."""
        words = f"{percent_range(*self.edges)}{remark(self.verdict, barely=self.barely)}"
        return f"{percent(self.ratio, self.edges)}{of} on {self.system} ({words})"


@dataclass(frozen=True)
class Level:
    """`where` begins a sentence: "At 95 % full"; `of` is the rate that is kept or lost; `sides` are
    by what is done: "reads". `elsewhere` are decided at other levels, each with where and what."""

    where: str
    of: str
    sides: Mapping[str, Sequence[Kept]]
    elsewhere: Sequence[tuple[str, str, Kept]]
    margin_percent: float

    @property
    def kept(self) -> list[Kept]:
        return [each for found in self.sides.values() for each in found]

    @property
    def within(self) -> str:
        """ "at 95 % full"."""
        return f"{self.where[:1].lower()}{self.where[1:]}"


def kept_sentences(level: Level, tail: str = "") -> str:
    """All of it; `tail` ends the sentence of what is decided, where it is short enough then."""
    blocks = max(each.n for each in level.kept)
    if blocks < BLOCKS_FOR_A_VERDICT:
        return _too_few(level, blocks)
    names, sides = _names(level.kept), listed(list(level.sides))
    if all(each.is_open for each in level.kept):
        said = f"{level.within}, {sides} are undecided on {named_systems(names, MOST_NAMED)}"
        return f"Too noisy to tell what ageing costs: {said}.{_lost(level)}{_elsewhere(level)}"
    if all(each.verdict == "equivalent" for each in level.kept):
        within = f"within {exact_percent(level.margin_percent)}"
        every = f"all {len(names)} systems: " if len(names) > NAMED_SYSTEMS else ""
        return f"{level.where}, {sides} keep {level.of} {within} on {every}{listed(names)}."
    said = shortest(
        f"{_sentence(level, named, alone=alone)}{end}."
        for named in (MOST_NAMED, 2, 1)
        for alone in (False, True)
        for end in ((tail, "") if tail else ("",))
    )
    return f"{said}{_elsewhere(level)}"


def picked(kept: Sequence[Kept], named: int = MOST_NAMED) -> list[Kept]:
    """All in the study's order, the baseline first; of too many the first, the least and the
    most."""
    if len(kept) <= named or named == 1:
        return list(kept[:named])
    by_share = sorted(kept, key=lambda each: each.ratio)
    return [each for each in kept if each in (kept[0], by_share[0], by_share[-1])]


def _sentence(level: Level, named: int, *, alone: bool) -> str:
    """With `alone`, what is done first is told of each system, all else as a range."""
    parts: list[str] = []
    for noun, found in level.sides.items():
        clear = [each for each in found if not each.is_open]
        if not clear:
            continue
        if parts and alone:
            shares = sorted(each.ratio for each in clear)
            ends = dict.fromkeys(map(percent, (shares[0], shares[-1])))
            parts.append(f"{noun} {' to '.join(ends).replace(' % to', ' to')}")
            continue
        shown = picked(clear, named)
        of = "" if parts else f" of {level.of}"
        told = [each.told("" if at else of) for at, each in enumerate(shown)]
        more = f" with {len(clear) - len(shown)} between" if len(clear) > len(shown) > 1 else ""
        more = left_out(len(clear), 1) if len(clear) > len(shown) == 1 else more
        parts.append(f"{noun}{'' if parts else ' keep'} {listed(told)}{more}")
    open_too = [
        f"{noun} on {named_systems(_names(unclear), MOST_NAMED)}"
        for noun, found in level.sides.items()
        if (unclear := [each for each in found if each.is_open])
    ]
    untold = f"; too noisy to tell {listed(open_too)}" if open_too else ""
    return f"{level.where}, {'; '.join(parts)}{untold}"


def _too_few(level: Level, blocks: int) -> str:
    """What was seen all the same, of a few systems."""
    parts: list[str] = []
    for noun, found in level.sides.items():
        shown = [f"{percent(each.ratio)} on {each.system}" for each in picked(found)]
        kept, of = ("", "") if parts else (" kept", f" of {level.of}")
        more = f", of {len(found)} systems" if len(found) > len(shown) else ""
        parts.append(f"{noun}{kept} {listed(shown)}{of}{more}")
    return f"{too_few(blocks)} {level.where}, {'; '.join(parts)}."


def _lost(level: Level) -> str:
    """ " Only a loss of 47 % would have shown."; of each system the largest."""
    losses: dict[str, float] = {}
    for each in level.kept:
        if each.detectable_percent is not None:
            loss = 100 * (1 - 1 / (1 + each.detectable_percent / 100))
            losses[each.system] = max(losses.get(each.system, 0.0), loss)
    said = loss_shown(losses) if losses else ""
    return f" {said[0].upper()}{said[1:]}." if said else ""


def _elsewhere(level: Level) -> str:
    """What the tables decide of what is undecided here: the first of it, and how much."""
    if not level.elsewhere:
        return ""
    where, noun, kept = level.elsewhere[0]
    several = len(level.elsewhere) > 1
    more = f", one of {len(level.elsewhere)} such rates" if several else ""
    at = f"{where[:1].lower()}{where[1:]}"
    return f" Decided elsewhere: {at}, {noun} keep {kept.told()}{more}."


def _names(kept: Iterable[Kept]) -> list[str]:
    return list(dict.fromkeys(each.system for each in kept))
