"""What the page of a race shows: who was left when, and why, as a picture; cost, effects of
options, all systems."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fsgauge.report import words
from fsgauge.report.table_parts import Rows, Table, TableCell
from fsgauge.stats.race.options import Effect, Effects, effects_of, settings_of
from fsgauge.stats.race.model import Place, Race
from fsgauge.stats.results import Results
from fsgauge.store import StoredStudy
from fsgauge.units import count, format_duration, format_size

from collections.abc import Sequence
from typing import Any

from fsgauge.durability import MARK
from fsgauge.report import vega
from fsgauge.report.charts import axes, marks, panels
from fsgauge.report.charts.forest import noise_band
from fsgauge.report.draw import Drawing, chart_of, draw
from fsgauge.report.labels import in_two_lines, labels_of
from fsgauge.report.theme import GAIN, INK, MUTED
from fsgauge.stats.race.model import Place, Race
from fsgauge.stats.results import Results

def race_values(results: Results, stored: StoredStudy) -> dict[str, Any]:
    """What the template of a race takes; `race` is None of a study that was none."""
    race = results.race
    if race is None:
        return {"race": None}
    systems = {str(each["name"]): each for each in stored.study.study["system"]}
    found = effects(race, systems)
    return {
        "race": race,
        "race_saved": _saved(race),
        "race_effects": _effect_tables(found),
        "race_effect_words": effect_words(found, 1 + race.margin_percent / 100),
        "race_places": _place_tables(race),
    }


def effects(race: Race, systems: Mapping[str, Mapping[str, Any]]) -> Effects | None:
    """Main effects from the first blocks, which every system ran."""
    logs = {name: values for name, values in race.first_blocks.items() if name in systems}
    return effects_of(
        logs,
        {name: settings_of(systems[name]) for name in logs},
        {name: str(systems[name]["kind"]) for name in logs},
    )


def why(race: Race, each: Place) -> str:
    than = "the leader" if each.against == race.leader else each.against
    return {
        "leader": "leads at the end",
        "in the race": "still in the race",
        "parked": "settled: not far enough behind to leave, and no rival any more",
        "slower": f"slower than {than}, after block {each.after_block}",
        "failed": f"failed, or did too little: two runs in a row, up to block {each.after_block}",
    }[each.state]


def _saved(race: Race) -> list[tuple[str, str, str]]:
    """Runs, hours and bytes of the race, and of all systems in as many blocks as the leader ran."""
    took, full = (format_duration(each * 1e9) for each in (race.seconds, race.full_seconds))
    return [
        ("runs", f"{race.runs}", f"{race.full_runs}"),
        ("time", took, full),
        ("written", format_size(race.bytes_written), format_size(race.full_bytes_written)),
    ]


def _effect_tables(found: Effects | None) -> list[Table]:
    if found is None:
        return []
    first = {(each.kind, each.share): each for each in reversed(found.effects)}

    def share(each: Effect) -> str:
        """Of an option, which only its first value says."""
        return _percent(each.share) if first[each.kind, each.share] is each else ""

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
            ("ratio", "ratio", _effect_cell),
            ("of the variance", "", share),
        ],
    )


def _effect_cell(each: Effect) -> TableCell:
    return TableCell(
        words.ratio(each.ratio, each.low, each.high), f"{each.low:.3f} to {each.high:.3f}"
    )


def _percent(share: float) -> str:
    return f"{100 * share:.{words.share_digits(share)}f} %"


def effect_words(found: Effects | None, margin: float) -> list[str]:
    """How much the choice of a file system does, what does less than the margin, the strongest
    pair."""
    if found is None:
        return []
    said = []
    if found.kind_share is not None:
        said.append(
            f"The file system alone explains {_percent(found.kind_share)} of the variance between"
            " systems."
        )
    small = found.below(margin)
    if small:
        names = list(dict.fromkeys(f"{each.option} ({each.kind})" for each in small))
        most = f"{100 * (margin - 1):.3g} %"
        said.append(f"These change less than {most} here: {', '.join(names)}.")
    pair = found.interaction
    if pair is not None:
        first, second = pair.options
        together = words.ratio(pair.ratio, pair.low, pair.high)
        told = "" if pair.low > 1 or pair.high < 1 else ", which noise alone may do"
        said.append(
            f"The strongest pair, {first} with {second} on {pair.kind}: together {together} times"
            f" what both do alone ({pair.low:.3f} to {pair.high:.3f}){told}."
        )
    return said


def _place_tables(race: Race) -> list[Table]:
    return Rows(race.places).tables(
        "places",
        "All systems",
        "By their place in the race. The ratio is to the leader, when the system left or at the"
        " end, and below 1 is worse; its interval counts every comparison and every look. Nothing"
        " is promised about the order of losers.",
        [
            ("place", "", lambda each: str(race.places.index(each) + 1)),
            ("configuration", "", lambda each: each.system),
            ("blocks", "", lambda each: str(each.blocks)),
            ("ratio to the leader", "ratio", _place_cell),
            ("why", "", lambda each: why(race, each)),
        ],
    )


def _place_cell(each: Place) -> TableCell:
    if each.ratio is None:
        return TableCell("-")
    below = "" if each.low is None or each.high is None else f"{each.low:.3f} to {each.high:.3f}"
    return TableCell(f"{each.ratio:.3f}", below)


_LINE, _TWO_LINES = 16, 28
"""Pixels of a system, and of one where names of two lines are drawn."""
_LETTER = 6.6
_LONGEST = 38
_NARROW_LETTERS = 17
_APART = 0.45
"""Between two lines of a name, in rows."""
_COLOURS = {"leader": INK, "in the race": GAIN, "parked": GAIN}
"""Of those that were never dropped."""


def survival(results: Results) -> Drawing | None:
    race = results.race
    if race is None:
        return None
    labels = labels_of([each.system for each in race.places], 2 * _LONGEST)
    rows = [_row(at, each, race, labels[each.system]) for at, each in enumerate(race.places)]
    cell = results.primary_cells[0]
    band = noise_band(results, results.primary_metrics[cell], cell)
    label = "How many blocks each system ran, and its ratio to the leader when it left the race."

    return draw(
        "race",
        label,
        lambda: _chart(rows, band, _LONGEST, 300, 330),
        lambda: _chart(rows, band, _NARROW_LETTERS, 70, 100),
        rows,
    )


def _row(at: int, place: Place, race: Race, label: str) -> dict[str, Any]:
    leads = place.state == "leader"
    return {
        "system": place.system,
        "label": f"{label} {MARK}" if place.system in race.weaker else label,
        "colour": _COLOURS.get(place.state, MUTED),
        "shape": "circle",
        "y": at,
        "blocks": [],
        "ran": place.blocks,
        "state": place.state,
        "ratio": place.ratio,
        "low": place.ratio if leads else place.low,
        "high": place.ratio if leads else place.high,
        "tip": f"{place.system}: {place.blocks} blocks, {why(race, place)}",
    }


def _chart(
    rows: Sequence[dict[str, Any]],
    band: tuple[float, float] | None,
    letters: int,
    left: int,
    right: int,
) -> dict[str, Any]:
    names = [in_two_lines(row["label"], letters) for row in rows]
    is_long = any(name[1:] for name in names)
    lines = len(rows)
    down = {"domain": [lines - 0.4, -0.6]}
    y = vega.field("y:Q", scale=down, axis=None)
    room = round(max(len(line) for name in names for line in name) * _LETTER) + 12
    height = lines * (_TWO_LINES if is_long else _LINE)
    words = [
        {"line": line, "y": row["y"] + _APART * (place - (len(name) - 1) / 2)}
        for row, name in zip(rows, names, strict=True)
        for place, line in enumerate(name)
    ]
    bars = vega.layer(
        _bars(rows, y, max(row["ran"] for row in rows)),
        marks.text(words, "line", y, -room, room - 6),
        marks.rules([], y, -room, left),
    ).properties(width=left, height=height)
    measured = [row for row in rows if row["ratio"] is not None]
    edges = [each for row in measured for each in (row["ratio"], row["low"], row["high"]) if each]
    along = axes.ratios(
        "x",
        axes.ratio_domain(edges),
        8 if left > right / 2 and right > 200 else 4,
        clamp=True,
        title="ratio to the leader",
        grid=True,
        domain=False,
    )
    spans = [] if band is None else [{"from": band[0], "to": band[1]}]
    intervals = vega.layer(
        *marks.bands(spans, along, 0.55),
        marks.level(1, along, strokeWidth=1),
        *marks.measured(measured, ("ratio", "low", "high"), along, 40, y=y),
    ).properties(width=right, height=height)
    return {
        "hconcat": [bars.specification, intervals.specification],
        "spacing": 16,
        "padding": marks.FRAME,
    }


def _bars(rows: Sequence[dict[str, Any]], y: vega.Channel, most: int) -> vega.Chart:
    x = vega.field(
        "start:Q",
        scale={"domain": [0, most], "nice": False},
        axis={"title": "blocks", "tickMinStep": 1, "format": "d", "grid": True, "domain": False},
    )
    drawn = chart_of([{**row, "start": 0} for row in rows]).mark(
        "rule", strokeWidth=_LINE - 6, opacity=0.85
    )
    return drawn.encode(
        x=x, x2="ran:Q", y=y, color=panels.colour(), description=vega.field("tip:N")
    )
