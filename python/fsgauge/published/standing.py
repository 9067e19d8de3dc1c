"""Each claim with its verdict: from its trials and the runs kept, or from its own reason.

Predictions stand in for a verdict only where nothing that was measured gives one. They are
simulated, and held against the publication as they are, without the intervals over seeds: what
is unknown is the device, and the band has that. Where a run lacks what a verdict takes, the
words name what would have it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal, cast, get_args

from fsgauge.published.ledger import Claim, Need, Observable, Prediction, Trial
from fsgauge.published.runs import JudgedRun, Observed, run_of
from fsgauge.published.verdict import (
    MARGIN,
    TrialVerdict,
    Word,
    judged,
    together,
    without_certainty,
)
from fsgauge.stats.rig_limits import EMULATED
from fsgauge.units import figure

_run_of = cache(run_of)
Met = Literal["missed", "fitted", "no proof", "met", "answered", "not run"]
GRAVEST_FIRST: tuple[Met, ...] = get_args(Met)
_NOISE = {
    "noise.wide": "two equal systems came out too far apart in it",
    "noise.unknown": "no two equal systems were compared in it",
    "operations.few": "it did too few operations to compare two equal systems",
    "run.starved": "its load waited for processors",
}
"""Findings that forbid "confirmed" and "refuted", in words."""
_OTHERS = {
    "run.debug_engine": "its engine was a debug build; one that is built for release is missing",
    "limits.throttled": "a quota of processor time held it up; a machine without one is missing",
    "limits.io": "a control group's limit of I/O set rates in it; storage without one is missing",
    "run.clock_jumped": "its clocks disagree on how long runs were; a steady clock is missing",
    "environment.changed": "the machine changed while it went on; it has to be run again",
}
"""Findings by which its times are those of something other than storage, and what is missing."""
_ALTERED = {
    "system.changed": "a system was not made the same way in each turn; it has to be run again",
}
"""Findings by which no number of it is one system's, counts among them."""


@dataclass(frozen=True)
class Predicted:
    """One prediction: `low` and `high` of all devices and levels; None before its runs."""

    prediction: Prediction
    published: float | None
    low: float | None
    high: float | None
    met: Met
    words: str
    runs: tuple[JudgedRun, ...]

    @property
    def is_run(self) -> bool:
        """Whether there is a number of each device."""
        return self.low is not None

    @property
    def why(self) -> str:
        """What is to be known of it: why it is missed, or proves nothing, or what it answers."""
        about = self.prediction
        return {
            "missed": about.missed,
            "fitted": about.fitted,
            "no proof": about.no_proof,
            "answered": about.answer,
        }.get(self.met, "")


def predicted(claim: Claim, prediction: Prediction, runs: Sequence[JudgedRun | None]) -> Predicted:
    """What runs of its studies, in their order, make of a prediction."""
    published = claim.published_ratio(prediction)
    kept = [run for run in runs if run is not None]
    seen = [run.of(claim, prediction) for run in kept]
    if len(kept) < len(runs) or not all(seen):
        waits = ", ".join(prediction.studies)
        words = f"waits for a simulation: {waits}"
        return Predicted(prediction, published, None, None, "not run", words, tuple(kept))
    values = [each.value for one in seen for each in one]
    low, high = min(values), max(values)
    met = _met(prediction, published, low, high)
    words = _band(low, high, seen)
    return Predicted(prediction, published, low, high, met, words, tuple(kept))


def _met(prediction: Prediction, published: float | None, low: float, high: float) -> Met:
    if prediction.rule == "open":
        return "answered"
    bound = published if published is not None else 1.0
    # What lies nearer to 1 than this is no change.
    barely = 0.005 if published is None else 0.0
    is_met = {
        "within": low * (1 - MARGIN) <= bound <= high * (1 + MARGIN),
        "at least": low >= bound,
        "above": low > bound + barely,
        "below": high < bound - barely,
    }[prediction.rule]
    if not is_met:
        return "missed"
    if prediction.fitted:
        return "fitted"
    return "no proof" if prediction.no_proof else "met"


