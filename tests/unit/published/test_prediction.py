"""A prediction is met or missed by the band of its numbers, over devices and levels."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from fsgauge.published import standing
from fsgauge.published.ledger import Claim, ledgers
from fsgauge.published.prediction import predicted
from fsgauge.published.runs import JudgedRun

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


def run(study: str, *values: float) -> JudgedRun:
    seen = {"system": "s", "over": "", "low": None, "high": None, "n": 5}
    observed = [
        {**seen, "cell": str(at), "value": value, "claim": "X-01", "trial": "w"}
        for at, value in enumerate(values)
    ]
    return JudgedRun.model_validate({**RUN, "study": study, "observed": observed})


@pytest.mark.parametrize(
    ("changes", "values", "met", "words"),
    [
        ({}, (4.0, 9.0), "met", "4 to 9 over 2 devices"),
        ({}, (6.0, 9.0), "missed", "6 to 9 over 2 devices"),
        ({"no_proof": "set"}, (4.0, 9.0), "no proof", "4 to 9 over 2 devices"),
        ({"fitted": "window"}, (4.0, 9.0), "fitted", "4 to 9 over 2 devices"),
        ({"fitted": "window"}, (6.0, 9.0), "missed", "6 to 9 over 2 devices"),
        ({"rule": "at least"}, (5.0, 5.0), "met", "5 over 2 devices"),
        ({"rule": "at least"}, (4.99, 9.0), "missed", "4.99 to 9 over 2 devices"),
        ({"rule": "below", "ratio": None}, (0.3, 0.9), "met", "0.3 to 0.9 over 2 devices"),
        ({"rule": "below", "ratio": None}, (0.3, 0.9999), "missed", "0.3 to 1 over 2 devices"),
        ({"rule": "above", "ratio": None}, (1.0001, 2.0), "missed", "1 to 2 over 2 devices"),
    ],
)
def test_the_band_decides(
    changes: dict[str, object], values: tuple[float, float], met: str, words: str
) -> None:
    about = claim(**changes)
    found = predicted(about, about.predictions[0], [run("one", values[0]), run("ten", values[1])])
    assert (found.met, found.words) == (met, words)


def test_without_one_of_its_runs_nothing_is_predicted() -> None:
    about = claim()
    for runs in ([None, run("ten", 5.0)], [run("one"), run("ten", 5.0)]):
        found = predicted(about, about.predictions[0], runs)
        assert (found.met, found.is_run) == ("not run", False)


def test_a_prediction_stands_in_only_where_nothing_measured_tells(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is marked as simulated, and what it misses is said in the same line."""
    kept = {"one": run("one", 14.0), "ten": run("ten", 9.0)}
    monkeypatch.setattr(standing, "_run_of", lambda folder, study: kept.get(study))
    found = standing.standing_of("connections", claim())
    assert found.word == "predicted: missed"
    assert found.why == (
        "simulated, w: 9 to 14 over 2 devices, published 5, missed: the model has no cache"
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
    found = predicted(about, about.predictions[0], [run("one", 0.9), run("ten", 1.1)])
    assert (found.met, found.words, found.why) == (
        "answered",
        "0.9 to 1.1 over 2 devices",
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
    assert shown["S-13"] == "predicted: no proof"
    assert shown["S-26"] == "predicted: met"
    assert shown["S-33"] == "predicted: answered"


def test_what_is_no_published_number_is_called_our_threshold() -> None:
    for claim_id in ("S-16", "S-24"):
        why = standing.standing_of("aging", ledgers()["aging"].of(claim_id)).why
        assert "our threshold" in why and "published 0" not in why
