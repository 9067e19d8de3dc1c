"""Each claim with its verdict: from its trials and the runs kept, or from its own reason.

Predictions stand in for a verdict only where nothing that was measured gives one.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache

from fsgauge.published.ledger import Claim
from fsgauge.published.prediction import Predicted, predicted
from fsgauge.published.runs import JudgedRun, run_of
from fsgauge.published.trial import Observable, Prediction, Trial
from fsgauge.published.verdict import Outcome, Word, judged, together
from fsgauge.units import figure

NO_RUN = "a run on this host"


@dataclass(frozen=True)
class TrialStanding:
    """One trial, what came of it, and the run that says so."""

    trial: Trial
    outcome: Outcome
    run: JudgedRun | None
    published: float | None


@dataclass(frozen=True)
class Standing:
    """A claim's verdict, and why: one sentence, or a line a trial."""

    claim: Claim
    word: Word
    why: str
    trials: tuple[TrialStanding, ...] = ()
    predicted: tuple[Predicted, ...] = ()

    @property
    def in_short(self) -> str:
        """The verdict for a list: of predictions, what came of them, the misses first."""
        met = Counter(each.met for each in self.predicted if each.is_run)
        if self.word != "predicted" or not met:
            return self.word
        if met["missed"]:
            return f"predicted, {met['missed']} missed"
        if met["met"]:
            return "predicted, met"
        return "predicted, no proof" if met["met, no proof"] else "predicted, answered"

    @property
    def runs(self) -> list[JudgedRun]:
        """The runs behind it, each once."""
        measured = [each.run for each in self.trials if each.run is not None]
        simulated = [run for each in self.predicted for run in each.runs]
        return list({run.study: run for run in (*measured, *simulated)}.values())


def standing_of(folder: str, claim: Claim) -> Standing:
    """What is known of a claim today."""
    if not claim.trials and not claim.predictions:
        return _by_reason(claim)
    trials = tuple(_of_trial(folder, claim, trial) for trial in claim.trials)
    found = tuple(_of_prediction(folder, claim, each) for each in claim.predictions)
    word = together([each.outcome.word for each in trials]) if trials else "not yet"
    if word == "not yet" and any(each.is_run for each in found):
        word = "predicted"
    said = [_in_words(claim, each) for each in trials]
    said += [prediction_words(claim, each) for each in found]
    return Standing(claim, word, "; ".join(said), trials, found)


def _by_reason(claim: Claim) -> Standing:
    if claim.waits_for is not None:
        return Standing(claim, "not yet", f"waits for {claim.waits_for}: {claim.tested_by}")
    reasons: list[tuple[Word, str]] = [
        ("repeatable", claim.repeatable),
        ("fitted", claim.fitted),
        ("recomputed", claim.checked),
        ("untestable here", claim.untestable),
    ]
    word, why = next((word, why) for word, why in reasons if why)
    return Standing(claim, word, why)


def _of_trial(folder: str, claim: Claim, trial: Trial) -> TrialStanding:
    published = claim.published_ratio(trial)
    run = _run_of(folder, trial.study)
    if run is None:
        study = f"kinds/{folder}/verdicts/{trial.study}.toml"
        waits = "a disk with heads" if trial.storage == "heads" else f"{NO_RUN} of {study}"
        return TrialStanding(trial, Outcome("not yet", f"waits for {waits}"), None, published)
    outcome = judged(trial, published, run.of(claim, trial))
    if trial.storage == "heads" and run.heads != "yes":
        words = f"{outcome.words} on storage that does not seek; waits for a disk with heads"
        outcome = Outcome("not yet", words)
    return TrialStanding(trial, outcome, run, published)


def _of_prediction(folder: str, claim: Claim, prediction: Prediction) -> Predicted:
    return predicted(claim, prediction, [_run_of(folder, study) for study in prediction.studies])


@cache
def _run_of(folder: str, study: str) -> JudgedRun | None:
    return run_of(folder, study)


def _in_words(claim: Claim, each: TrialStanding) -> str:
    return f"{each.trial.words}: {each.outcome.words}{_published(claim, each)}"


def prediction_words(claim: Claim, each: Predicted) -> str:
    """One prediction in a line: its number, the published one, and whether it is met."""
    against = against_words(claim, each.prediction, each.published)
    why = f": {each.why}" if each.why else ""
    if each.met == "met, no proof":
        why = f" ({each.why})"
    return f"simulated, {each.prediction.words}: {each.words}{against}, {each.met}{why}"


def _published(claim: Claim, each: TrialStanding) -> str:
    if each.trial.rule in ("at least", "loss up to"):
        return ""
    return against_words(claim, each.trial, each.published)


def against_words(claim: Claim, about: Observable, published: float | None) -> str:
    """The ratio of the publication, and the printed values that it is computed from."""
    if published is None:
        return ""
    if not about.figure:
        return f", published {figure(published)}"
    first, second = claim.figure(about.figure).values
    return f", published {second:,.10g} / {first:,.10g} = {figure(published)}"
