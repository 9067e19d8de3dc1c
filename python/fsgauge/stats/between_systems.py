"""How systems compare, in sentences: what is decided first, then what is not.

"xfs does 1.21 times ext4's 4 KiB random writes at depth 32 (1.15 to 1.28)." The first sentence is
of the first primary cell that decides anything, never of the largest effect: the largest of many is
too large on average. What is not decided of a system has the smallest effect that would have shown.
Every system is named, up to MOST_NAMED.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from fsgauge.plan.levels import corrected
from fsgauge.record.factors import factors_of
from fsgauge.record.records import Cell
from fsgauge.stats.asked_number import Asked, asked_of, own_rates, thing_of, things_of
from fsgauge.stats.evidence import Question
from fsgauge.stats.metrics import METRICS
from fsgauge.stats.ranking import Pair, pairs_told_apart, ratio_of_pair
from fsgauge.stats.results import Comparison
from fsgauge.stats.sentence import DECIDED, comparisons_in, edges_of, ends, hidden_from
from fsgauge.stats.served import MEMORY
from fsgauge.stats.verdict import OPEN
from fsgauge.stats.wording import (
    NAMED_SYSTEMS,
    factor_words,
    is_headline,
    least_shown,
    named_systems,
    percent,
    percent_range,
    range_words,
    ratio_range,
    share_words,
    shown_percent,
)
from fsgauge.units import count, exact_percent, format_duration, grouped

NEAR_PERCENT = 25.0
"""A difference that is excluded from here on is a bound that a reader can use."""
MOST_NAMED = 12
LONG_WORDS = 6
"""A place of more words is said in the first sentence alone, where all tests have it."""
MOST_CELLS = 3
"""Of so many tests the sentences tell; the tables have all."""


@dataclass(frozen=True)
class Told:
    """One primary cell's comparisons, by what may be said of them."""

    cell: Cell
    entries: Sequence[Comparison]

    @cached_property
    def decided(self) -> list[Comparison]:
        return [each for each in self._claimed if each.verdict in DECIDED]

    @cached_property
    def equal(self) -> list[Comparison]:
        return [each for each in self._claimed if each.verdict == "equivalent"]

    @cached_property
    def near(self) -> list[Comparison]:
        """Undecided, though a difference of some use is excluded: one that would be too noisy of
        another system is of none."""
        bounds = [(each, bound_of(each), each.detectable_percent) for each in self._open]
        noisy = [shown for _, bound, shown in bounds if shown and not is_near(bound, shown)]
        most = max(NEAR_PERCENT, min(noisy, default=math.inf))
        return [each for each, bound, shown in bounds if bound <= most and is_near(bound, shown)]

    @cached_property
    def noisy(self) -> list[Comparison]:
        """Undecided, and nothing of use is excluded."""
        return [each for each in self._open if each not in self.near]

    @cached_property
    def served(self) -> list[Comparison]:
        """Of a server's memory."""
        return [each for each in self.entries if each.in_memory]

    @property
    def _claimed(self) -> list[Comparison]:
        return [each for each in self.entries if not each.in_memory]

    @property
    def _open(self) -> list[Comparison]:
        return [each for each in self._claimed if each.verdict in OPEN]

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        found = (self.equal, self.near, self.noisy, self.served)
        return tuple(tuple(each.system for each in group) for group in found)


def bound_percent(low: float | None, high: float | None, detectable_percent: float | None) -> float:
    """The difference that an undecided ratio excludes, and that would have shown as well."""
    if low is None or high is None or detectable_percent is None:
        return math.inf
    return max(100 * (max(high, 1 / low) - 1), detectable_percent)


def is_near(bound: float, detectable_percent: float | None) -> bool:
    """Whether a difference of some use is excluded. Where one of NEAR_PERCENT would have shown, up
    to twice that is: beside such a figure "too noisy" would be no reason."""
    shows = detectable_percent is not None and detectable_percent <= NEAR_PERCENT
    return bound <= NEAR_PERCENT * (2 if shows else 1)


def bound_of(entry: Comparison) -> float:
    return bound_percent(entry.low, entry.high, entry.detectable_percent)


