"""A claim's verdict: by its runs, or by its own reason."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import fsgauge
from fsgauge.published import standing
from fsgauge.published.ledger import Claim, Trial, ledger_of, ledgers
from fsgauge.published.runs import JudgedRun, Observed
from fsgauge.published.standing import Standing

ALL = [(folder, claim) for folder, each in ledgers().items() for claim in each.claim]


def run(claim: Claim, trial: Trial, low: float, high: float, **facts: object) -> JudgedRun:
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
            "heads": "no",
            "blocks": 8,
            "seed": 1,
            "findings": [],
            "observed": [observed],
            **facts,
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
        kept = run(claim, trial, low, high, beyond_memory="yes")
        monkeypatch.setattr(standing, "_run_of", lambda folder, study, kept=kept: kept)
        found = standing.standing_of("connections", claim)
        assert (found.word, found.runs) == (word, [kept])
        assert "= 0.393" in found.why


def test_rates_without_heads_are_shown_and_give_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    claim = ledger_of("aging").of("S-27")
    (trial,) = claim.trials
    for heads, word in (("no", "not yet"), ("unknown", "not yet"), ("yes", "confirmed")):
        kept = run(claim, trial, 0.95, 0.99, heads=heads)
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


def stands(folder: str, claim_id: str, monkeypatch: pytest.MonkeyPatch, **kept: Any) -> Standing:
    """What comes of a claim whose trials all saw the same in the same kind of run."""
    claim = ledger_of(folder).of(claim_id)
    low, high = kept.pop("low"), kept.pop("high")
    runs = [run(claim, trial, low, high, **kept) for trial in claim.trials]
    merged = runs[0].model_copy(update={"observed": [e for one in runs for e in one.observed]})
    monkeypatch.setattr(standing, "_run_of", lambda folder, study: merged)
    return standing.standing_of(folder, claim)


@pytest.mark.parametrize(
    ("facts", "missing"),
    [
        ({"beyond_memory": "no"}, "larger storage is missing"),
        ({}, "has to be run again"),
        ({"beyond_memory": "yes", "findings": ["noise.wide"]}, "(noise.wide); a quieter machine"),
        ({"beyond_memory": "yes", "findings": ["run.starved"]}, "(run.starved); a quieter machine"),
    ],
)
def test_what_a_run_lacks_is_said_in_place_of_a_verdict(
    facts: dict[str, Any], missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """N-10 was confirmed by 1.4 GiB in 23.5 GiB of memory, too noisy to answer by its own page."""
    found = stands("connections", "N-10", monkeypatch, low=0.38, high=0.42, **facts)
    assert found.word == "not yet" and missing in found.why and "0.40 (0.38 to 0.42)" in found.why


def test_a_run_on_one_machine_says_nothing_of_a_network(monkeypatch: pytest.MonkeyPatch) -> None:
    for network, word in ((False, "not yet"), (True, "confirmed")):
        found = stands("connections", "N-25", monkeypatch, low=20, high=21, network=network)
        assert found.word == word


def test_counts_stand_in_a_noisy_run_and_their_size_does_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for findings, word in (([], "confirmed"), (["noise.wide"], "direction confirmed")):
        found = stands("aging", "S-04", monkeypatch, low=1.1, high=1.2, findings=findings)
        assert found.word == word
    found = stands("aging", "S-04", monkeypatch, low=0.8, high=0.9, findings=["run.starved"])
    assert found.word == "undecided" and "run.starved" in found.why


def test_what_was_laid_by_fsgauge_itself_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    found = stands("aging", "S-20", monkeypatch, low=0.99, high=1.0)
    assert found.word == "no proof" and "lays these extents itself" in found.why


def test_another_driver_is_no_refutation(monkeypatch: pytest.MonkeyPatch) -> None:
    """ext3 of 2011 did not scale; the driver that reads it today does."""
    found = stands("writers", "D-12", monkeypatch, low=1.8, high=2.0)
    assert found.word == "changed since" and "Linux 4.3" in found.why
    assert stands("writers", "D-12", monkeypatch, low=0.9, high=1.0).word == "confirmed"


def test_a_load_that_waited_for_processors_costs_what_it_is_compared_with(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The system itself or what it is a ratio to: the rest of the study decides nothing here."""
    (trial, *_) = ledger_of("connections").of("N-10").trials
    kept: dict[str, Any] = {"beyond_memory": "yes", "findings": ["run.starved"]}
    for systems, word in (([trial.system], "not yet"), (["b"], "not yet"), (["x"], "confirmed")):
        kept["starved"] = systems
        found = stands("connections", "N-10", monkeypatch, low=0.38, high=0.42, **kept)
        assert found.word == word


def test_no_verdict_of_today_is_of_a_noisy_run() -> None:
    for folder, claim in ALL:
        found = standing.standing_of(folder, claim)
        noisy = any(standing.noise_words(each.trial, each.run) for each in found.trials if each.run)
        assert not (noisy and found.word in ("confirmed", "refuted")), claim.id
