"""What the page of a race shows next to its picture: cost, effects of options, all systems."""

from __future__ import annotations

from typing import Any

from fsgauge.durability import MARK
from fsgauge.record.modes import LOOKS
from fsgauge.report import words
from fsgauge.report.table_parts import Rows, Table, TableCell
from fsgauge.stats.choosing.effects import Effect, Effects, effects_of
from fsgauge.stats.race.model import Place, Race
from fsgauge.stats.results import Results
from fsgauge.store import StoredStudy
from fsgauge.units import count, format_duration, format_size


def race_values(results: Results, stored: StoredStudy) -> dict[str, Any]:
    """What the template of a race takes; `race` is None of a study that was none."""
    race = results.race
    if race is None:
        return {"race": None}
    systems = {str(each["name"]): each for each in stored.study.study["system"]}
    found = effects_of(race.first_blocks, systems)
    took, full = (format_duration(each * 1e9) for each in (race.seconds, race.full_seconds))
    written, full_written = map(format_size, (race.bytes_written, race.full_bytes_written))
    return {
        "race": race,
        "race_saved": [
            ("runs", f"{race.runs:,}", f"{race.full_runs:,}"),
            ("time", took, full),
            ("written", written, full_written),
        ],
        "race_effects": _effect_tables(found),
        "race_effect_words": effect_words(found, 1 + race.margin_percent / 100),
        "race_places": _place_tables(race),
    }


def why(race: Race, each: Place) -> str:
    than = "the leader" if each.against == race.leader else each.against
    return {
        "leader": "leads at the end",
        "in the race": "still in the race",
        "parked": "settled: not far enough behind to leave, and no rival any more",
        "slower": f"slower than {than}, after block {each.after_block}",
        "failed": f"failed, or did too little: two runs in a row, up to block {each.after_block}",
    }[each.state]


def _effect_tables(found: Effects | None) -> list[Table]:
    if found is None:
        return []
    first = {(each.kind, each.share): each for each in reversed(found.effects)}

    def share(each: Effect) -> str:
        """Of an option, which only its first value says."""
        return words.share_text(each.share) if first[each.kind, each.share] is each else ""

    return Rows(found.effects).tables(
        "effects",
        "What each option does",
        f"From the first {count(found.blocks, 'block')}, which all {found.systems} systems ran: of"
        " later ones the slow are missing, which would make all options look alike. Each is the"
        " ratio to the option's first value, all else alike; above 1 is better. Nothing was dropped"
        " by this.",
        [
            ("file system", "", lambda each: each.kind),
            ("option", "", lambda each: each.option),
            ("compared with", "", lambda each: each.against),
            ("ratio", "ratio", _ratio_cell),
            ("of the variance", "", share),
        ],
    )


def effect_words(found: Effects | None, margin: float) -> list[str]:
    """What the choice of a file system does, what does less than the margin, the strongest pair."""
    if found is None:
        return []
    said = []
    if found.kind_share is not None:
        said.append(
            f"The file system alone explains {words.share_text(found.kind_share)} of the variance"
            " between systems."
        )
    if small := found.below(margin):
        names = list(dict.fromkeys(f"{each.option} ({each.kind})" for each in small))
        most = f"{100 * (margin - 1):.3g} %"
        said.append(f"These change less than {most} here: {', '.join(names)}.")
    if pair := found.interaction:
        together = _ratio_cell(pair)
        told = "" if pair.low > 1 or pair.high < 1 else ", which noise alone may do"
        said.append(
            f"The strongest pair, {pair.option} on {pair.kind}: together {together.text} times"
            f" what both do alone ({together.below}){told}."
        )
    return said


def _place_tables(race: Race) -> list[Table]:
    def name(each: Place) -> str:
        return f"{each.system} {MARK}" if each.system in race.weaker else each.system

    return Rows(race.places).tables(
        "places",
        "All systems",
        "By their place in the race. The ratio is to the leader, when the system left or at the"
        " end, and below 1 is worse; its interval counts every comparison and every look. Nothing"
        " is promised about the order of losers.",
        [
            ("place", "", lambda each: str(race.places.index(each) + 1)),
            ("configuration", "", name),
            ("blocks", "", lambda each: str(each.blocks)),
            ("ratio to the leader", "ratio", _ratio_cell),
            ("why", "", lambda each: why(race, each)),
        ],
    )


def _ratio_cell(each: Effect | Place) -> TableCell:
    if each.ratio is None:
        return TableCell("-")
    below = "" if each.low is None else words.interval(each.low, each.high, LOOKS[0])
    return TableCell(words.ratio(each.ratio, each.low, each.high), below)
