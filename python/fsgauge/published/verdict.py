"""What comes of a trial: its rule applied to what was observed.

confirmed            the published ratio or part of its range is in our interval, on its side of 1,
                     which is no wider than twofold; a claim without a number is met
direction confirmed  our interval is on the same side of 1; the size is that of other hardware
refuted              our interval is on the other side, or an "all", "no" or "at least" is
                     contradicted
undecided            our interval allows both
changed since        contradicted by software that is not what was published of
no proof             met, by what was set up so that it is met
predicted: ...       no run that could tell, but simulations, and what came of them: missed,
                     fitted, no proof, met or answered
not yet              no run here, or none that could tell

The size of a ratio on other hardware is no reason to call it refuted.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from fsgauge.published.observe import Observation
from fsgauge.published.trial import Trial

Word = Literal[
    "confirmed",
    "direction confirmed",
    "refuted",
    "undecided",
    "changed since",
    "no proof",
    "predicted: missed",
    "predicted: fitted",
    "predicted: no proof",
    "predicted: met",
    "predicted: answered",
    "fitted",
    "repeatable",
    "recomputed",
    "not yet",
    "untestable here",
]
MARGIN = 0.05
"""Less than this is neither a gain nor a difference; the publication's own rounding is 2 %."""
CERTAIN = 0.05
WIDE = 2.0
"""An interval of which one end is more than so many times the other has many sizes in it, and
confirms none."""


@dataclass(frozen=True)
class TrialVerdict:
    """A verdict on one trial, and what was observed in words."""

    word: Word
    words: str


def judged(
    trial: Trial, published: float | None, seen: Sequence[Observation], why_none: str = ""
) -> TrialVerdict:
    """What observations make of a trial; `published` is the ratio to hold them against, `why_none`
    says why there are none."""
    if not seen:
        return TrialVerdict("not yet", why_none)
    if trial.rule in ("below", "above", "no gain", "same"):
        return _of_each(trial, published, seen)
    if trial.rule == "at least":
        return _at_least(trial, published or 0.0, seen)
    if trial.rule == "loss up to":
        return _loss_up_to(published or 0.0, seen)
    if trial.rule in ("any below", "any differs"):
        return _any(trial, seen)
    return _of_many(trial, seen)


def numbers(seen: Observation) -> str:
    """ "0.54 (0.47 to 0.63)"; an interval of nothing is the same in all blocks."""
    size = abs(seen.value)
    decimals = 2 - math.floor(math.log10(size)) if 0 < size < 0.1 else 2  # three digits at least
    value = f"{seen.value:.{decimals}f}"
    if seen.low is None or seen.high is None:
        return f"{value} (one block, no interval)"
    if seen.low == seen.high:
        how = "the same in all blocks" if seen.over else "counted"
        return f"{value} ({how})"
    return f"{value} ({seen.low:.{decimals}f} to {seen.high:.{decimals}f})"


def without_certainty(outcome: TrialVerdict) -> TrialVerdict:
    """Of a count in a run too noisy for its times: no size is confirmed, and nothing refuted."""
    weaker: dict[Word, Word] = {"confirmed": "direction confirmed", "refuted": "undecided"}
    return TrialVerdict(weaker.get(outcome.word, outcome.word), outcome.words)


def _of_each(trial: Trial, published: float | None, seen: Sequence[Observation]) -> TrialVerdict:
    """Of one cell; several that vary what the claim says nothing of have to say the same."""
    words = {_of_one(trial, published, each) for each in seen}
    first = seen[0]
    told = f"{_named(first, seen)}{numbers(first)}"
    return TrialVerdict(words.pop() if len(words) == 1 else "undecided", told)


def _of_one(trial: Trial, published: float | None, one: Observation) -> Word:
    if trial.rule == "same":
        return _same(one)
    if trial.rule == "no gain":
        if one.is_below(1 + MARGIN):
            return "confirmed"
        return "refuted" if one.is_above(1) else "undecided"
    same, other = (
        (one.is_below(1), one.is_above(1))
        if trial.rule == "below"
        else (one.is_above(1), one.is_below(1))
    )
    if not same:
        is_none = one.low == one.high == 1  # counted: neither a gain nor a loss
        return "refuted" if other or is_none else "undecided"
    if published is None:
        return "confirmed"
    is_other = one.is_below(published) or one.is_above(trial.up_to or published)
    return "direction confirmed" if is_other or _is_wide(one) else "confirmed"