def comparing_sentences(question: Question, primary: Sequence[Cell], start: str = "") -> list[str]:
    """All of them, the one that answers first; the primary cells have some comparison. `start`
    begins the sentence of a number that is a time, in place of its own words."""
    cells = [Told(cell, found) for cell in primary if (found := comparisons_in(question, cell))]
    decided = [each for each in cells if each.decided]
    lead, *others = decided or cells
    asked = asked_of(question, lead.cell)
    said = []
    if asked is not None and question.baseline in asked.values:
        said = _numbers(question, lead, replace(asked, start=start or asked.start))
    elif decided:
        said = _rates(question, lead)
    if decided:
        shown = len(others) if len(others) <= MOST_CELLS else MOST_CELLS - 1
        said += [_further(question, each) for each in others[:shown]]
        said += _left_out(question, others[shown:])
    still_open = _open_sentences(question, cells, is_first=not said)
    rates = own_rates(question, [each.cell for each in (lead, *others)])
    if said and still_open:
        joined = f"{said[0][:-1]}; {_joined(still_open[0])}"
        if is_headline(joined):
            said, still_open = [joined, *said[1:]], still_open[1:]
    told = [*said, *still_open, *rates]
    return _place_once(told, primary) if told else []


def _place_once(sentences: Sequence[str], cells: Sequence[Cell]) -> list[str]:
    """What all tests have in common, in the first of these sentences alone where it is long:
    "creates by 4 clients, shared folder of 20,000 empty files", then "stats"."""
    found = [factors_of(cell) for cell in cells]
    places = {each.noun.removeprefix(each.work) for each in found}
    place = places.pop()
    is_tail = not places and all(each.noun.startswith(f"{each.work} ") for each in found)
    if not is_tail or len(place.split()) <= LONG_WORDS or place not in sentences[0]:
        return list(sentences)
    return [sentences[0], *(each.replace(place, "") for each in sentences[1:])]


def _joined(sentence: str) -> str:
    """A sentence of this file behind another one: the names that begin it stay as they are."""
    return f"t{sentence[1:]}" if sentence.startswith("Too noisy") else sentence


def _subject(question: Question) -> str:
    return "raw" if question.baseline_is_raw else question.baseline


def _rates(question: Question, told: Told) -> list[str]:
    """The headline of a cell, and what it has no room for."""
    verb = "keeps" if question.baseline_is_raw else "does"
    object_ = f"{_subject(question)}'s {thing_of(question, told.cell)}"

    def of(entry: Comparison, *, is_pick: bool) -> str:
        share = _share(question, entry, is_pick=is_pick)
        return f"{entry.system} {share.share} ({share.range})"

    def sentence(shown: Sequence[Comparison], *, is_pick: bool) -> str:
        entry = shown[0]
        first = _share(question, entry, is_pick=is_pick)
        preposition = " of" if first.share.endswith("%") else ""
        own = verb if entry.ratio < 1 else "does"
        start = f"{entry.system} {own} {first.share}{preposition} {object_} ({first.range})"
        return ", ".join([start, *(of(each, is_pick=is_pick) for each in shown[1:])])

    def short(entry: Comparison) -> str:
        return f"{entry.system} {_share(question, entry).share}"

    said, shown = _short_enough(told.decided, sentence)
    others = [each for each in told.decided if each not in shown]
    return [said, *_others(others, of, short), *_best(question, told)]


def _short_enough(
    decided: Sequence[Comparison], sentence: Callable[..., str]
) -> tuple[str, Sequence[Comparison]]:
    """The sentence that names most of them in a headline, and whom it names: all; of many the ends;
    at least the one furthest from 1."""
    furthest = [max(decided, key=lambda each: abs(math.log(each.ratio)))]
    candidates = [ends(decided, lambda e: e.ratio, named=NAMED_SYSTEMS), furthest]
    if len(decided) > 2:
        candidates.insert(1, ends(decided, lambda e: e.ratio, named=2))
    said, shown = "", furthest
    for shown in candidates:
        between = len(decided) - len(shown)
        more = f", {between} between" if between and len(shown) > 1 else ""
        said = f"{sentence(shown, is_pick=between > 0)}{more}."
        if is_headline(said):
            break
    return said, shown


