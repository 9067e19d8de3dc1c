"""Where the race of a study stands, from its records alone: the same for whoever asks.

The run loop asks before each block who runs in it; `resume` and `report` ask again, and get the
same. What a budget ends is decided by the times that are recorded.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise

import numpy as np

from fsgauge.record.modes import LOOKS, RaceRules, confirming_blocks, looks_of
from fsgauge.record.quantiles import QUANTILES
from fsgauge.record.records import Plan, RunRecord, StudyRecord
from fsgauge.stats.metrics import METRICS, latencies
from fsgauge.stats.planned import analysis_of, primary_cells, primary_metrics
from fsgauge.stats.race import rules
from fsgauge.stats.race.model import Ended
from fsgauge.stats.race.rules import Array, Standing
from fsgauge.stats.samples import at_most, collect, is_complete
from fsgauge.stats.wording import listed, named_systems
from fsgauge.units import grouped

PAUSE = 10.0
"""Times what a block takes: what lies longer between two is a study that was resumed."""


@dataclass(frozen=True)
class Replay:
    """A race so far. `values` are logs, blocks by systems, of the `asked` of each block; `missed`
    says in how many of the blocks that confirm a system failed, or did too little."""

    plan: Plan
    rules: RaceRules
    standing: Standing
    ended: Ended
    asked: list[list[int]]
    values: Array
    cell: str
    metric: str
    missed: Mapping[str, int]

    @property
    def blocks(self) -> int:
        return len(self.asked)

    @property
    def leader(self) -> str:
        """ "" before the first look."""
        return "" if self.standing.leader is None else self.plan.systems[self.standing.leader]

    @property
    def finalists(self) -> list[str]:
        """Who the confirming blocks run, the baseline first."""
        baseline = self.plan.systems.index(self.plan.baseline)
        return [self.plan.systems[place] for place in rules.finalists(self.standing, baseline)]


def replayed(study: StudyRecord, runs: Sequence[RunRecord]) -> Replay | None:
    """The race of a study with these runs; None where it is none. Blocks count while they are
    whole: of each system that was asked, every primary run is recorded."""
    plan, race = study.plan, study.plan.race
    if race is None:
        return None
    cell = primary_cells(plan)[0].id
    metric = primary_metrics(study, runs, analysis_of(study))[cell]
    own = [run for run in runs if not run.again and run.cell.id == cell]
    recorded = {(run.block, run.system) for run in own}
    values, short = _values(plan, own, metric, race.blocks + race.confirm)
    looks = looks_of(race.blocks)
    look = partial(rules.look, margin_log=math.log1p(race.margin_percent / 100), looks=len(looks))
    standing = Standing(len(plan.systems), frozenset(map(plan.systems.index, race.weaker)))
    ended: Ended = "running"
    asked: list[list[int]] = []
    while ended == "running" and len(asked) < race.blocks:
        block, now = len(asked), standing.running
        if any((block, plan.systems[place]) not in recorded for place in now):
            break
        values[block, [place for place in range(len(plan.systems)) if place not in now]] = np.nan
        asked.append(now)
        missed = [place for place in now if (block, plan.systems[place]) in short]
        standing = rules.failed(missed, now, block, standing)
        if block + 1 in looks:
            standing = look(values[: block + 1], standing)
        ended = _ended(plan, race, standing, block + 1, runs)
        if ended == "budget" and block + 1 not in looks:  # in the place of the next one
            standing = look(values[: block + 1], standing)
            if standing.settled:
                ended = _ended(plan, race, standing, block + 1, runs)
    fresh = values[race.blocks :]
    if ended != "running" and not np.isnan(fresh).all():
        seen = np.vstack([values[: len(asked)], fresh])
        standing = replace(standing, at_most=rules.at_most_with(seen, standing))
    none = Counter(system for block, system in sorted(short) if block >= race.blocks)
    return Replay(plan, race, standing, ended, asked, values[: len(asked)], cell, metric, none)


def _values(
    plan: Plan, runs: Sequence[RunRecord], metric: str, blocks: int
) -> tuple[Array, set[tuple[int, str]]]:
    """The log of what each run says by itself, blocks by systems, and the block and system of those
    that failed or say nothing.

    Of one that did too little to say it, the log of the worst that was seen of it: a race cannot
    wait for all runs, and without one that stalled its system would look as fast as the others.
    """
    values, short = np.full((blocks, len(plan.systems)), np.nan), set[tuple[int, str]]()
    of_block = grouped((turn.block, turn) for turn in plan.turns)
    for run in runs:
        alone = plan.model_copy(update={"turns": of_block.get(run.block, [])})
        said = collect(alone, [run]).of(metric, run.cell.id, run.system)
        log = said[run.block, False] if said else _worst(run, metric)
        if not said:
            short.add((run.block, run.system))
        if log is not None:
            values[run.block, plan.systems.index(run.system)] = METRICS[metric].sign * log
    return values, short


def _worst(run: RunRecord, metric: str) -> float | None:
    """The log of the most that a run can have done, or of the longest that it took; None of one
    that failed."""
    if run.result is None or not is_complete(run):
        return None
    if (most := at_most(run).get(metric)) is not None:
        return math.log(most.value)
    operation, _, part = metric.rpartition(".")
    found = latencies(run.result).get(operation)
    longest_ns = found.max_ns if found and found.operations else run.result.elapsed_ns
    return math.log(longest_ns) if part in QUANTILES and longest_ns else None


def raced_plan(found: Replay) -> Plan:
    """The plan with the turns that its race has had or has next, and the time of these."""
    plan, race = found.plan, found.rules
    running = found.standing.running if found.ended == "running" else []
    blocks = [*found.asked, *[running] * (race.blocks - found.blocks)]
    chosen = [[plan.systems[place] for place in each] for each in blocks]
    chosen += [found.finalists] * race.confirm
    turns = [turn for turn in plan.turns if turn.system in chosen[turn.block]]
    update = {"turns": turns, "expected_seconds": planned_turn_seconds(plan) * len(turns)}
    return plan.model_copy(update=update)


def standing_words(found: Replay, block: int) -> str:
    """Who leads, and who left after the block before; "" before the first look."""
    standing, names = found.standing, found.plan.systems
    if not found.leader:
        return ""
    if block >= found.rules.blocks:
        rivals = (name for name in found.finalists if name != found.leader)
        return f"race over: {found.leader} leads; fresh blocks of {listed(['it', *rivals])}"
    gone = [names[place] for place, each in standing.left.items() if each.after_block == block]
    words = f"race: {found.leader} leads {len(standing.in_race)} of {len(names)}"
    return f"{words}; just left: {named_systems(gone)}" if gone else words


def _ended(
    plan: Plan, race: RaceRules, standing: Standing, blocks: int, runs: Sequence[RunRecord]
) -> Ended:
    """How a race ended with so many blocks, if it did."""
    if not standing.may_lead:
        return "budget"
    if standing.settled:
        return "one left" if len(standing.may_lead) == 1 else "margin"
    if blocks == race.blocks:
        return "budget"
    if race.budget_seconds is None or blocks < LOOKS[0]:
        return "running"
    spent, of_turn = spent_seconds(plan, runs, blocks)
    baseline = plan.systems.index(plan.baseline)
    chosen = len(rules.finalists(standing, baseline))
    coming = len(standing.running) + (baseline in standing.running) + race.confirm * (chosen + 1)
    coming_seconds = coming * turns_of_each(plan) * of_turn
    return "budget" if spent + coming_seconds > race.budget_seconds else "running"


def turns_of_each(plan: Plan) -> float:
    """How many turns a system has in a block: one for each stage."""
    return sum(turn.block == 0 for turn in plan.turns) / (len(plan.systems) + 1)


def spent_seconds(plan: Plan, runs: Sequence[RunRecord], blocks: int) -> tuple[float, float]:
    """What so many blocks took, and a turn of them: from each block's first run to the next one's.
    The last block, and one that a pause came after, count as many turns of the others' mean."""
    found = grouped((run.block, run) for run in runs)
    of_block = [found.get(block, []) for block in range(blocks)]
    turns = [len({run.turn for run in own}) for own in of_block]
    planned = planned_turn_seconds(plan)
    known, known_turns, longest = 0.0, 0, 0.0
    for (own, following), count in zip(pairwise([*of_block, []]), turns, strict=True):
        if not own:
            continue
        first = min(run.started_unix_ns for run in own)
        ends = [run.started_unix_ns + (run.result.elapsed_ns if run.result else 0) for run in own]
        span = (max(ends) - first) / 1e9
        longest = max(longest, span / count)
        apart = (min((r.started_unix_ns for r in following), default=first) - first) / 1e9
        if span <= apart <= PAUSE * max(span, planned * count):
            known, known_turns = known + apart, known_turns + count
    of_turn = known / known_turns if known_turns else max(planned, longest)
    return known + of_turn * (sum(turns) - known_turns), of_turn


def planned_turn_seconds(plan: Plan) -> float:
    race, of_block = plan.race, sum(turn.block == 0 for turn in plan.turns)
    if race is None or not of_block:
        return 0.0
    blocks = race.blocks + confirming_blocks(race.confirm, len(plan.systems))
    return plan.expected_seconds / (of_block * blocks)
