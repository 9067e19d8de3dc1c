"""From a writers study's records to `Scaling`."""

from __future__ import annotations

from collections.abc import Sequence

from fsgauge.kinds.writers.analysis.between import between_groups
from fsgauge.kinds.writers.analysis.groups import groups_of
from fsgauge.kinds.writers.analysis.limits import limits_of
from fsgauge.kinds.writers.analysis.lines import Measured, companions_of, line_of
from fsgauge.kinds.writers.analysis.model import Scaling
from fsgauge.kinds.writers.analysis.samples import collect_beside
from fsgauge.kinds.writers.factors import WritersFactors
from fsgauge.record import Plan, RunRecord, TurnRecord
from fsgauge.stats.samples import Samples, is_complete


def read_scaling(
    plan: Plan,
    turns: Sequence[TurnRecord],
    runs: Sequence[RunRecord],
    samples: Samples,
) -> Scaling:
    """Scaling of every system and group."""
    kinds = {turn.system: turn.facts.kind for turn in turns}
    device = next((system for system in plan.systems if kinds.get(system) == "raw"), None)
    measured = Measured(samples, collect_beside(plan, turns, runs), device)
    groups = groups_of(plan.cells)
    return Scaling(
        block_size_bytes=WritersFactors.of(plan.cells[0]).block_size_bytes,
        writer_counts=sorted({WritersFactors.of(cell).writers for cell in plan.cells}),
        whole_blocks=whole_blocks(plan, runs),
        device=device,
        lines=[line_of(measured, group, system) for group in groups for system in plan.systems],
        limits=[point for group in groups for point in limits_of(group, runs)],
        companions=[
            row
            for group in groups
            for system in plan.systems
            for row in companions_of(measured, group, system)
        ],
        between_groups=between_groups(measured, groups, plan.systems),
    )


def whole_blocks(plan: Plan, runs: Sequence[RunRecord]) -> int:
    """Blocks of which every planned run was made, to its end or to a fault of its own."""
    made = {(run.block, run.turn, run.cell.id) for run in runs if is_complete(run) or run.fault}
    missing = {
        turn.block
        for turn in plan.turns
        for cell in turn.cells
        if (turn.block, turn.turn, cell) not in made
    }
    return len({turn.block for turn in plan.turns} - missing)