def _others(
    others: Sequence[Comparison], told: Callable[..., str], short: Callable[[Comparison], str]
) -> list[str]:
    """Who is decided as well: with intervals, or of many in short, as the tables have those."""
    if not others:
        return []
    if len(others) <= NAMED_SYSTEMS:
        return [f"Also {', '.join(told(each, is_pick=False) for each in others)}."]
    return [f"Also {_first_of(list(map(short, others)))}."]


def _first_of(named: Sequence[str]) -> str:
    """As many as a sentence names, and how many more there are."""
    more = f", and {len(named) - MOST_NAMED} more in the tables" if len(named) > MOST_NAMED else ""
    return f"{', '.join(named[:MOST_NAMED])}{more}"


@dataclass(frozen=True)
class _Share:
    share: str
    range: str


def _share(question: Question, entry: Comparison, *, is_pick: bool = False) -> _Share:
    """ "94 %" and "93 to 95 %"; against another file system a gain is "1.21 times"."""
    low, high = edges = edges_of(entry, is_pick=is_pick)
    barely = ", barely" if entry.barely else ""
    if question.baseline_is_raw:
        said, span = share_words(entry.ratio, edges), range_words(low, high, entry.ratio)
    elif entry.ratio >= 1:
        said, span = f"{factor_words(entry.ratio, edges)} times", ratio_range(low, high)
    else:
        said, span = percent(entry.ratio, edges), percent_range(low, high, " %")
    return _Share(said, f"{span}{barely}")


def _numbers(question: Question, told: Told, asked: Asked) -> list[str]:
    """The headline of a cell in numbers: that of the baseline, then of each that differs."""
    own = f"{asked.start} {asked.said(question.baseline)}{asked.tail(question.baseline)}"

    def of(entry: Comparison, *, is_pick: bool) -> str:
        edges = edges_of(entry, is_pick=is_pick)
        barely = ", barely" if entry.barely else ""
        times = f"{factor_words(entry.ratio, edges)} times{' as fast' if asked.of_rate else ''}"
        return f"{asked.said(entry.system)} ({times}, {ratio_range(*edges)}{barely})"

    def sentence(shown: Sequence[Comparison], *, is_pick: bool) -> str:
        return ", ".join([own, *(of(each, is_pick=is_pick) for each in shown)])

    if not told.decided:
        return [f"{own}.", *_tails(question, asked)]
    said, shown = _short_enough(told.decided, sentence)
    others = [each for each in told.decided if each not in shown]
    short = _others(others, of, lambda each: asked.said(each.system))
    return [said, *short, *_tails(question, asked)]


def _tails(question: Question, asked: Asked) -> list[str]:
    """The p99 of every other system that has one; the baseline's is told with its time."""
    order = [each for each in question.others if each in asked.p99_ns]
    named = [f"{each} {format_duration(asked.p99_ns[each])}" for each in order]
    return [f"{asked.p99_of.replace('sync', 'Sync')}: {_first_of(named)}."] if named else []


def _best(question: Question, told: Told) -> list[str]:
    """Which of the file systems is best, where the baseline is the raw device."""
    metric = METRICS[question.metrics[told.cell.id]]
    entries = {each.system: each for each in told.entries if each.is_claimed}
    if not question.baseline_is_raw or len(entries) < 2:
        return []
    ordered = sorted(entries, key=lambda n: entries[n].ratio, reverse=metric.higher_is_better)
    first, second = ordered[:2]
    ratio = ratio_of_pair(entries[first], entries[second])
    apart = pairs_told_apart(entries, question.baseline, ratio.drawn) if ratio else set()
    pairs = math.comb(len(entries), 2)
    edges = ratio.at(corrected(pairs)) if ratio else None
    if ratio is None or edges is None or Pair((first, second)) not in apart:
        return [f"Of the file systems, {first} and {second} cannot be told apart."]
    if edges[0] <= 1 <= edges[1]:
        return [f"Of the file systems, {first} comes before {second}."]
    factor = factor_words(ratio.ratio, edges)
    return [
        f"Of the file systems, {first} is fastest: {factor} times {second} ({ratio_range(*edges)})."
    ]


