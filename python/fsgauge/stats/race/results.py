"""A race as a study of its last blocks: what is said of any study is then said of the winner, the
baseline and the rivals, from fresh blocks alone.

Blocks of the race are no sample of a ratio: who is in them was chosen by them. A race that has no
fresh blocks yet shows those before its first look, in which everything still ran.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TypeVar

from fsgauge.plan.levels import corrected, shown_from
from fsgauge.record.factors import COMMITS
from fsgauge.record.modes import LOOKS
from fsgauge.record.records import OfTurn, RunRecord, StudyRecord
from fsgauge.stats.choosing.commands import commands_of
from fsgauge.stats.metrics import METRICS
from fsgauge.stats.race.model import Place, Race, State
from fsgauge.stats.race.replay import Replay, raced_plan, spent_seconds, turns_of_each
from fsgauge.stats.race.rules import Interval
from fsgauge.stats.ratio import ratio_of_blocks
from fsgauge.stats.results import Comparison, Results
from fsgauge.stats.sentence import edges_of, few_operations
from fsgauge.stats.verdict import is_too_wide
from fsgauge.stats.wording import (
    HOPELESS_PERCENT,
    factor_words,
    listed,
    named_systems,
    percent,
    percent_up,
    ratio_range,
)
from fsgauge.units import count

Of = TypeVar("Of", bound=OfTurn)


def as_confirmed(study: StudyRecord, runs: Sequence[RunRecord], found: Replay) -> StudyRecord:
    """The study of the blocks that are shown, with the systems that ran in them."""
    race, plan = found.rules, raced_plan(found)
    is_confirmed = any(run.block >= race.blocks for run in runs)
    shown = range(race.blocks, race.blocks + race.confirm) if is_confirmed else range(LOOKS[0])
    turns = [turn for turn in plan.turns if turn.block in shown]
    systems = found.finalists if is_confirmed else plan.systems
    update = {"turns": turns, "systems": systems, "race": None}
    return study.model_copy(update={"plan": plan.model_copy(update=update)})


def of_shown(study: StudyRecord, records: Iterable[Of]) -> list[Of]:
    shown = {(turn.block, turn.turn) for turn in study.plan.turns}
    return [record for record in records if (record.block, record.turn) in shown]


def leader_named_before(found: Replay, comparisons: Sequence[Comparison]) -> list[Comparison]:
    """The leader is no pick of the fresh blocks, even where it is the furthest in them."""
    return [
        each.model_copy(update={"pick_low": each.low, "pick_high": each.high})
        if each.system == found.leader
        else each
        for each in comparisons
    ]


def with_race(
    results: Results, study: StudyRecord, runs: Sequence[RunRecord], found: Replay
) -> Results:
    """The results with the race of the whole study, which the answer begins with."""
    race = race_in(found, runs)
    if results.unit_in(race.cell, METRICS[race.metric].unit) == COMMITS:
        race = race.model_copy(update={"label": "commits per second"})
    if not results.sureness.valid:
        return results.model_copy(update={"race": race})
    fresh = [
        each
        for each in results.comparisons
        if race.confirmed and (each.cell, each.metric) == (race.cell, race.metric)
    ]
    own = [run for run in runs if run.block < found.rules.blocks and run.cell.id == race.cell]
    failed = any(run.fault for run in own)
    few = "" if failed else few_operations(race.metric, own, {race.cell})
    lines = [*race_lines(race, fresh, few), *(results.lines if fresh else [])]
    if race.leader and race.ended != "running":
        other = overtaking(race, fresh)
        chosen = race.leader if other is None else other.system
        system = next(each for each in study.study["system"] if each["name"] == chosen)
        proven = race.proven and other is None
        commands = commands_of(system)
        race = race.model_copy(update={"chosen": chosen, "commands": commands, "proven": proven})
    return results.model_copy(update={"race": race, "lines": lines, "answer": " ".join(lines)})


def race_in(found: Replay, runs: Sequence[RunRecord]) -> Race:
    plan, standing, rules = found.plan, found.standing, found.rules
    names, cells = plan.systems, plan.cells
    own = [run for run in runs if not found.blocks <= run.block < rules.blocks]
    seconds, of_turn = spent_seconds(plan, own, rules.blocks + rules.confirm)
    confirmed = len({run.block for run in runs if run.block >= rules.blocks})
    full = (found.blocks + confirmed) * (len(names) + 1)
    places = sorted((_place(found, place) for place in range(len(names))), key=_rank)
    failed = {each.system for each in places if each.state == "failed"}
    written = sum(run.result.write.size_bytes for run in own if run.result and run.result.write)
    first = found.values[: LOOKS[0]].T.tolist() if found.blocks >= LOOKS[0] else []
    return Race(
        systems=names,
        baseline=plan.baseline,
        weaker=rules.weaker,
        metric=found.metric,
        label=METRICS[found.metric].label,
        cell=found.cell,
        decides=next(each.name for each in cells if each.id == found.cell) if cells[1:] else "",
        margin_percent=rules.margin_percent,
        blocks=found.blocks,
        leader=found.leader,
        places=places,
        others_at_most=math.exp(standing.at_most) if math.isfinite(standing.at_most) else None,
        ended=found.ended,
        proven=found.ended in ("margin", "one left")
        and standing.at_most <= math.log1p(rules.margin_percent / 100)
        and found.leader not in found.missed
        and len({*names} - {*rules.weaker} - failed) > 1,
        first_blocks={
            name: logs
            for name, logs in zip(names, first, strict=False)
            if not any(map(math.isnan, logs))
        },
        finalists=[] if found.ended == "running" else found.finalists,
        confirmed=confirmed,
        missed=dict(found.missed),
        runs=len(own),
        seconds=seconds,
        bytes_written=written,
        full_runs=full * len(cells),
        full_seconds=full * turns_of_each(plan) * of_turn,
        full_bytes_written=int(written * full * len(cells) / max(1, len(own))),
    )


def _place(found: Replay, place: int) -> Place:
    standing, names = found.standing, found.plan.systems
    left, interval = standing.left.get(place), standing.over_leader.get(place)
    state: State = "parked" if place in standing.parked else "in the race"
    if place == standing.leader:
        state, interval = "leader", Interval(0.0, -math.inf, math.inf)
    if left is not None:
        state, interval = "slower" if left.interval else "failed", left.interval
    logs = (interval.log, interval.low, interval.high) if interval is not None else ()
    ends = zip(("ratio", "low", "high"), logs, strict=False)
    return Place(
        system=names[place],
        state=state,
        blocks=sum(place in each for each in found.asked),
        against=names[left.leader] if left is not None and left.interval else "",
        after_block=left.after_block if left is not None else 0,
        **{end: math.exp(log) for end, log in ends if math.isfinite(log)},
    )


def _rank(each: Place) -> tuple[float, ...]:
    """The leader, those in the race by their ratio, then who left last."""
    states = each.after_block > 0, each.state == "failed", each.state != "leader"
    return (*states, -each.after_block, -(each.ratio or 0))


MOST_AT_MOST = 1 + HOPELESS_PERCENT / 100
"""From here on, how much better another one may be says nothing."""
_GONE = "failed, or did too little to be measured, twice in a row and left"


def race_lines(race: Race, fresh: Sequence[Comparison], few: str = "") -> list[str]:
    """The headline, and what the race claims; `few` says of which runs a quantile is not known."""
    if not race.leader and race.ended == "running":
        blocks = f"{count(race.blocks, 'block')} of the {LOOKS[0]}"
        return [f"The race has no leader yet: it has {blocks} before its first look."]
    if not race.leader:
        return [f"No system is left in the race. {few or 'All failed, or did nothing.'}"]
    other = overtaking(race, fresh)
    near = [each.system for each in race.in_race if each.system in race.rivals]
    return [
        *(_no_difference(race) if other is None else []),
        _headline(race, fresh, other),
        _nothing_better(race, other),
        *_rare(race),
        *([f"{named_systems(near)} could not be told from it in the race."] if near else []),
        *([f"{listed(race.failed)} {_GONE}."] if race.failed else []),
        *(
            f"{name} failed, or did too little to be measured, in {missed} of"
            f" {count(race.confirmed, 'fresh block')}."
            for name, missed in race.missed.items()
        ),
    ]


def overtaking(race: Race, fresh: Sequence[Comparison]) -> Comparison | None:
    """The best of those that fresh blocks show to beat the baseline, where they show that it beats
    the leader, or do not show of the leader that it beats the baseline."""
    shown = [
        each
        for each in fresh
        if each.verdict == "better" and each.system not in (race.leader, *race.weaker)
    ]
    sign, leader = METRICS[race.metric].sign, _of_leader(race, fresh)
    best = max(shown, key=lambda each: sign * each.ratio, default=None)
    is_sure = leader is not None and leader.verdict == "better"
    return None if best and is_sure and not _beats_leader(race, fresh, best) else best


def _of_leader(race: Race, fresh: Sequence[Comparison]) -> Comparison | None:
    return next((each for each in fresh if each.system == race.leader), None)


def _beats_leader(race: Race, fresh: Sequence[Comparison], other: Comparison) -> bool:
    """Whether one that beats the baseline does, block by block, beat the leader."""
    leader = _of_leader(race, fresh)
    if leader is None:
        return race.leader == race.baseline
    sign, own = METRICS[race.metric].sign, dict(leader.blocks)
    logs = [sign * math.log(ratio / own[block]) for block, ratio in other.blocks if block in own]
    found = ratio_of_blocks(logs, level=corrected(len(fresh)))
    return found is not None and found.low is not None and found.low > 1


def _no_difference(race: Race) -> list[str]:
    """Where nothing was slower than anything: how far any two can be apart from the leader."""
    last = [each for each in race.in_race if each.system != race.leader]
    ends = [end for each in last for end in (each.low, each.high)]
    furthest = max((max(end, 1 / end) if end else math.inf for end in ends), default=math.inf)
    has_left = any(each.against for each in race.places)
    if race.ended == "running" or has_left or furthest > MOST_AT_MOST:
        return []
    most, others = percent_up(100 * (furthest - 1)), count(len(last), "other system")
    return [f"No difference above {most} between {race.leader} and {others} (95 %)."]


def _headline(race: Race, fresh: Sequence[Comparison], other: Comparison | None) -> str:
    failed = race.failed
    where = f" in {race.decides}" if race.decides else ""
    worked = " that worked" * bool(failed)
    of = f"{len(race.systems) - len(failed)}{worked}{where}"
    leads = f"{race.leader} leads the {of}"
    if race.ended == "running":
        return f"{leads} after {count(race.blocks, 'block')}; the race is not over."
    if not race.rivals and {*failed} - {*race.weaker}:
        kept = " of the equally durable" * bool({*race.weaker} - {*failed})
        return (
            f"{race.leader} is all that worked{kept}{where}: the others failed, so nothing is"
            " chosen."
        )
    open_end = "that it is the best is not proven"
    best = f"the best of {of}"
    if race.ended == "margin" and race.others_at_most:
        best += f" to within {percent_up(100 * (race.others_at_most - 1))}"
    winner = _of_leader(race, fresh)
    if other is not None:
        behind = f"; {race.leader} {factor_words(winner.ratio)} times" if winner else ""
        did = f"is shown to beat {race.baseline}, and {race.leader} is not"
        if _beats_leader(race, fresh, other):
            did = "did better in the fresh blocks"
        return (
            f"{race.leader} led the {of}, but {other.system} {did}: {_times(race, other)}{behind}."
        )
    if race.leader == race.baseline:
        if race.proven:
            return f"{race.leader}, the baseline, is {best}."
        return f"{race.leader}, the baseline, leads the {of}; {open_end}."
    if not race.confirmed:
        return f"{leads}; no fresh block confirms it."
    if winner is None or winner.low is None:
        why = "one failed in the fresh blocks" if winner is None else "too few fresh blocks"
        return f"{leads}; over {race.baseline} no gain is known: {why}."
    if winner.verdict != "better":
        equals = len({*race.systems} - {*race.weaker, *failed})
        kind = "equally durable " * bool(race.weaker) + "system"
        none = f"None of {count(equals, kind)}{worked} is shown to beat {race.baseline}"
        if is_too_wide(winner.low, winner.high):
            return f"Too noisy to tell: {none[0].lower()}{none[1:]}{where}."
        return f"{none}{where}: {race.leader} led, at {_times(race, winner, its=True)}."
    if race.proven:
        return f"{race.leader} is {best}: {_times(race, winner)}."
    return f"{leads}: {_times(race, winner)}; {open_end}."


def _times(race: Race, found: Comparison, *, its: bool = False) -> str:
    """ "1.22 times ext4 in operations per second (1.17 to 1.27; 8 fresh blocks)"."""
    edges = edges_of(found, is_pick=True)
    of = f"its {race.label}" if its else f"{race.baseline} in {race.label}"
    ends = f"{ratio_range(*edges)}; {count(race.confirmed, 'fresh block')}"
    return f"{factor_words(found.ratio, edges)} times {of} ({ends})"


def _rare(race: Race) -> list[str]:
    """What no rule finds in runs that had none: the bound holds but for stalls so rare."""
    if not race.rivals or race.others_at_most is None or race.others_at_most > MOST_AT_MOST:
        return []
    own = next(each for each in race.places if each.system == race.leader)
    runs = own.blocks + race.confirmed - race.missed.get(race.leader, 0)
    rarer = f"rarer than one run in {math.floor(1 / shown_from(runs))}"
    return [f"{race.leader} ran {count(runs, 'time')}, so stalls {rarer} may have been missed."]


def _nothing_better(race: Race, other: Comparison | None) -> str:
    """Hsu's bound, on those of the same guarantees."""
    if not race.rivals and {*race.failed} - {*race.weaker}:
        return "What the others could be at most is not known: they failed."
    if not race.rivals:
        return "Nothing else that keeps what the baseline keeps was tested."
    if race.others_at_most is None or race.others_at_most > MOST_AT_MOST:
        return "What the others could be at most is not known."
    tested = "that worked" if race.failed else "tested"
    tested += " that keeps what the baseline keeps" if race.weaker else ""
    is_bound, bound = race.others_at_most > 1, percent_up(100 * (race.others_at_most - 1))
    most = f"more than {bound} better" if is_bound else "better"
    if other is not None:
        return f"In the race nothing else {tested} was {most} (95 %)."
    said = f"Nothing else {tested} is {most} (95 %)"
    if not is_bound or race.proven or race.ended == "running":
        return f"{said}."
    if race.ended == "budget":
        return f"{said}; the race ended before {percent(race.margin_percent / 100)} was proven."
    return f"{said}; the fresh blocks do not bear out that {race.leader} is the best."