def _is_wide(one: Observation) -> bool:
    return one.low is not None and one.high is not None and one.high > WIDE * one.low


def _same(one: Observation) -> Word:
    """Parity: within the margin on both sides; refuted beyond it."""
    if one.is_above(1 - MARGIN) and one.is_below(1 + MARGIN):
        return "confirmed"
    return "refuted" if one.is_above(1 + MARGIN) or one.is_below(1 - MARGIN) else "undecided"


def _at_least(trial: Trial, bound: float, seen: Sequence[Observation]) -> TrialVerdict:
    least = min(seen, key=lambda each: each.value)
    ours = "our threshold " if trial.threshold is not None else ""
    words = f"{_named(least, seen)}{numbers(least)}, against {ours}{bound:g}"
    if any(each.is_below(bound) for each in seen):
        return TrialVerdict("refuted", words)
    met = all(each.low is not None and each.low >= bound for each in seen)
    return TrialVerdict("confirmed" if met else "undecided", words)


def _loss_up_to(bound: float, seen: Sequence[Observation]) -> TrialVerdict:
    """A loss is there. How large it is depends on hardware, so a larger one refutes nothing."""
    least = min(seen, key=lambda each: each.value)
    words = f"{_named(least, seen)}{numbers(least)}"
    if not any(_is_certain(each) and each.is_below(1) for each in seen):
        return TrialVerdict("undecided", words)
    is_met = least.contains(bound) and not _is_wide(least)
    return TrialVerdict("confirmed" if is_met else "direction confirmed", words)


def _of_many(trial: Trial, seen: Sequence[Observation]) -> TrialVerdict:
    below = [each for each in seen if each.is_below(1)]
    above = [each for each in seen if each.is_above(1)]
    words = f"{len(below)} of {len(seen)} are below 1, {len(above)} above, the rest undecided"
    if trial.rule == "most above":
        if len(above) > len(seen) / 2:
            return TrialVerdict("confirmed", words)
        return TrialVerdict("refuted" if len(below) > len(seen) / 2 else "undecided", words)
    against = [each for each in above if _is_certain(each)]
    if against:
        first = max(against, key=lambda each: each.value)
        return TrialVerdict("refuted", f"{words}; {first.cell}: {numbers(first)}")
    return TrialVerdict("confirmed" if len(below) == len(seen) else "undecided", words)


def _any(trial: Trial, seen: Sequence[Observation]) -> TrialVerdict:
    """One that is certain confirms it; it is refuted when none can differ by more than a margin."""
    sides = (1 - MARGIN,) if trial.rule == "any below" else (1 - MARGIN, 1 + MARGIN)
    met = [
        each
        for each in filter(_is_certain, seen)
        if each.is_below(sides[0]) or any(each.is_above(side) for side in sides[1:])
    ]
    if met:
        first = max(met, key=lambda each: abs(math.log(each.value)))
        count = f"{len(met)} of {len(seen)}; " if len(seen) > 1 else ""
        return TrialVerdict("confirmed", f"{count}{_named(first, seen)}{numbers(first)}")
    widest = max(seen, key=lambda each: abs(math.log(each.value)))
    words = f"none of {len(seen)} certainly; {_named(widest, seen)}{numbers(widest)}"
    none = all(
        each.is_above(sides[0]) and all(each.is_below(side) for side in sides[1:]) for each in seen
    )
    return TrialVerdict("refuted" if none else "undecided", words)


def _is_certain(seen: Observation) -> bool:
    """Whether it stays where all comparisons of its study are counted together."""
    return seen.p is None or seen.p < CERTAIN


def _named(one: Observation, seen: Sequence[Observation]) -> str:
    return f"{one.cell}: " if len(seen) > 1 else ""


def together(words: Sequence[Word]) -> Word:
    """One verdict of several trials: the claim holds as far as each of them does."""
    order: tuple[Word, ...] = (
        "refuted",
        "not yet",
        "undecided",
        "changed since",
        "no proof",
        "direction confirmed",
    )
    return next((word for word in order if word in words), "confirmed")