def _further(question: Question, told: Told) -> str:
    """Another cell that decides something: "4 KiB random writes at depth 32: ext4 94 % ..."."""
    asked = asked_of(question, told.cell)
    if asked is not None and question.baseline in asked.values:
        return _numbers(question, told, asked)[0]
    shown = ends(told.decided, lambda each: each.ratio, named=MOST_NAMED)
    is_pick = len(shown) < len(told.decided)
    shares = [_share(question, each, is_pick=is_pick) for each in shown]
    is_short = len(shown) > NAMED_SYSTEMS
    named = [
        f"{e.system} {s.share}" + ("" if is_short else f" ({s.range})")
        for e, s in zip(shown, shares, strict=True)
    ]
    more = f", {len(told.decided) - len(shown)} between" if is_pick else ""
    thing = thing_of(question, told.cell, is_first=True)
    return f"{thing}: {', '.join(named)}{more}."


def _left_out(question: Question, decided: Sequence[Told]) -> list[str]:
    """Of more tests the largest effect, with the interval that holds whichever is the largest."""
    if not decided:
        return []
    pairs = [(told.cell, entry) for told in decided for entry in told.decided]
    cell, entry = max(pairs, key=lambda pair: abs(math.log(pair[1].ratio)))
    share = _share(question, entry, is_pick=True)
    more = f", most in {thing_of(question, cell)}: {entry.system} {share.share} ({share.range})"
    return [f"{len(decided)} more tests differ{more}."]


def _open_sentences(question: Question, cells: Sequence[Told], *, is_first: bool) -> list[str]:
    """What is equal and what is not decided; cells with the same groups share a sentence."""
    alike = grouped((told.groups, told) for told in cells if any(told.groups))
    found = sorted(alike.values(), key=lambda each: not (each[0].equal or each[0].near))
    alone = len(cells) == 1 and not is_first
    said = [
        sentence
        for at, each in enumerate(found[:MOST_CELLS])
        for sentence in _open_sentence(question, each, is_first=is_first and at == 0, alone=alone)
    ]
    rest = sum(len(each) for each in found[MOST_CELLS:])
    return [*said, f"{count(rest, 'more test')}: see the tables."] if rest else said


def _open_sentence(
    question: Question, cells: Sequence[Told], *, is_first: bool, alone: bool
) -> list[str]:
    """One; behind a headline that only counts its systems, their names."""
    first, counted = cells[0], []

    def named(entries: Sequence[Comparison]) -> str:
        if is_first and len(entries) > NAMED_SYSTEMS:
            counted.append(f"The {len(entries)} are {_named(entries)}.")
            return f"{len(entries)} systems"
        return _named(entries)

    of_cells = [each.cell for each in cells]
    things = things_of(of_cells, [thing_of(question, cell) for cell in of_cells])
    where = "" if alone else f" in {things}"
    subject = _subject(question)
    of = f" from {subject}" if is_first else ""
    clauses = []
    known = [each for each in first.entries if each in (*first.equal, *first.near)]
    if first.near:
        bounds = [bound_of(each) for told in cells for each in told.near]
        margins = [each.margin_percent for told in cells for each in told.equal]
        most = shown_percent(max([*bounds, *margins]))
        clauses.append(f"{named(known)}: no difference{of} above {most} %{where}")
    elif first.equal:
        margin = max(each.margin_percent for told in cells for each in told.equal)
        verb = "equals" if len(known) == 1 else "equal"
        clauses.append(f"{named(known)} {verb} {subject}{where} within {exact_percent(margin)}")
    if first.noisy:
        least = least_shown(hidden_from(e for told in cells for e in told.noisy), " or more")
        of, where = ("", "") if clauses else (f" from {subject}", where)
        end = f" ({least})" if clauses else f": {least}"
        clauses.append(f"too noisy to tell {named(first.noisy)}{of}{where}{end}")
    if first.served:
        clauses.append(f"{named(first.served)}: no comparison, the writes are {MEMORY}")
    said = "; ".join(clauses)
    said = f"{said[0].upper()}{said[1:]}" if said.startswith("too") else said
    return [f"{said}.", *counted]


def _named(entries: Sequence[Comparison]) -> str:
    return named_systems([each.system for each in entries], MOST_NAMED)
