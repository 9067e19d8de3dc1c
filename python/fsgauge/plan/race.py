"""The rules of a race, from its study; how much of a block its confirmation is."""

from __future__ import annotations

from fsgauge.durability import SystemOptions, Weak, weakened
from fsgauge.record.race import RaceRules
from fsgauge.study.model import Study, System

FINALISTS = 5
"""The baseline, the winner and up to three rivals."""


def race_of(study: Study) -> RaceRules | None:
    """What a study asks of its race; None of one without."""
    plan = study.plan
    if plan.mode != "race":
        return None
    kept = _given_up(study.systems[0])
    return RaceRules(
        blocks=plan.blocks,
        confirm=plan.confirm,
        margin_percent=plan.margin_percent,
        budget_seconds=None if plan.budget is None else plan.budget / 1e9,
        weaker=[]
        if plan.weaker_may_win
        else [each.name for each in study.systems if not _given_up(each) <= kept],
    )


def most_blocks(study: Study) -> float:
    """All blocks that a race can have, in blocks of all its systems."""
    turns = len(study.systems) + 1
    return study.plan.blocks + study.plan.confirm * min(1.0, (FINALISTS + 1) / turns)


def made_of(system: System) -> SystemOptions:
    """A system as it is asked for."""
    return SystemOptions(
        kind=system.kind,
        mount=system.mount,
        mkfs=system.mkfs.split(),
        tunables=system.tunables,
        server=system.server,
    )


def _given_up(system: System) -> frozenset[str]:
    return frozenset(map(_what, weakened(made_of(system))))


def _what(weak: Weak) -> str:
    return weak.loses
