"""From a study to every turn and run in order, what that will take, and the engine's jobs.

The design is randomised complete blocks: in each block every system has one turn and the baseline
two, so that the baseline against itself shows the noise (A/A). A turn makes its system afresh.

- The turns of a block are in random order, and the next block has them backwards: A C A' B, then
  B A' C A. An even drift moves the two ratios of such a pair as far up as down, so it cancels in
  their mean; what is left of it is scatter, which makes intervals wider. Of an odd number of
  blocks the last one is without its partner.
- The baseline's twin A' (`again`) is drawn among the others: it is the later one as often as not,
  so a drift is no difference between A and A'.
- Where a workload has stages (churn), each is a turn of its own on a system made afresh. All
  systems have them in one order in a block: groups of stages that are compared stand side by
  side, in an order by lot; inside a group pairs of blocks have both orders.
- Cells have one order for all turns of a block, so that each system is worn alike when a cell
  begins. Cells that disturb the layout least come first: pure reads, then mixes, then pure
  writes, those that make files anew last; inside these groups the order is random.
  Where cells build on one another (connections), all turns have them in the study's own order;
  of a load curve those of one rate, and the rates are in random order.
- All turns of a block read and write the same offsets: seeds depend on block and cell alone.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable, Sequence
from typing import TypeVar

from fsgauge.engine.wire import ClientsJob, LoadJob
from fsgauge.errors import InputError
from fsgauge.plain_files.bounds import MOST_RUNS
from fsgauge.plan.around import HERE, Around
from fsgauge.plan.curve import curve_of, planned_cells, steps_of
from fsgauge.plan.estimate import block_seconds, plan_seconds, turn_written_bytes, turns_of_block
from fsgauge.plan.preconditioning import storage_written_bytes
from fsgauge.plan.race import most_blocks, race_of
from fsgauge.plan.space import held_twice, layout_bytes, planned_room
from fsgauge.plan.struck import struck_seconds, struck_turns
from fsgauge.record.command import CommandJob
from fsgauge.record.factors import factors_of
from fsgauge.record.modes import LOOKS
from fsgauge.record.records import Cell, Plan, Turn
from fsgauge.record.strikes import Strike
from fsgauge.study.model import LAYOUT, Study
from fsgauge.study.reached import is_beside_path
from fsgauge.study.workload import cells_of, default_primary
from fsgauge.units import exact_duration, format_duration, format_size
from fsgauge.workload import method_of
from fsgauge.workload.folders import Place
from fsgauge.workload.steps import Step

FEWEST_BLOCKS = 2
_SEED_BITS = 53

Thing = TypeVar("Thing")


def with_seed(study: Study, seed: int) -> Study:
    """The study with its seed decided; a seed that it has stays."""
    if study.plan.seed is not None:
        return study
    plan = study.plan.model_copy(update={"seed": seed % 2**_SEED_BITS})
    return study.model_copy(update={"plan": plan})


def make_plan(
    study: Study,
    *,
    size_bytes: int,
    side_by_side: bool = False,
    strikes: Sequence[Strike] = (),
    around: Around = HERE,
) -> Plan:
    """All turns in order, for a study with a seed on storage of `size_bytes`.

    With `side_by_side` a block's turns have slices by turns, as `fsgauge.plan.slices` says; their
    own order is then the one in which systems are made. `strikes` are those of its faults, as the
    rig carries them out, and `around` is what it knows of its time.

    Raises InputError if the files cannot hold a block of the load, or the budget two blocks.
    """
    seed = study.plan.seed
    if seed is None:
        raise ValueError("the study has no seed: use with_seed before make_plan")
    require_few_runs(study)
    require_files_fit(study, size_bytes)
    curve, loads, cells = curve_of(study), cells_of(study.workload), planned_cells(study)
    a_block, once = _seconds(study, size_bytes, side_by_side, around)
    race = race_of(study)
    blocks = _blocks(study, a_block, once) + (race.confirm if race else 0)
    unpaced = _turns(study, loads, 1, derived_seed(seed, 0, "unpaced")) if curve else []
    turns = unpaced + _turns(study, cells, blocks, seed, first_block=len(unpaced) and 1)
    struck = struck_turns(study, loads, strikes, blocks)
    measured = most_blocks(study) if race else blocks
    seconds = once + measured * a_block
    if race:
        seconds = race.within(seconds)
    return Plan(
        study=study.name,
        seed=seed,
        baseline=study.systems[0].name,
        systems=[system.name for system in study.systems],
        primary=steps_of(cells, _primary_ids(study, loads)),
        primary_layout=LAYOUT in study.plan.primary,
        cells=[*loads, *cells] if curve is not None else cells,
        turns=turns,
        expected_seconds=seconds + struck_seconds(study, struck, size_bytes, around),
        expected_written_bytes=0
        if around.block
        else written_bytes(study, size_bytes, measured, around),
        side_by_side=side_by_side,
        struck=struck,
        curve=curve,
        race=race,
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


def job_for(
    study: Study, plan: Plan, turn: Turn, cell: Cell, target: Place
) -> LoadJob | ClientsJob | CommandJob:
    """The job of one cell in one turn; equal for all systems of a block."""
    method = method_of(study.workload)
    seed = derived_seed(plan.seed, turn.block, method.seed_purpose(cell))
    return method.load_job(cell, target, seed)


def load_for(
    study: Study, plan: Plan, turn: Turn, cell: Cell, target: Place
) -> LoadJob | ClientsJob:
    """The same where the engine is the load; TypeError where a program is."""
    job = job_for(study, plan, turn, cell, target)
    if isinstance(job, CommandJob):
        raise TypeError("a program is started by the rig, and the engine has nothing to do")
    return job


def steps_for(study: Study, plan: Plan, turn: Turn, cell: Cell, target: Place) -> list[Step]:
    """What is done to the system before a cell; equal for all systems of a block."""
    method = method_of(study.workload)
    seed = derived_seed(plan.seed, turn.block, method.seed_purpose(cell))
    return method.steps_before(cell, target, seed)


def derived_seed(seed: int, block: int, purpose: str) -> int:
    """A seed for one purpose in one block, below 2**53 so that every JSON reader keeps it."""
    digest = hashlib.sha256(f"{seed}/{block}/{purpose}".encode()).digest()
    return int.from_bytes(digest[:8], "big") >> (64 - _SEED_BITS)


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
    """InputError where storage of that size cannot hold the study's files, whatever else is on
    it."""
    method = method_of(study.workload)
    if not method.lays_out:
        method.in_room(planned_room(study, size_bytes))
        return
    files = f"{method.files} files share" if method.files > 1 else "one file has"
    half = f", half of it as {held_twice(study)[0]} copies on write" if held_twice(study) else ""
    method.require_room(
        method.file_size_bytes(layout_bytes(study, size_bytes) // method.files),
        cause=f"{files} {method.fill_percent} % of {format_size(size_bytes)}{half}",
    )


def _blocks(study: Study, a_block: float, once: float) -> int:
    """As many blocks as asked for, or as the budget holds; one takes `a_block` seconds, and what
    comes before the first `once`."""
    budget_ns = study.plan.budget
    if budget_ns is None:
        return study.plan.blocks
    race = study.plan.mode == "race"
    confirming = most_blocks(study) - study.plan.blocks if race else 0.0
    fewest = LOOKS[0] if race else FEWEST_BLOCKS
    fitting = int((budget_ns / 1e9 - once) / a_block - confirming)
    if fitting < fewest:
        words = f"{fewest} blocks" + (" and those that confirm" if race else "")
        raise InputError(
            f"the budget of {exact_duration(budget_ns)} is too short for {words}",
            cause=f"one block takes about {format_duration(a_block * 1e9)}: "
            f"{turns_of_block(study)} turns of {len(planned_cells(study))} cells",
            next="a larger plan.budget, fewer cells, or a shorter workload.duration",
        )
    return study.plan.blocks if race else min(fitting, study.plan.blocks)


def _primary_ids(study: Study, cells: list[Cell]) -> list[str]:
    if not set(study.plan.primary) - {LAYOUT}:
        return default_primary(study.workload)
    return [
        cell.id for cell in cells for text in study.plan.primary if text in (cell.id, cell.name)
    ]


def _turns(
    study: Study, cells: list[Cell], blocks: int, seed: int, first_block: int = 0
) -> list[Turn]:
    chance = random.Random(seed)  # noqa: S311 - the order of a study, not a secret
    names = [system.name for system in study.systems]
    orders = _orders(names, blocks, chance)
    method = method_of(study.workload)
    stage_orders = _stage_orders(method.stages(cells), blocks, chance)
    turns: list[Turn] = []
    for block in range(blocks):
        stages = stage_orders[block]
        if not method.keeps_order:
            stages = [_cell_order(cells, chance)]
        elif any(cell.pace for cell in cells):
            stages = [_rates_order(cells, chance)]
        made = [(system, again, stage) for system, again in orders[block] for stage in stages]
        planned = [
            Turn(block=first_block + block, turn=0, system=system, again=again, cells=stage)
            for system, again, stage in made
        ]
        served = [system.name for system in study.systems if is_beside_path(study, system)]
        planned = _with_paths(planned, served, seed)
        turns += [turn.model_copy(update={"turn": at}) for at, turn in enumerate(planned)]
    return turns


def _with_paths(turns: list[Turn], names: list[str], seed: int) -> list[Turn]:
    """The block's turns with those of each system once more over its path, at places by lot. The
    lot is one of its own: the order of all others is that of the study without a server."""
    chance = random.Random(derived_seed(seed, turns[0].block, "paths"))  # noqa: S311 - as above
    found = list(turns)
    for name in names:
        stages = {tuple(turn.cells): turn for turn in turns if turn.system == name}
        for turn in stages.values():
            beside = turn.model_copy(update={"again": False, "over_path": True})
            found.insert(int(chance.random() * (len(found) + 1)), beside)
    return found


def _stage_orders(
    groups: list[list[list[str]]], blocks: int, chance: random.Random
) -> list[list[list[str]]]:
    """For each block, the stages in order; where there is one, nothing is left to chance."""
    if len(groups) == 1 and len(groups[0]) == 1:
        return [groups[0]] * blocks
    forward = [_pair_orders(blocks, chance) for _ in groups]
    return [
        [
            stage
            for index in _shuffled(range(len(groups)), chance)
            for stage in (groups[index] if forward[index][block] else groups[index][::-1])
        ]
        for block in range(blocks)
    ]


def _orders(names: list[str], blocks: int, chance: random.Random) -> list[list[tuple[str, bool]]]:
    """For each block, the systems and the baseline's twin: by lot, then the same backwards."""
    turns = [(name, False) for name in names] + [(names[0], True)]
    orders: list[list[tuple[str, bool]]] = []
    while len(orders) < blocks:
        order = _shuffled(turns, chance)
        orders += [order, order[::-1]]
    return orders[:blocks]


