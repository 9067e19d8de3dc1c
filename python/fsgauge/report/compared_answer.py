"""What changed between two results folders, in sentences: what is decided, then what is not.

"after against before: 4 KiB random reads at depth 32 on ext4 from 205 k to 188 k IOPS, 8 % slower
(4 to 12 %)."
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

from fsgauge.record.factors import factors_of
from fsgauge.report import words
from fsgauge.report.compared_models import model_and_measured
from fsgauge.stats.asked_number import is_plural, named_test, rate_words, works_joined
from fsgauge.stats.between_systems import bound_percent, is_near
from fsgauge.stats.folders.between import Between, Entry, IdleLine
from fsgauge.stats.folders.free_space import FREE_SPACE
from fsgauge.stats.sentence import DECIDED
from fsgauge.stats.verdict import OPEN
from fsgauge.stats.wording import (
    TIMES,
    factor_words,
    least_shown,
    listed,
    percent,
    percent_range,
    ratio_range,
    share_of,
    share_words,
    shown_percent,
    together,
)
from fsgauge.units import exact_percent

MOST_NAMED = 4
_LONG_WORDS = 8
"""A name of more words leaves a headline no room."""


def changes_sentences(between: Between, idle: Sequence[IdleLine]) -> str:
    """All of them; `idle` are the lines in which a side did nothing."""
    entries = [e for e in between.primary_entries(between.decides) if e.verdict is not None]
    if not entries and not idle:
        return "Nothing can be judged: see below."
    of = f", by the ratio to {between.baseline}" if model_and_measured(between) else ""
    decided = [each for each in entries if each.verdict in DECIDED]
    equal = [each for each in entries if each.verdict == "equivalent"]
    still_open = [each for each in entries if each.verdict in OPEN]
    near = [each for each in still_open if is_near(_bound(each), each.detectable_percent)]
    unknown = [each for each in still_open if each.low is None]
    noisy = [each for each in still_open if each.low and each not in near]
    clauses = [_told(between, each) for each in decided[:MOST_NAMED]]
    if len(decided) > MOST_NAMED:
        clauses.append(f"{len(decided) - MOST_NAMED} more differ, see the table")
    if equal:
        margin = max(each.margin_percent for each in equal)
        clauses.append(f"{_names(between, equal)} equal within {exact_percent(margin)}")
    if near:
        most = shown_percent(max(_bound(each) for each in near))
        clauses.append(f"{_names(between, near)}: no difference above {most} %")
    if noisy:
        least = least_shown(_by_name(between, noisy), " or more")
        clauses += [f"too noisy to tell {_names(between, noisy)}", least]
    if unknown:
        seen = [each for each in unknown if _is_seen(each)]
        seen.sort(key=lambda each: -abs(math.log(each.ratio)))
        if seen:
            name, more = _name(between, seen[0]), len(seen) - 1
            is_several = is_plural(between.cell(seen[0].cell), seen[0].metric)
            verb = "were" if is_several else "was"
            change = f"{verb} {_change(between, seen[0])}"
            clauses.append(f"undecided, but in these sittings {name} {change}")
            clauses += filter(None, [_values(between, seen[0])])
            clauses += [f"{more} more differ{'s' if more == 1 else ''}"] if more else []
            clauses.append("nothing shows how sittings differ")
        else:
            what = f"{len(unknown)} more are not" if clauses else "nothing is"
            clauses.append(f"{what} decided, as nothing shows how sittings differ")
    if idle:
        clauses.append(f"{len(idle)} without a ratio, as a side did nothing")
    said = [f"{between.b.label} against {between.a.label}{of}: {'; '.join(clauses)}."]
    if entries and (tests := _long_name(between)):
        said.append(f"All of this: {tests}.")
    return " ".join([*said, *_free_space(between)])


def _bound(entry: Entry) -> float:
    return bound_percent(entry.low, entry.high, entry.detectable_percent)


def _is_seen(entry: Entry) -> bool:
    """Whether these sittings alone differ."""
    low, high = entry.within_low, entry.within_high
    return low is not None and high is not None and not low <= 1 <= high


def _test(between: Between, entry: Entry) -> str:
    """What is done alone where the rest is long and in all tests the same."""
    cell = between.cell(entry.cell)
    return factors_of(cell).work if _long_name(between) else named_test(cell, entry.metric)


def _long_name(between: Between) -> str:
    """The name of all tests where it is long, and they differ in what is done alone; else ""."""
    cells = [between.cell(each) for each in between.primary_cells]
    names = [named_test(each, between.primary_metrics[each.id]) for each in cells]
    joined = works_joined(cells, names) if names else None
    return joined if joined and len(names[0].split()) > _LONG_WORDS else ""


def _name(between: Between, entry: Entry) -> str:
    return f"{_test(between, entry)} on {entry.system}"


def _by_name(between: Between, entries: Sequence[Entry]) -> dict[str, float]:
    """The bound of each, by what tells it from the others: its test, its system, or both."""
    tests = [_test(between, each) for each in entries]
    bounds = [_bound(each) for each in entries]
    if len({each.system for each in entries}) == 1:
        return dict(zip(tests, bounds, strict=True))
    if len(set(tests)) == 1:
        return dict(zip([each.system for each in entries], bounds, strict=True))
    return dict(zip([_name(between, each) for each in entries], bounds, strict=True))


def _names(between: Between, entries: Sequence[Entry]) -> str:
    """The tests of each system, the system behind them."""
    by_system: dict[str, list[Entry]] = {}
    for entry in entries[:MOST_NAMED]:
        by_system.setdefault(entry.system, []).append(entry)
    named = [(system, _tests(between, own)) for system, own in by_system.items()]
    names = [f"{tests} on {systems}" for systems, tests in together(named)]
    more = len(entries) - MOST_NAMED
    return f"{', '.join(names)} and {more} more" if more > 0 else listed(names)


def _tests(between: Between, entries: Sequence[Entry]) -> str:
    """ "4 KiB random reads and random writes at depth 32"."""
    names = [_test(between, each) for each in entries]
    return works_joined([between.cell(each.cell) for each in entries], names) or listed(names)


def _told(between: Between, entry: Entry) -> str:
    """What changed, from which value to which, and by how much."""
    values = _values(between, entry)
    return f"{_name(between, entry)} {values + ', ' if values else ''}{_change(between, entry)}"


def _values(between: Between, entry: Entry) -> str:
    """ "from 205 k to 188 k IOPS"; where ratios to the baseline decide, "from 94 % to 86 % of raw".
    "" where both read alike."""
    a, b = entry.value_a, entry.value_b
    if entry.basis == "to baseline":
        first, last = share_words(a), share_words(b)
        return "" if first == last else f"from {first} to {share_of(b, between.baseline)}"
    cell, unit = between.cell(entry.cell), between.metric(entry.metric).unit
    own = between.unit_in(entry.cell, unit)
    said = partial(rate_words, cell) if own == "IOPS" else words.value
    first, last = said(a, own), said(b, own)
    return "" if first == last else f"from {words.span(first, last)}"


def _change(between: Between, entry: Entry) -> str:
    is_rate = between.metric(entry.metric).higher_is_better
    return change_words(entry.ratio, *entry.shown, is_rate=is_rate)


def change_words(ratio: float, low: float | None, high: float | None, *, is_rate: bool) -> str:
    """ "8 % slower (4 to 12 %)"; "2.31 times as fast (2.10 to 2.55)" from twice as much on."""
    low, high = low or ratio, high or ratio
    if ratio >= TIMES:
        factor = f"{factor_words(ratio, (low, high))} times as {'fast' if is_rate else 'long'}"
        return f"{factor} ({ratio_range(low, high)})"
    more, less = ("faster", "slower") if is_rate else ("longer", "shorter")
    if ratio >= 1:
        low, high = low - 1, high - 1
        said = percent(ratio - 1, (low, high))
        return f"{said} {more} ({percent_range(low, high, ' %')})"
    low, high = 1 - high, 1 - low
    return f"{percent(1 - ratio, (low, high))} {less} ({percent_range(low, high, ' %')})"


def _free_space(between: Between) -> list[str]:
    """Of each system whose free space changed: it decides where files go."""
    return [
        f"{each.fact.replace(f': {FREE_SPACE}', ' had other free space')}: {each.a}, then {each.b}."
        for each in between.differences
        if each.fact.endswith(f": {FREE_SPACE}")
    ]
