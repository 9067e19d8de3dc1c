"""The rules of a race, from its study; the blocks that it takes, and a device's life."""

from __future__ import annotations

from fsgauge.durability import made_by, weakened
from fsgauge.errors import InputError
from fsgauge.plan.curve import planned_cells
from fsgauge.record.modes import FINALISTS, LOOKS, RaceRules, confirming_blocks
from fsgauge.record.records import Plan
from fsgauge.study.model import DeviceStorage, Study, System
from fsgauge.units import exact_duration, format_size

EXPECTED_BLOCKS = {"usual": 4.8, "high": 7.2}
"""By certainty, in simulated races of 60 systems that differ by 15 %, at 5 % noise; where a quarter
of them are within 3 % of the best it is two to four times that (tests/known/test_races.py)."""


def race_of(study: Study) -> RaceRules | None:
    plan = study.plan
    if plan.mode != "race":
        return None
    given_up = _given_up(study.systems[0])

    def is_weaker(system: System) -> bool:
        return any(given_up.get(loss, -1) < most for loss, most in _given_up(system).items())

    return RaceRules(
        blocks=plan.blocks,
        confirm=plan.confirm,
        margin_percent=plan.margin_percent,
        budget_seconds=None if plan.budget is None else plan.budget / 1e9,
        weaker=[each.name for each in study.systems if is_weaker(each) and not plan.weaker_may_win],
    )


def measured_blocks(study: Study, blocks: int) -> tuple[float, float, float]:
    """How many blocks of all systems are measured: at most, as expected, and at least. What is no
    race measures all of its `blocks`."""
    plan = study.plan
    if plan.mode != "race":
        return (blocks,) * 3
    confirming = confirming_blocks(plan.confirm, len(study.systems))
    expected = min(EXPECTED_BLOCKS[plan.certainty], plan.blocks)
    return plan.blocks + confirming, expected + confirming, LOOKS[0] + confirming


def blocks_within(study: Study, blocks: float, block_seconds: float) -> float:
    """So many blocks, or as many as the budget of a race holds."""
    if study.plan.mode != "race" or study.plan.budget is None or block_seconds <= 0:
        return blocks
    return min(blocks, study.plan.budget / 1e9 / block_seconds)


def rested_on(plan: Plan) -> tuple[int, int]:
    """The blocks and the number of comparisons that verdicts rest on."""
    if plan.race is None:
        return plan.turns[-1].block + 1, plan.comparisons
    rivals = len(plan.systems) - 1
    return plan.race.confirm, plan.comparisons * min(FINALISTS - 1, rivals) // max(1, rivals)


def race_words(study: Study) -> str:
    """How many runs are expected, and at worst, and when it ends; "" without a race."""
    plan = study.plan
    if plan.mode != "race":
        return ""
    runs = (len(study.systems) + 1) * len(planned_cells(study))
    ends = f", or at {exact_duration(plan.budget)}" if plan.budget is not None else ""
    most, expected, _ = measured_blocks(study, plan.blocks)
    return (
        f"{expected * runs:,.0f} runs expected, {most * runs:,.0f} at worst: up to {plan.blocks}"
        f" blocks{ends}, then {plan.confirm} of the best; it ends once nothing left can be"
        f" {plan.margin_percent:g} % better"
    )


_RATED_WRITES = 600
"""Times that a flash drive may be written whole: 600 TB for each TB is what consumer drives of
three bits a cell are rated for. From a tenth of that on, the plan mentions it."""


def wear(study: Study, size_bytes: int, written_bytes: int, seconds: float) -> str:
    """What a race of so many seconds takes of a device's life, in words; "" where that is little
    or not known. InputError where it is more than the device endures, with a budget that is not."""
    if not isinstance(study.storage, DeviceStorage) or size_bytes == 0:
        return ""
    writes = written_bytes / size_bytes
    rated = f"flash drives are rated for about {_RATED_WRITES} writes of all they hold"
    if writes > _RATED_WRITES:
        raise InputError(
            f"the race may write {format_size(written_bytes)}, the whole device {writes:,.0f}"
            " times, which is more than it endures",
            cause=rated,
            next=f"--set plan.budget={_enduring_minutes(seconds, writes)}min, or fewer --kinds",
        )
    said = f"at worst {format_size(written_bytes)}, the whole device {writes:.3g} times; {rated}"
    return said if writes > _RATED_WRITES / 10 else ""


def _enduring_minutes(seconds: float, writes: float) -> int:
    """How long a race may take that writes the device half as often as it is rated for."""
    return max(int(seconds / 60 * _RATED_WRITES / 2 / writes), 1)


def _given_up(system: System) -> dict[str, int]:
    """Losses, and how much of each where that is a number."""
    return {each.loses: each.amount for each in weakened(made_by(system.model_dump()))}