def _pair_orders(blocks: int, chance: random.Random) -> list[bool]:
    """For each block, whether a group has its own order or the reverse: each pair has both."""
    orders: list[bool] = []
    while len(orders) < blocks:
        first = chance.random() < 0.5
        orders += [first, not first]
    return orders[:blocks]


def _cell_order(cells: list[Cell], chance: random.Random) -> list[str]:
    """Reads, then mixes, then overwrites, then what makes files anew; random inside each."""
    of_cells = [(cell.id, factors_of(cell)) for cell in cells]
    reads = [cell for cell, factors in of_cells if factors.share_of_reads == 100]
    mixes = [cell for cell, factors in of_cells if 0 < factors.share_of_reads < 100]
    writes = [(cell, factors) for cell, factors in of_cells if factors.share_of_reads == 0]
    anew = [cell for cell, factors in writes if factors.makes_files_anew]
    over = [cell for cell, factors in writes if not factors.makes_files_anew]
    return [cell for group in (reads, mixes, over, anew) for cell in _shuffled(group, chance)]


def _rates_order(cells: list[Cell], chance: random.Random) -> list[str]:
    """Rates in random order; cells that build on one another stay together, and in their order."""
    chains: dict[tuple[str, int], list[str]] = {}
    for cell in cells:
        if cell.pace is not None:
            chains.setdefault((cell.pace.part, cell.pace.number), []).append(cell.id)
    return [cell for chain in _shuffled(chains.values(), chance) for cell in chain]


def _shuffled(things: Iterable[Thing], chance: random.Random) -> list[Thing]:
    """A random order. Of `random`, Python promises only random() to stay the same for ever."""
    return sorted(things, key=lambda _: chance.random())
