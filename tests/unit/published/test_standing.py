"""A claim's verdict: by its runs, or by its own reason."""

from __future__ import annotations

from pathlib import Path

import pytest

import fsgauge
from fsgauge.published import standing
from fsgauge.published.ledger import Claim, Trial, ledger_of, ledgers
from fsgauge.published.runs import JudgedRun, Observed

ALL = [(folder, claim) for folder, each in ledgers().items() for claim in each.claim]


def run(claim: Claim, trial: Trial, low: float, high: float, heads: str = "no") -> JudgedRun:
    observed = Observed(
        claim=claim.id,
        trial=trial.words,
        cell="c",
        system=trial.system,
        over="b",
        value=(low * high) ** 0.5,
        low=low,
        high=high,
        n=8,
    )
    return JudgedRun.model_validate(
        {
            "study": trial.study,
            "study_sha256": "0",
            "date": "2026-11-22",
            "fsgauge": "0.1",
            "kernel": "Linux 6.18",
            "machine": "2 processors",
            "storage": "a file",
            "heads": heads,
            "blocks": 8,
            "seed": 1,
            "findings": [],
            "observed": [observed],
        }
    )


@pytest.mark.parametrize(("folder", "claim"), ALL)
def test_every_claim_has_a_verdict_and_a_reason(folder: str, claim: Claim) -> None:
    found = standing.standing_of(folder, claim)
    assert found.word and len(found.why) > 3


def test_a_verdict_follows_from_the_kept_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    claim = ledger_of("connections").of("N-10")
    (trial,) = claim.trials
    for low, high, word in (
        (0.38, 0.42, "confirmed"),
        (0.5, 0.6, "direction confirmed"),
        (1.1, 1.2, "refuted"),
    ):
        kept = run(claim, trial, low, high)
        monkeypatch.setattr(standing, "_run_of", lambda folder, study, kept=kept: kept)
        found = standing.standing_of("connections", claim)
        assert (found.word, found.runs) == (word, [kept])
        assert "= 0.393" in found.why


def test_rates_without_heads_are_shown_and_give_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    claim = ledger_of("aging").of("S-27")
    (trial,) = claim.trials
    for heads, word in (("no", "not yet"), ("unknown", "not yet"), ("yes", "confirmed")):
        kept = run(claim, trial, 0.95, 0.99, heads)
        monkeypatch.setattr(standing, "_run_of", lambda folder, study, kept=kept: kept)
        found = standing.standing_of("aging", claim)
        assert found.word == word and "0.97 (0.95 to 0.99)" in found.why


def test_without_a_run_it_waits_for_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(standing, "_run_of", lambda folder, study: None)
    found = standing.standing_of("writers", ledger_of("writers").of("D-15"))
    assert found.word == "not yet" and "writers-at-scale" in found.why


def test_the_file_that_a_claim_waits_for_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """C-14 waited for "sharing-at-scale", which fsgauge run does not know."""
    monkeypatch.setattr(standing, "_run_of", lambda folder, study: None)
    found = standing.standing_of("sharing", ledger_of("sharing").of("C-14"))
    path = found.why.rsplit(" ", 1)[1]
    assert (Path(fsgauge.__file__).parent / path).is_file(), found.why
