"""How close the partners of a ratio stand in a plan, and what that takes: lines for people."""

from __future__ import annotations

from collections import Counter

from fsgauge.plan.estimate import block_seconds, turns_of_block
from fsgauge.record.records import Plan
from fsgauge.study.model import Study
from fsgauge.units import exact_size, format_duration, format_size
from fsgauge.workload import method_of


def partners(plan: Plan, study: Study, size_bytes: int, because: str) -> list[str]:
    """The design of a plan; nothing where the study asks for none.

    `because` says why systems are measured one by one although the study would not have it so.
    """
    if plan.side_by_side:
        return [_room(plan, study, size_bytes), _slices(plan, study)]
    if not because:
        return []
    turn_ns = int(block_seconds(study, size_bytes) / turns_of_block(study) * 1e9)
    return [
        f"systems run one after another: {because}",
        f"compared runs are at least {format_duration(turn_ns)} apart; a shared machine's noise"
        " grows with that",
    ]


def _room(plan: Plan, study: Study, size_bytes: int) -> str:
    turns = turns_of_block(study)
    if study.storage.kind == "device":
        return (
            f"side by side: the {turns} systems of a block are made and filled once, each on a"
            f" device of its own, another one in the next block{_in_whole_rounds(plan, turns)}"
        )
    return (
        f"side by side: the {turns} systems of a block are made and filled once, and stand at"
        f" once; room: {turns} x {exact_size(size_bytes)} = {format_size(turns * size_bytes)}"
    )


def _in_whole_rounds(plan: Plan, turns: int) -> str:
    """What to say where some system is on one device more often than on another."""
    blocks = len({turn.block for turn in plan.turns})
    if blocks % turns == 0:
        return ""
    return f"; only in a multiple of {turns} blocks does each system have each device equally often"


def _synced(number: int, of: int) -> str:
    """How many of these cells are synced after each slice."""
    if not number:
        return ""
    return f" and a sync each{f' in {number} of them' if number < of else ''}"


def _slices(plan: Plan, study: Study) -> str:
    """How many cells have how many slices, and how long these are."""
    method, found, synced = method_of(study.workload), Counter[str](), Counter[str]()
    for cell in plan.cells:
        slicing = method.slicing(cell)
        if slicing.is_whole:
            found["in one go"] += 1
            continue
        slices = f"{slicing.count} slice{'s' if slicing.count > 1 else ''}"
        words = f"in {slices} of {format_duration(slicing.slice_ns)}"
        found[words] += 1
        synced[words] += slicing.charges_sync
    parts = [
        f"{count} cell{'s' if count > 1 else ''} {words}{_synced(synced[words], count)}"
        for words, count in found.items()
    ]
    return f"{', '.join(parts)}; by turns, forwards and backwards"
