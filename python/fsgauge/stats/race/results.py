"""A race as a study of its last blocks: what is said of any study is then said of the winner, the
baseline and the rivals, from fresh blocks alone.

Blocks of the race are no sample of a ratio: who is in them was chosen by them. A race that has no
fresh blocks yet shows those before its first look, in which everything still ran.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TypeVar

from fsgauge.record.modes import LOOKS
from fsgauge.record.records import OfTurn, RunRecord, StudyRecord
from fsgauge.stats.choosing.commands import commands_of
from fsgauge.stats.race.model import Departure, Race, ToLeader
from fsgauge.stats.race.replay import Replay, finalists_of, raced_plan, spent_seconds, turns_of_each
from fsgauge.stats.race.rules import Interval
from fsgauge.stats.race.sentences import overtaking, race_lines
from fsgauge.stats.results import Results
from fsgauge.stats.sentence import few_operations

Of = TypeVar("Of", bound=OfTurn)


def as_confirmed(study: StudyRecord, runs: Sequence[RunRecord], found: Replay) -> StudyRecord:
    """The study of the blocks that are shown, with the systems that ran in them."""
    race, plan = found.rules, raced_plan(study.plan, found)
    is_confirmed = any(run.block >= race.blocks for run in runs)
    shown = range(race.blocks, race.blocks + race.confirm) if is_confirmed else range(LOOKS[0])
    turns = [turn for turn in plan.turns if turn.block in shown]
    systems = finalists_of(plan, found) if is_confirmed else plan.systems
    update = {"turns": turns, "systems": systems, "race": None}
    return study.model_copy(update={"plan": plan.model_copy(update=update)})


def of_shown(study: StudyRecord, records: Iterable[Of]) -> list[Of]:
    shown = {(turn.block, turn.turn) for turn in study.plan.turns}
    return [record for record in records if (record.block, record.turn) in shown]


def with_race(
    results: Results, study: StudyRecord, runs: Sequence[RunRecord], found: Replay
) -> Results:
    """The results with the race of the whole study, which the answer begins with."""
    race = race_in(study, runs, found)
    update: dict[str, object] = {"race": race}
    if results.sureness.valid:
        fresh = [
            each
            for each in results.comparisons
            if race.confirmed and (each.cell, each.metric) == (race.cell, race.metric)
        ]
        own_runs = [run for run in runs if run.block < found.rules.blocks]
        failed = any(run.fault for run in own_runs if run.cell.id == race.cell)
        few = "" if failed else few_operations(race.metric, own_runs, {race.cell})
        lines = [*race_lines(race, fresh, few), *(results.lines if fresh else [])]
        update |= {"lines": lines, "answer": " ".join(lines)}
        if race.leader and race.ended != "running":
            other = overtaking(race, fresh)
            chosen = race.leader if other is None else other.system
            systems = {str(each["name"]): each for each in study.study["system"]}
            ended = {
                "chosen": chosen,
                "commands": commands_of(systems[chosen]),
                "proven": race.proven and other is None,
            }
            update["race"] = race.model_copy(update=ended)
    return results.model_copy(update=update)


def race_in(study: StudyRecord, runs: Sequence[RunRecord], found: Replay) -> Race:
    names, standing, rules = study.plan.systems, found.standing, found.rules
    cells = study.plan.cells
    own = [run for run in runs if not found.blocks <= run.block < rules.blocks]
    seconds, of_turn = spent_seconds(study.plan, own, rules.blocks + rules.confirm)
    confirmed = len({run.block for run in runs if run.block >= rules.blocks})
    full = (found.blocks + confirmed) * (len(names) + 1)
    failed = [names[place] for place, each in standing.left.items() if each.interval is None]
    written = sum(_written_bytes(run) for run in own)
    has_ended = found.ended != "running"
    return Race(
        systems=names,
        baseline=study.plan.baseline,
        weaker=rules.weaker,
        metric=found.metric,
        cell=found.cell,
        decides=next(each.name for each in cells if each.id == found.cell) if cells[1:] else "",
        margin_percent=rules.margin_percent,
        blocks=found.blocks,
        rate_blocks={
            name: sum(place in each for each in found.asked) for place, name in enumerate(names)
        },
        leader="" if standing.leader is None else names[standing.leader],
        in_race=[names[place] for place in standing.in_race],
        parked=[names[place] for place in sorted(standing.parked)],
        departures=_departures(found, names),
        last={names[place]: _to_leader(each) for place, each in standing.over_leader.items()},
        others_at_most=math.exp(standing.at_most) if math.isfinite(standing.at_most) else None,
        ended=found.ended,
        proven=found.ended in ("margin", "one left")
        and len({*names} - {*rules.weaker, *failed}) > 1,
        first_blocks={
            name: [float(each) for each in found.values[: LOOKS[0], place]]
            for place, name in enumerate(names)
            if found.blocks >= LOOKS[0]
            and not any(map(math.isnan, found.values[: LOOKS[0], place]))
        },
        finalists=finalists_of(study.plan, found) if has_ended else [],
        confirmed=confirmed,
        runs=len(own),
        seconds=seconds,
        bytes_written=written,
        full_runs=full * len(cells),
        full_seconds=full * turns_of_each(study.plan) * of_turn,
        full_bytes_written=int(written * full * len(cells) / max(1, len(own))),
    )


def _departures(found: Replay, names: Sequence[str]) -> list[Departure]:
    left = sorted(found.standing.left.items(), key=lambda each: each[1].after_block)
    return [
        Departure(
            system=names[place],
            after_block=each.after_block,
            reason="failed" if each.interval is None else "slower",
            against="" if each.interval is None else names[each.leader],
            **({} if each.interval is None else _to_leader(each.interval).model_dump()),
        )
        for place, each in left
    ]


def _to_leader(interval: Interval) -> ToLeader:
    ends = [
        math.exp(each) if math.isfinite(each) else None for each in (interval.low, interval.high)
    ]
    return ToLeader(ratio=math.exp(interval.log), low=ends[0], high=ends[1])


def _written_bytes(run: RunRecord) -> int:
    result = run.result
    return result.write.size_bytes if result is not None and result.write is not None else 0
