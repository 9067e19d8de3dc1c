"""At what rates a block's cells are offered: decided by the blocks before, and by nothing else.

The unpaced block says how fast each system goes. Steps are shared by all systems and the same in
all blocks: evenly from a tenth of the slowest system's rate to a little above it, but never with
fewer operations in a run than the quantile needs. Searches stand on either side of the rate at
which each system was last seen to pass the limit, the nearer the more blocks have seen it; above
the highest rate that was served, and below the lowest that was not. The last one is above what any
system reaches, so that the fastest passes the limit too.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence

from fsgauge.errors import RigError
from fsgauge.plan.curve import FIRST_SHARE, LAST_SHARE, at_rates, least_rate
from fsgauge.record.modes import Curve
from fsgauge.record.records import Cell, Plan, RunRecord
from fsgauge.stats.curve.point import crossing, points_of, share_waited_for
from fsgauge.stats.run_checks import done_at_pace
from fsgauge.stats.samples import is_complete

FIRST_GUESS = 0.85
"""Of its unpaced rate, where a system is first looked for."""
WIDEST, NARROWEST = 0.12, 0.04
"""How far from there, as a share, searches stand at first, and at last."""
FURTHER_UP, FURTHER_DOWN = 1.25, 0.5
"""From the highest rate that was served, and from the least that was not."""
HIGHEST_RATE = 1e9


def plan_of_block(plan: Plan, block: int, runs: Sequence[RunRecord]) -> Plan:
    """The plan with the rates of one block, from the runs of the blocks before; a plan without a
    curve, and the unpaced block, as they are. RigError where no system was measured unpaced."""
    paced = {cell.id for cell in plan.cells if cell.pace}
    of_block = (turn for turn in plan.turns if turn.block == block)
    if plan.curve is None or not any(paced.intersection(turn.cells) for turn in of_block):
        return plan
    before = [run for run in runs if run.block < block]
    rates: dict[str, float] = {}
    for load in plan.paced_loads:
        rates |= _rates_of_load(plan, plan.curve, load, before)
    return at_rates(plan, rates)


def _rates_of_load(
    plan: Plan, curve: Curve, load: Cell, runs: Sequence[RunRecord]
) -> dict[str, float]:
    own = [run for run in runs if run.cell.id == load.id and is_complete(run)]
    fastest = {name: rate for name in plan.systems if (rate := _unpaced(name, own))}
    if not fastest:
        raise RigError(
            f'no system was measured in "{load.name}" without a pace, which a curve begins with',
            next="look at the journal for why: fsgauge report DIR",
        )
    least = min(_least_rate(curve, run) for run in own)
    cells = [cell for cell in plan.cells if cell.pace and cell.pace.load == load.id]
    steps = [cell for cell in cells if cell.pace and cell.pace.part == "step"]
    searches = [cell for cell in cells if cell.pace and cell.pace.part == "search"]
    rates = [
        *_steps(min(fastest.values()), least, len(steps)),
        *_searches(fastest, least, runs, curve, load, len(searches)),
    ]
    return {
        cell.id: float(f"{min(rate, HIGHEST_RATE):.4g}")
        for cell, rate in zip([*steps, *searches], rates, strict=True)
    }


def _unpaced(system: str, runs: Sequence[RunRecord]) -> float | None:
    found = [run.result for run in runs if run.system == system and run.result]
    rates = [
        done_at_pace(each) * 1e9 / each.elapsed_ns
        for each in found
        if each.elapsed_ns and done_at_pace(each)
    ]
    return statistics.geometric_mean(rates) if rates else None


def _least_rate(curve: Curve, run: RunRecord) -> float:
    """Below it, a run has too few operations for the quantile, also one that takes all of its time
    where this one had filled its log before; of files that are each done once, none is too low."""
    if run.result is None or run.result.clients is not None:
        return 0.0
    most_ns = run.load.duration_ns if run.load is not None else None
    elapsed_ns = max(run.result.elapsed_ns, most_ns or 0)
    return least_rate(curve, elapsed_ns, share_waited_for(run, run.result))


def _steps(slowest: float, least: float, number: int) -> list[float]:
    last = LAST_SHARE * slowest
    first = max(FIRST_SHARE * slowest, least)
    first = first if first < last else FIRST_SHARE * slowest
    return [first + at * (last - first) / (number - 1) for at in range(number)]


def _searches(
    fastest: Mapping[str, float],
    least: float,
    runs: Sequence[RunRecord],
    curve: Curve,
    load: Cell,
    number: int,
) -> list[float]:
    own = [run for run in runs if run.cell.pace and run.cell.pace.load == load.id]
    blocks = len({run.block for run in own})
    reach = max(NARROWEST, WIDEST / (blocks + 1))
    wanted = [
        max(least, place * (1 + side * reach))
        for system, unpaced in fastest.items()
        for place in [_last_seen([run for run in own if run.system == system], curve, unpaced)]
        for side in (-1, 1)
    ]
    top = LAST_SHARE * max(*fastest.values(), max(wanted))
    spread, last = sorted(wanted), len(wanted) - 1
    return [*(spread[round(at * last / (number - 2))] for at in range(number - 1)), top]


def _last_seen(runs: Sequence[RunRecord], curve: Curve, unpaced: float) -> float:
    """Where a system passes the limit, as all of its blocks together say."""
    found = crossing(points_of(runs, curve), curve.limit_ns)
    if found is None:
        return FIRST_GUESS * unpaced
    further = {"above": FURTHER_UP, "below": FURTHER_DOWN}
    return found.rate * further.get(found.where, 1.0)
