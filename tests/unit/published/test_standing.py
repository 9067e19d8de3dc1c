"""A claim's verdict: by its runs, or by its own reason."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

import fsgauge
from fsgauge.published import standing
from fsgauge.published.ledger import Claim, Trial, ledger_of, ledgers
from fsgauge.published.runs import JudgedRun, Observed, Silent
from fsgauge.published.standing import Standing, predicted

RUN = {
    "study_sha256": "0",
    "date": "2026-11-22",
    "fsgauge": "0.1",
    "kernel": "Linux 6.18",
    "machine": "2 processors",
    "storage": "1 TiB in a model",
    "heads": "yes",
    "blocks": 5,
    "seed": 1,
    "findings": [],
    "simulated": "models of version 1, a disk",
}


def claim(**changes: object) -> Claim:
    wanted: dict[str, Any] = {"studies": ["one", "ten"], "words": "w", "rule": "within"}
    wanted |= {"system": "s", "ratio": 5.0, "missed": "the model has no cache"}
    return Claim.model_validate(
        {
            "id": "X-01",
            "kind": "figure",
            "place": "1",
            "fact": "A fact.",
            "tested_by": "a model",
            "predictions": [{**wanted, **changes}],
        }
    )


def run_of(study: str, *values: float) -> JudgedRun:
    seen = {"system": "s", "over": "", "low": None, "high": None, "n": 5}
    observed = [
        {**seen, "cell": str(at), "value": value, "claim": "X-01", "trial": "w"}
        for at, value in enumerate(values)
    ]
    return JudgedRun.model_validate({**RUN, "study": study, "observed": observed})


@pytest.mark.parametrize(
    ("changes", "values", "met", "words"),
    [
        ({}, (4.0, 9.0), "met", "4 to 9 over 2 simulations"),
        ({}, (6.0, 9.0), "missed", "6 to 9 over 2 simulations"),
        ({"no_proof": "set"}, (4.0, 9.0), "no proof", "4 to 9 over 2 simulations"),
        ({"fitted": "window"}, (4.0, 9.0), "fitted", "4 to 9 over 2 simulations"),
        ({"fitted": "window"}, (6.0, 9.0), "missed", "6 to 9 over 2 simulations"),
        ({"rule": "at least"}, (5.0, 5.0), "met", "5 over 2 simulations"),
        ({"rule": "at least"}, (4.99, 9.0), "missed", "4.99 to 9 over 2 simulations"),
        ({"rule": "below", "ratio": None}, (0.3, 0.9), "met", "0.3 to 0.9 over 2 simulations"),
        ({"rule": "below", "ratio": None}, (0.3, 0.9999), "missed", "0.3 to 1 over 2 simulations"),
        ({"rule": "above", "ratio": None}, (1.0001, 2.0), "missed", "1 to 2 over 2 simulations"),
    ],
)
def test_the_band_decides(
    changes: dict[str, object], values: tuple[float, float], met: str, words: str
) -> None:
    about = claim(**changes)
    found = predicted(
        about,
        about.predictions[0],
        [run_of("one", values[0]), run_of("ten", values[1])],
    )
    assert (found.met, found.words) == (met, words)


def test_without_one_of_its_runs_nothing_is_predicted() -> None:
    about = claim()
    for runs in (
        [None, run_of("ten", 5.0)],
        [run_of("one"), run_of("ten", 5.0)],
    ):
        found = predicted(about, about.predictions[0], runs)
        assert (found.met, found.is_run) == ("not run", False)


def test_a_prediction_stands_in_only_where_nothing_measured_tells(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is marked as simulated, and what it misses is said in the same line."""
    kept = {"one": run_of("one", 14.0), "ten": run_of("ten", 9.0)}
    monkeypatch.setattr(standing, "_run_of", lambda folder, study: kept.get(study))
    found = standing.standing_of("connections", claim())
    assert found.word == "predicted: missed"
    assert found.why == (
        "simulated, w: 9 to 14 over 2 simulations, published 5, missed: the model has no cache"
    )
    trial = {"study": "measured", "words": "m", "rule": "below", "system": "s"}
    measured = claim().model_copy(update={"trials": []})
    both = Claim.model_validate({**measured.model_dump(), "trials": [trial]})
    assert standing.standing_of("connections", both).word == "predicted: missed"
    below = {"system": "s", "over": "", "low": 0.4, "high": 0.6, "n": 5, "cell": "c", "value": 0.5}
    judged = {**RUN, "study": "measured", "simulated": "", "observed": []}
    judged["observed"] = [{**below, "claim": "X-01", "trial": "m"}]
    kept["measured"] = JudgedRun.model_validate(judged)
    assert standing.standing_of("connections", both).word == "confirmed"


