"""How many blocks the plan of a study has, and what they take, before its turns are in order."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from fsgauge.errors import InputError
from fsgauge.plain_files.bounds import MOST_RUNS
from fsgauge.plan.around import HERE, Around
from fsgauge.plan.curve import curve_of, planned_cells, require_log_holds
from fsgauge.plan.estimate import (
    block_seconds,
    plan_seconds,
    storage_written_bytes,
    turn_written_bytes,
    turns_of_block,
)
from fsgauge.plan.race import blocks_within, measured_blocks, race_of
from fsgauge.plan.space import held_twice, layout_bytes, planned_room, reserve_words
from fsgauge.plan.struck import struck_seconds, struck_turns
from fsgauge.record.modes import LOOKS, RaceRules
from fsgauge.record.records import Turn
from fsgauge.record.strikes import Strike
from fsgauge.study.model import Study
from fsgauge.study.workload import cells_of
from fsgauge.units import count, exact_duration, format_duration, format_size
from fsgauge.workload import method_of
from fsgauge.workload.assumed import FASTEST

FEWEST_BLOCKS = 2


class ShortBudgetError(InputError):
    """A budget that is too short; so many seconds would be enough."""

    enough_seconds = 0.0


@dataclass(frozen=True)
class Cost:
    """What a plan takes, and how many blocks that are; a race ends sooner, or at its last block."""

    blocks: int
    race: RaceRules | None
    struck: list[Turn]
    seconds: float
    written_bytes: int


def cost_of(
    study: Study,
    *,
    size_bytes: int,
    side_by_side: bool = False,
    strikes: Sequence[Strike] = (),
    around: Around = HERE,
) -> Cost:
    """What the plan of a study takes, before its turns are in order; raises as `make_plan`."""
    require_few_runs(study)
    require_files_fit(study, size_bytes)
    a_block, once = _seconds(study, size_bytes, side_by_side, around)
    race = race_of(study)
    blocks = _blocks(study, a_block, once) + (race.confirm if race else 0)
    struck = struck_turns(study, cells_of(study.workload), strikes, blocks)
    measured, _, _ = measured_blocks(study, blocks)
    seconds = once + measured * a_block
    if race:
        seconds = race.within(seconds)
    fastest = block_seconds(study, size_bytes, FASTEST, side_by_side=side_by_side, around=around)
    written = blocks_within(study, measured, fastest)
    return Cost(
        blocks=blocks,
        race=race,
        struck=struck,
        seconds=seconds + struck_seconds(study, struck, size_bytes, around),
        written_bytes=0 if around.block else written_bytes(study, size_bytes, written, around),
    )


def written_bytes(study: Study, size_bytes: int, blocks: float, around: Around = HERE) -> int:
    """What so many blocks write at most, and what is written before them."""
    of_blocks = blocks * turns_of_block(study) * turn_written_bytes(study, size_bytes, around)
    return storage_written_bytes(study, size_bytes) + int(of_blocks)


def _seconds(
    study: Study, size_bytes: int, side_by_side: bool, around: Around
) -> tuple[float, float]:
    """Of a block, and of what is done once: before all blocks, and of a curve its unpaced block."""
    if around.block is not None:
        return around.block.seconds, 0.0
    a_block = block_seconds(study, size_bytes, side_by_side=side_by_side, around=around)
    first = 1 if curve_of(study) is not None else 0
    return a_block, plan_seconds(study, size_bytes, first, side_by_side, around)


def require_few_runs(study: Study) -> None:
    """InputError for a study of more runs than the bound, also where a budget would end it."""
    a_block = (len(study.systems) + 1) * len(planned_cells(study))
    runs = study.plan.blocks * a_block
    if runs > MOST_RUNS:
        raise InputError(
            f"the study has {runs:,} runs, and {MOST_RUNS:,} are allowed",
            next=f"--set plan.blocks={max(2, MOST_RUNS // a_block)}, or fewer systems or cells",
        )


def require_files_fit(study: Study, size_bytes: int) -> None:
    """InputError where storage of that size cannot hold the study's files."""
    method = method_of(study.workload)
    if not method.lays_out:
        method.in_room(planned_room(study, size_bytes))
        return
    files = f"{method.files} files share" if method.files > 1 else "one file has"
    half = f", half of it as {held_twice(study)[0]} copies on write" if held_twice(study) else ""
    file_bytes = method.file_size_bytes(layout_bytes(study, size_bytes) // method.files)
    method.require_room(
        file_bytes,
        cause=f"{files} {method.fill_percent} % of {format_size(size_bytes)}{half}"
        f"{reserve_words(method)}",
    )
    require_log_holds(study, file_bytes)


_SPARE = 1.1
"""A plan is made again with the next command, and times of mkfs differ a little."""


def longer(study: Study, seconds: float, races: int = 1) -> str:
    """The budget that is enough for so many seconds of each race, or what takes less."""
    minutes = math.ceil(_SPARE * seconds / 60) * races
    fewer = "--kinds" if study.plan.mode == "race" else "systems"
    runs = ""
    if getattr(study.workload, "duration", None):
        runs = ", or shorter runs: --set workload.duration=1s"
    return f"--set plan.budget={minutes}min, or fewer {fewer}{runs}"


def _blocks(study: Study, a_block: float, once: float) -> int:
    """As many blocks of `a_block` seconds as asked for, or as the budget holds after `once`."""
    budget_ns = study.plan.budget
    if budget_ns is None:
        return study.plan.blocks
    race = study.plan.mode == "race"
    confirming = measured_blocks(study, study.plan.blocks)[0] - study.plan.blocks
    fewest = LOOKS[0] if race else FEWEST_BLOCKS
    fitting = int((budget_ns / 1e9 - once) / a_block - confirming)
    if fitting < fewest:
        words = f"{fewest} blocks" + (" and those that confirm" if race else "")
        seconds = once + (fewest + confirming) * a_block
        short = ShortBudgetError(
            f"the budget of {exact_duration(budget_ns)} is too short for {words}",
            cause=f"one block takes about {format_duration(a_block * 1e9)}:"
            f" {turns_of_block(study)} turns of {count(len(planned_cells(study)), 'cell')};"
            f" in all {format_duration(seconds * 1e9)}",
            next=longer(study, seconds),
        )
        short.enough_seconds = seconds
        raise short
    return study.plan.blocks if race else min(fitting, study.plan.blocks)
