"""What a race says: the best, its gain over the baseline, and how much better any other may be."""

from __future__ import annotations

import math

from fsgauge.stats.metrics import METRICS
from fsgauge.stats.race.model import Race
from fsgauge.stats.results import Comparison
from fsgauge.stats.wording import (
    HOPELESS_PERCENT,
    factor_words,
    listed,
    named_systems,
    percent,
    ratio_range,
)
from fsgauge.units import count

MOST_AT_MOST = 1 + HOPELESS_PERCENT / 100
"""From here on, how much better another one may be says nothing."""


def race_lines(race: Race, winner: Comparison | None, few: str = "") -> list[str]:
    """The headline, then what the race claims; `winner` is the leader's confirmed comparison, `few`
    says of which runs a quantile is not known."""
    if not race.leader:
        return (
            [
                f"The race has no leader yet: it has {count(race.blocks, 'block')} of the 3 before"
                " its first look."
            ]
            if race.ended == "running"
            else [f"No system is left in the race. {few or 'All failed, or did nothing.'}"]
        )
    return [
        *_no_difference(race),
        _headline(race, winner),
        _nothing_better(race),
        *_not_told(race),
        *_gone(race),
    ]


def _no_difference(race: Race) -> list[str]:
    """Where nothing was slower than anything: how far any two can be apart from the leader."""
    ends = [end for each in race.last.values() for end in (each.low, each.high)]
    if race.ended == "running" or not ends or any(e.reason == "slower" for e in race.departures):
        return []
    furthest = max(math.inf if not end else max(end, 1 / end) for end in ends)
    if math.isinf(furthest):
        return []
    others = count(len(race.last), "other system")
    return [
        f"No difference above {percent(furthest - 1)} between {race.leader} and {others} (95 %)."
    ]


def _headline(race: Race, winner: Comparison | None) -> str:
    where = f" in {race.decides}" if race.decides else ""
    of = f"{len(race.systems)}{where}"
    leads = f"{race.leader} leads the {of}"
    if race.ended == "running":
        return f"{leads} after {count(race.blocks, 'block')}; the race is not over."
    open_end = "that it is the best is not proven"
    if race.leader == race.baseline:
        if race.proven:
            return f"{race.leader}, the baseline, is the best of {of}."
        return f"{race.leader}, the baseline, leads the {of}; {open_end}."
    if winner is None or winner.low is None or winner.high is None:
        return f"{leads}; no fresh block confirms it."
    edges = winner.low, winner.high
    ends = f"{ratio_range(*edges)}; {race.confirmed} fresh blocks"
    factor = factor_words(winner.ratio, edges)
    label = METRICS[race.metric].label
    gain = f"{factor} times {race.baseline} in {label} ({ends})"
    if winner.verdict != "better":
        kept, how = len(race.systems) - len(race.weaker), "equally durable " * bool(race.weaker)
        none = f"None of {count(kept, f'{how}system')} is shown to beat {race.baseline}"
        return f"{none}{where}: {race.leader} led, at {factor} times its {label} ({ends})."
    if race.proven:
        return f"{race.leader} is the best of {of}: {gain}."
    return f"{leads}: {gain}; {open_end}."


def _nothing_better(race: Race) -> str:
    """Hsu's bound, on those of the same guarantees."""
    if race.others_at_most is None or race.others_at_most > MOST_AT_MOST:
        return "What the others could be at most is not known."
    most = race.others_at_most - 1
    kept = " that keeps what the baseline keeps" if race.weaker else ""
    if race.ended == "one left" or most <= 0:
        return f"Nothing else tested{kept} is better (95 %)."
    said = f"Nothing else tested{kept} is more than {percent(most)} better (95 %)"
    if race.proven or race.ended == "running":
        return f"{said}."
    return f"{said}; the race ended before {percent(race.margin_percent / 100)} was proven."


def _not_told(race: Race) -> list[str]:
    others = [each for each in race.in_race if each != race.leader and each not in race.weaker]
    if not others:
        return []
    return [f"{named_systems(others)} could not be told from it in the race."]


def _gone(race: Race) -> list[str]:
    failed = [each.system for each in race.departures if each.reason == "failed"]
    said = "failed, or did too little to be measured, twice in a row and left"
    return [f"{listed(failed)} {said}."] if failed else []