def test_an_open_question_is_answered_and_never_met() -> None:
    about = claim(rule="open", ratio=None, missed="", answer="nothing is gained")
    found = predicted(about, about.predictions[0], [run_of("one", 0.9), run_of("ten", 1.1)])
    assert (found.met, found.words, found.why) == (
        "answered",
        "0.9 to 1.1 over 2 simulations",
        "nothing is gained",
    )
    for wrong in ({"rule": "open"}, {"answer": "a"}):
        with pytest.raises(ValidationError, match="an open question has an answer"):
            claim(**wrong)


def test_every_prediction_that_is_missed_says_why() -> None:
    """The page would have an empty reason."""
    for folder, ledger in ledgers().items():
        for one in ledger.claim:
            for each in standing.standing_of(folder, one).predicted:
                assert each.met != "not run", (one.id, each.prediction.words)
                assert each.why or each.met == "met", (one.id, each.prediction.words)


def test_a_list_shows_what_came_of_predictions() -> None:
    """ "predicted" alone hid three misses of three (S-22) from whoever read the list."""
    shown = {
        one.id: standing.standing_of(folder, one).word
        for folder, ledger in ledgers().items()
        for one in ledger.claim
    }
    assert shown["S-22"] == shown["S-24"] == "predicted: missed"
    assert shown["S-27"] == shown["S-28"] == "predicted: fitted"
    assert shown["S-13"] == shown["S-29"] == "predicted: no proof"
    assert shown["S-26"] == "predicted: met"
    assert shown["S-33"] == "predicted: answered"


def test_what_is_no_published_number_is_called_our_threshold() -> None:
    for claim_id in ("S-16", "S-24"):
        why = standing.standing_of("aging", ledgers()["aging"].of(claim_id)).why
        assert "our threshold" in why and "published 0" not in why


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
        assert ("not known" in found.why) == (heads == "unknown")
        assert ("does not seek" in found.why) == (heads == "no")


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
        ({"beyond_memory": "yes", "findings": ["noise.unknown"]}, "(noise.unknown); a quieter"),
        ({"beyond_memory": "yes", "findings": ["operations.few"]}, "(operations.few); a quieter"),
        ({"beyond_memory": "yes", "findings": ["run.starved"]}, "(run.starved); a quieter machine"),
        ({"beyond_memory": "yes", "findings": ["run.debug_engine"]}, "(run.debug_engine)"),
        ({"beyond_memory": "yes", "findings": ["limits.throttled"]}, "(limits.throttled)"),
        ({"beyond_memory": "yes", "findings": ["limits.io"]}, "(limits.io)"),
        ({"beyond_memory": "yes", "findings": ["run.clock_jumped"]}, "(run.clock_jumped)"),
        ({"beyond_memory": "yes", "findings": ["environment.changed"]}, "(environment.changed)"),
        ({"beyond_memory": "yes", "findings": ["system.changed"]}, "(system.changed)"),
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


