"""Cells, and the order of turns."""

from __future__ import annotations

import random

from fsgauge.kinds.overhead.factors import OverheadFactors
from fsgauge.record.records import Cell, Plan, Turn
from tests.synthetic.recipe import Recipe


def plan_of(recipe: Recipe, chance: random.Random) -> Plan:
    cells = [
        cell_of(pattern, size, depth)
        for pattern in recipe.patterns
        for size in recipe.block_sizes
        for depth in recipe.queue_depths
    ]
    baseline = next(iter(recipe.systems))
    turns = []
    for block in range(recipe.blocks):
        order = [*recipe.systems, baseline]
        chance.shuffle(order)
        cell_order = [cell.id for cell in cells]
        chance.shuffle(cell_order)
        twin_comes_first = chance.random() < 0.5
        left = [twin_comes_first, not twin_comes_first]
        for turn, system in enumerate(order):
            again = left.pop(0) if system == baseline else False
            turns.append(Turn(block=block, turn=turn, system=system, again=again, cells=cell_order))
    primary = recipe.primary
    if primary is None:
        deepest = recipe.queue_depths[len(recipe.queue_depths) // 2]
        primary = [
            cell_of(pattern, recipe.block_sizes[0], depth).id
            for pattern in recipe.patterns
            for depth in sorted({deepest, recipe.queue_depths[0]}, reverse=True)
        ]
    return Plan(
        study="overhead",
        seed=recipe.seed,
        baseline=baseline,
        systems=list(recipe.systems),
        primary=primary,
        cells=cells,
        turns=turns,
        expected_seconds=len(turns) * len(cells) * (recipe.duration_s + recipe.warm_up_s + 1.0),
        expected_written_bytes=96 << 30,
    )


def cell_of(pattern: str, size: int, depth: int) -> Cell:
    read_percent = 70 if pattern.endswith("rw") else 0 if pattern.endswith("write") else 100
    factors = OverheadFactors.model_validate(
        {
            "pattern": pattern,
            "block_size_bytes": size,
            "queue_depth": depth,
            "jobs": 1,
            "read_percent": read_percent,
            "interface": "psync" if depth == 1 else "io_uring",
        }
    )
    return factors.cell(
        id=f"{pattern}-{size // 1024}KiB-depth{depth}",
        name=f"{pattern} {size // 1024} KiB, depth {depth}",
    )
