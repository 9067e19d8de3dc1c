"""Each claim with its verdict: from its trials and the runs kept, or from its own reason."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from fsgauge.published.ledger import Claim, Trial
from fsgauge.published.runs import JudgedRun, run_of
from fsgauge.published.verdict import Outcome, Word, judged, together

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

    @property
    def runs(self) -> list[JudgedRun]:
        """The runs behind it, each once."""
        return list({e.run.study: e.run for e in self.trials if e.run is not None}.values())


def standing_of(folder: str, claim: Claim) -> Standing:
    """What is known of a claim today."""
    if not claim.trials:
        return _by_reason(claim)
    trials = tuple(_of_trial(folder, claim, trial) for trial in claim.trials)
    word = together([each.outcome.word for each in trials])
    return Standing(claim, word, "; ".join(_in_words(claim, each) for each in trials), trials)


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
        waits = "a disk with heads" if trial.storage == "heads" else f"{NO_RUN} of {trial.study}"
        return TrialStanding(trial, Outcome("not yet", f"waits for {waits}"), None, published)
    outcome = judged(trial, published, run.of(claim, trial))
    if trial.storage == "heads" and run.heads != "yes":
        words = f"{outcome.words} on storage that does not seek; waits for a disk with heads"
        outcome = Outcome("not yet", words)
    return TrialStanding(trial, outcome, run, published)


@cache
def _run_of(folder: str, study: str) -> JudgedRun | None:
    return run_of(folder, study)


def _in_words(claim: Claim, each: TrialStanding) -> str:
    return f"{each.trial.words}: {each.outcome.words}{_published(claim, each)}"


def _published(claim: Claim, each: TrialStanding) -> str:
    """The ratio of the publication, and the printed values that it is computed from."""
    if each.published is None or each.trial.rule in ("at least", "loss up to"):
        return ""
    if not each.trial.figure:
        return f", published {each.published:.3g}"
    first, second = claim.figure(each.trial.figure).values
    return f", published {second:,.10g} / {first:,.10g} = {each.published:.3g}"