def test_counts_hold_whatever_times_are_of_and_not_where_a_system_changed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for code, word in (("run.debug_engine", "confirmed"), ("system.changed", "not yet")):
        found = stands("aging", "S-04", monkeypatch, low=1.1, high=1.2, findings=[code])
        assert found.word == word


def test_a_run_without_a_number_says_why_and_what_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    claim = ledger_of("writers").of("D-20")
    (trial,) = claim.trials
    none = run(claim, trial, 1.0, 1.0).model_copy(update={"observed": []})
    silent = Silent(claim=claim.id, trial=trial.words, why="a disk's limit set it; KVM is missing")
    kept = {
        "a disk's limit set it; KVM is missing": none.model_copy(update={"silent": [silent]}),
        "no such ratio, or the rig's limits set it": none,
        "set it; a machine where KVM works is missing": none.model_copy(
            update={"machine": "1 processor, virtual (QEMU, emulated without KVM)"}
        ),
    }
    for words, one in kept.items():
        monkeypatch.setattr(standing, "_run_of", lambda folder, study, one=one: one)
        found = standing.standing_of("writers", claim)
        assert found.word == "not yet" and words in found.why, found.why


def test_what_was_laid_by_fsgauge_itself_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    found = stands("aging", "S-20", monkeypatch, low=0.99, high=1.0)
    assert found.word == "no proof" and "lays these extents itself" in found.why


def test_another_driver_is_no_refutation(monkeypatch: pytest.MonkeyPatch) -> None:
    """ext3 of 2011 did not scale; the driver that reads it today does."""
    found = stands("writers", "D-12", monkeypatch, low=1.8, high=2.0)
    assert found.word == "changed since" and "Linux 4.3" in found.why
    assert stands("writers", "D-12", monkeypatch, low=0.9, high=1.0).word == "confirmed"


def test_a_reason_that_several_trials_share_is_said_once(monkeypatch: pytest.MonkeyPatch) -> None:
    found = stands("overhead", "F-24", monkeypatch, low=0.2, high=0.3)
    assert found.word == "changed since" and len(found.lines) == 3
    reason = "; it was published of CFS, which is not free; GFS2 takes its place"
    assert [line.endswith(reason) for line in found.lines] == [False, False, True]
    assert found.why.count(reason) == 1


def test_a_load_that_waited_for_processors_costs_what_it_is_compared_with(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The system itself or what it is a ratio to: the rest of the study decides nothing here."""
    (trial, *_) = ledger_of("connections").of("N-10").trials
    kept: dict[str, Any] = {"beyond_memory": "yes", "findings": ["run.starved"]}
    assert isinstance(trial.cells["test"], str)
    words = {"test": trial.cells["test"]}
    for system, of_cells, word in (
        (trial.system, words, "not yet"),
        ("b", words, "not yet"),
        ("b", {}, "not yet"),
        ("b", {"test": "another"}, "confirmed"),
        ("x", words, "confirmed"),
    ):
        kept["starved"] = [{"system": system, "words": of_cells}]
        found = stands("connections", "N-10", monkeypatch, low=0.38, high=0.42, **kept)
        assert found.word == word


def test_an_emulated_processor_that_a_load_waited_for_is_not_mended_by_quiet(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kept: dict[str, Any] = {"beyond_memory": "yes", "machine": "1 processor, emulated without KVM"}
    for findings, missing in (
        (["run.starved"], "a machine where KVM works is missing"),
        (["noise.wide", "run.starved"], "a quieter machine, or more blocks, are missing"),
    ):
        kept["findings"] = findings
        found = stands("connections", "N-10", monkeypatch, low=0.4, high=0.4, **kept)
        assert found.word == "not yet" and missing in found.why


def test_no_verdict_of_today_is_of_a_noisy_run() -> None:
    for folder, claim in ALL:
        found = standing.standing_of(folder, claim)
        noisy = any(standing.noise_words(each.trial, each.run) for each in found.trials if each.run)
        assert not (noisy and found.word in ("confirmed", "refuted")), claim.id