def _band(low: float, high: float, seen: Sequence[Sequence[Observed]]) -> str:
    """ "14 to 31.2 over 2 simulations"; "0.3 to 0.78 over 20 levels"."""
    cells = len(seen[0])
    over = [f"{len(seen)} simulations"] if len(seen) > 1 else []
    over += [f"{cells} levels"] if cells > 1 else []
    first, last = figure(low), figure(high)
    span = first if first == last else f"{first} to {last}"
    return f"{span} over {' and '.join(over)}" if over else span


def lacking(trial: Trial, run: JudgedRun) -> list[str]:
    """Why a run decides nothing of a trial; [] where it does."""
    found = [words for need in trial.needs if (words := _lacks(need, run))]
    if not trial.counted and (noise := noise_words(trial, run)):
        only_starved = noise.startswith(_NOISE["run.starved"])
        missing = (
            "a machine where KVM works is missing"
            if only_starved and EMULATED in run.machine
            else "a quieter machine, or more blocks, are missing"
        )
        found.append(f"{noise}; {missing}")
    forbidding = _ALTERED if trial.counted else _OTHERS | _ALTERED
    found += [f"{words} ({code})" for code, words in forbidding.items() if code in run.findings]
    return found


def noise_words(trial: Trial, run: JudgedRun) -> str:
    """Why its times are not to be relied on, with the findings that say so; "" where they are. A
    load that waited for processors in runs of other systems leaves those of the trial."""
    return " and ".join(
        f"{words} ({code})"
        for code, words in _NOISE.items()
        if code in run.findings and (code != "run.starved" or run.starves(trial))
    )


def waits_for(trial: Trial) -> Iterator[str]:
    """What has to be there before it can be run, beyond a quiet machine."""
    words: dict[Need, str] = {
        "heads": "a disk with heads",
        "larger than memory": "storage larger than memory",
        "a network": "hosts that a network joins",
    }
    return (words[need] for need in trial.needs)


def _lacks(need: Need, run: JudgedRun) -> str:
    if need == "heads":
        return {
            "yes": "",
            "no": "its storage does not seek; a disk with heads is missing",
            "unknown": "whether its storage seeks is not known; a disk with heads is missing",
        }[run.heads]
    if need == "a network":
        return "" if run.network else "it was one machine; hosts that a network joins are missing"
    return {
        "yes": "",
        "no": "its files fit in memory, which answered for the storage; larger storage is missing,"
        " or a control group with less memory",
        "unknown": "whether its files fit in memory was not kept; it has to be run again",
    }[run.beyond_memory]


@dataclass(frozen=True)
class TrialStanding:
    """One trial, what came of it, and the run that says so."""

    trial: Trial
    outcome: TrialVerdict
    run: JudgedRun | None
    published: float | None


@dataclass(frozen=True)
class Standing:
    """A claim's verdict, and why: a line a trial or prediction, or the one reason."""

    claim: Claim
    word: Word
    lines: tuple[str, ...]
    trials: tuple[TrialStanding, ...] = ()
    predicted: tuple[Predicted, ...] = ()

    @property
    def why(self) -> str:
        return "; ".join(self.lines)

    @property
    def runs(self) -> list[JudgedRun]:
        measured = [each.run for each in self.trials if each.run is not None]
        simulated = [run for each in self.predicted for run in each.runs]
        return list({run.study: run for run in (*measured, *simulated)}.values())


def standing_of(folder: str, claim: Claim, runs: Mapping[str, JudgedRun] | None = None) -> Standing:
    """What is known of a claim today; of these runs alone where some are given, by their study."""
    if not claim.trials and not claim.predictions:
        return _by_reason(claim)
    kept = (lambda study: _run_of(folder, study)) if runs is None else runs.get
    trials = tuple(_of_trial(folder, claim, trial, kept(trial.study)) for trial in claim.trials)
    found = tuple(
        predicted(claim, each, [kept(study) for study in each.studies])
        for each in claim.predictions
    )
    word = together([each.outcome.word for each in trials]) if trials else "not yet"
    if word == "not yet" and any(each.is_run for each in found):
        came_of_them = {each.met for each in found if each.is_run}
        gravest = next(met for met in GRAVEST_FIRST if met in came_of_them)
        word = cast(Word, f"predicted: {gravest}")
    said = _without_repeated_reasons(
        [(_in_words(claim, each), each.trial.since) for each in trials]
    )
    said += [prediction_words(claim, each) for each in found]
    return Standing(claim, word, tuple(said), trials, found)


