"""From a study to every turn and run in order, and the engine's jobs.

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
from fsgauge.plan.around import HERE, Around
from fsgauge.plan.cost import cost_of
from fsgauge.plan.curve import curve_of, planned_cells, steps_of
from fsgauge.record.command import CommandJob
from fsgauge.record.factors import factors_of
from fsgauge.record.records import Cell, Plan, Turn
from fsgauge.record.strikes import Strike
from fsgauge.study.model import Study
from fsgauge.study.reached import is_beside_path
from fsgauge.study.settings import LAYOUT
from fsgauge.study.workload import cells_of, default_primary
from fsgauge.workload import method_of
from fsgauge.workload.folders import Place
from fsgauge.workload.steps import Step

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
    cost = cost_of(
        study, size_bytes=size_bytes, side_by_side=side_by_side, strikes=strikes, around=around
    )
    curve, loads, cells = curve_of(study), cells_of(study.workload), planned_cells(study)
    unpaced = _turns(study, loads, 1, derived_seed(seed, 0, "unpaced")) if curve else []
    turns = unpaced + _turns(study, cells, cost.blocks, seed, first_block=len(unpaced) and 1)
    return Plan(
        study=study.name,
        seed=seed,
        baseline=study.systems[0].name,
        systems=[system.name for system in study.systems],
        primary=steps_of(cells, _primary_ids(study, loads)),
        primary_layout=LAYOUT in study.plan.primary,
        cells=[*loads, *cells] if curve is not None else cells,
        turns=turns,
        expected_seconds=cost.seconds,
        expected_written_bytes=cost.written_bytes,
        side_by_side=side_by_side,
        struck=cost.struck,
        curve=curve,
        race=cost.race,
    )


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
    """The job of one cell where the engine is the load; TypeError where a program is."""
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
    groups = [] if method.keeps_order else _least_disturbing_first(cells)
    served = [system.name for system in study.systems if is_beside_path(study, system)]
    turns: list[Turn] = []
    for block in range(blocks):
        stages = stage_orders[block]
        if not method.keeps_order:
            stages = [[cell for group in groups for cell in _shuffled(group, chance)]]
        elif any(cell.pace for cell in cells):
            stages = [_rates_order(cells, chance)]
        made = [(system, again, stage) for system, again in orders[block] for stage in stages]
        planned = [
            Turn(block=first_block + block, turn=0, system=system, again=again, cells=stage)
            for system, again, stage in made
        ]
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
    turns = [(name, False) for name in names] + [(names[0], True)]
    orders: list[list[tuple[str, bool]]] = []
    while len(orders) < blocks:
        order = _shuffled(turns, chance)
        orders += [order, order[::-1]]
    return orders[:blocks]


def _pair_orders(blocks: int, chance: random.Random) -> list[bool]:
    orders: list[bool] = []
    while len(orders) < blocks:
        first = chance.random() < 0.5
        orders += [first, not first]
    return orders[:blocks]


def _least_disturbing_first(cells: list[Cell]) -> list[list[str]]:
    of_cells = [(cell.id, factors_of(cell)) for cell in cells]
    reads = [cell for cell, factors in of_cells if factors.share_of_reads == 100]
    mixes = [cell for cell, factors in of_cells if 0 < factors.share_of_reads < 100]
    writes = [(cell, factors) for cell, factors in of_cells if factors.share_of_reads == 0]
    anew = [cell for cell, factors in writes if factors.makes_files_anew]
    over = [cell for cell, factors in writes if not factors.makes_files_anew]
    return [reads, mixes, over, anew]


def _rates_order(cells: list[Cell], chance: random.Random) -> list[str]:
    chains: dict[tuple[str, int], list[str]] = {}
    for cell in cells:
        if cell.pace is not None:
            chains.setdefault((cell.pace.part, cell.pace.number), []).append(cell.id)
    return [cell for chain in _shuffled(chains.values(), chance) for cell in chain]


def _shuffled(things: Iterable[Thing], chance: random.Random) -> list[Thing]:
    """A random order. Of `random`, Python promises only random() to stay the same for ever."""
    return sorted(things, key=lambda _: chance.random())