def _by_reason(claim: Claim) -> Standing:
    if claim.waits_for is not None:
        return Standing(claim, "not yet", (f"waits for {claim.waits_for}: {claim.tested_by}",))
    reasons: list[tuple[Word, str]] = [
        ("repeatable", claim.repeatable),
        ("fitted", claim.fitted),
        ("recomputed", claim.checked),
        ("untestable here", claim.untestable),
    ]
    word, why = next((word, why) for word, why in reasons if why)
    return Standing(claim, word, (why,))


def _of_trial(folder: str, claim: Claim, trial: Trial, run: JudgedRun | None) -> TrialStanding:
    published = claim.published_ratio(trial)
    if run is None:
        study = f"kinds/{folder}/verdicts/{trial.study}.toml"
        waits = " and ".join([*waits_for(trial), f"a run of {study}"])
        return TrialStanding(trial, TrialVerdict("not yet", f"waits for {waits}"), None, published)
    seen, why_none = run.of(claim, trial), run.why_silent(claim, trial)
    outcome = _with_what_it_lacks(trial, run, judged(trial, published, seen, why_none))
    return TrialStanding(trial, outcome, run, published)


def _with_what_it_lacks(trial: Trial, run: JudgedRun, outcome: TrialVerdict) -> TrialVerdict:
    """What a run's own findings, and what it was run on, leave of an outcome."""
    lacks = lacking(trial, run)
    if lacks and outcome.word != "not yet":
        return TrialVerdict("not yet", f"{outcome.words}; not yet, since {', and '.join(lacks)}")
    if trial.since and outcome.word == "refuted":
        return TrialVerdict("changed since", f"{outcome.words}; {trial.since}")
    if trial.no_proof and outcome.word == "confirmed":
        return TrialVerdict("no proof", f"{outcome.words}; {trial.no_proof}")
    if outcome.word != "not yet" and (noise := noise_words(trial, run)):
        return without_certainty(
            TrialVerdict(outcome.word, f"{outcome.words}; counted, though {noise}")
        )
    return outcome


def _without_repeated_reasons(said: list[tuple[str, str]]) -> list[str]:
    """The lines of trials; a reason that several end with is left to the last of them."""
    lines = [line for line, _ in said]
    for at, (line, reason) in enumerate(said):
        if reason and any(later.endswith(reason) for later in lines[at + 1 :]):
            lines[at] = line.removesuffix(f"; {reason}")
    return lines


def _in_words(claim: Claim, each: TrialStanding) -> str:
    held = _published(claim, each)
    numbers, mark, more = each.outcome.words.partition("; ")
    return f"{each.trial.words}: {numbers}{held}{mark}{more}"


def prediction_words(claim: Claim, each: Predicted) -> str:
    """One prediction in a line: its number, the published one, and whether it is met."""
    against = against_words(claim, each.prediction, each.published)
    why = f": {each.why}" if each.why else ""
    return f"simulated, {each.prediction.words}: {each.words}{against}, {each.met}{why}"


def _published(claim: Claim, each: TrialStanding) -> str:
    if each.trial.rule in ("at least", "loss up to"):
        return ""
    return against_words(claim, each.trial, each.published)


def against_words(claim: Claim, about: Observable, published: float | None) -> str:
    """The ratio of the publication, and the printed values that it is computed from."""
    if published is None:
        return ""
    if about.threshold is not None:
        return f", our threshold {figure(published)}"
    if not about.figure:
        range_ = "" if about.up_to is None else f" to {figure(about.up_to)}"
        return f", published {figure(published)}{range_}"
    first, second = claim.figure(about.figure).values
    return f", published {second:,.10g} / {first:,.10g} = {figure(published)}"
